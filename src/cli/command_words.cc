#include "cli/command_words.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "domain/nearest_name.h"

namespace awf::cli {
namespace {

constexpr std::array<std::string_view, 7> kCommands = {"agent",   "config", "diagram", "init",
                                                       "migrate", "prune",  "report"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kFlags = {{
    {"run", "--interactive"},
    {"run", "--breakpoint"},
    {"run", "-b"},
    {"run", "--debug-transcript-mirror"},
    {"validate", "--validator-timeout"},
}};

void AddWords(const DescribedCommand& command, const std::string& path, KnownWords& known) {
  for (const DescribedOption& option : command.options)
    if (!option.long_flag.empty()) known[path].push_back(option.long_flag);
  for (const DescribedCommand& inner : command.commands)
    AddWords(inner, path.empty() ? inner.name : path + " " + inner.name, known);
}

// What may stand behind a command ("" is the program).
std::vector<std::string> CommandsBehind(const KnownWords& known, const std::string& command) {
  const std::string begin = command.empty() ? "" : command + " ";
  std::vector<std::string> names;
  for (const auto& [path, flags] : known) {
    if (path.size() <= begin.size() || !path.starts_with(begin)) continue;
    if (path.find(' ', begin.size()) == std::string::npos) names.push_back(path.substr(begin.size()));
  }
  return names;
}

}  // namespace

KnownWords WordsOf(const DescribedCommand& program) {
  KnownWords known;
  AddWords(program, "", known);
  return known;
}

std::string PlannedWord(std::string_view command, const std::vector<std::string>& unknown) {
  for (const std::string& word : unknown) {
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    if (command.empty() && std::ranges::find(kCommands, name) != kCommands.end()) return "awf " + std::string(name);
    for (const auto& [owner, flag] : kFlags)
      if (owner == command && (flag == name || (flag == "-b" && name.starts_with("-b")))) return std::string(flag);
  }
  return {};
}

std::string HintFor(const KnownWords& known, const std::vector<std::string>& words) {
  std::string command;
  for (const std::string& word : words) {
    std::vector<std::string> names;
    if (word.starts_with("-")) {
      names = known.at(command);
      if (!command.empty()) std::ranges::copy(known.at(""), std::back_inserter(names));
    } else {
      names = CommandsBehind(known, command);
    }
    const std::string name = word.substr(0, word.starts_with("-") ? word.find('=') : std::string::npos);
    if (std::ranges::find(names, name) == names.end()) {
      const std::string nearest = names.empty() ? std::string() : NearestName(name, names);
      if (!nearest.empty()) return "did you mean " + nearest + "?";
    } else if (!word.starts_with("-")) {
      command += (command.empty() ? "" : " ") + word;
    }
  }
  return "see awf " + (command.empty() ? "" : command + " ") + "--help";
}

bool SplitPair(const std::string& text, std::string& name, std::string& value) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  name = text.substr(0, equals);
  value = text.substr(equals + 1);
  return true;
}

bool AsksForJson(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--format=json" || word == "-fjson" || word == "-f=json") return true;
    if ((word == "-f" || word == "--format") && i + 1 < words.size() && words[i + 1] == "json") return true;
  }
  return false;
}

}  // namespace awf::cli
