#include "cli/parse_refusal.h"

#include <algorithm>
#include <string_view>

#include "domain/nearest_name.h"

namespace awf::cli {
namespace {

// In our words where the library's say nothing.
std::string MessageOf(const FailedParse& failed) {
  // What stands behind an unknown command is its own.
  if (failed.needs_command && !failed.rest.empty()) return "unknown command or flag: '" + failed.rest.front() + "'";
  if (failed.needs_command && !failed.command.empty()) return failed.command + " needs a command";
  if (failed.kind == FailedParse::Kind::kNotANumber) return "-n needs a whole number";
  // "--root: 1 required DIR missing".
  if (failed.message.ends_with(" missing"))
    return failed.message.substr(0, failed.message.find(": ")) + " needs a value";
  if (failed.kind == FailedParse::Kind::kOther || failed.rest.empty()) return failed.message;
  if (failed.command.empty()) return "unknown command or flag: '" + failed.rest.front() + "'";
  std::string unknown;
  for (const std::string& word : failed.rest) unknown += (unknown.empty() ? "'" : ", '") + word + "'";
  return "unknown argument: " + unknown;
}

}  // namespace

Refusal RefusalOf(const FailedParse& failed, const KnownWords& known, const std::vector<std::string>& words) {
  // `awf plugin list`: the list is the plugin's, not ours.
  std::string command = failed.command;
  const auto end = command.empty() ? words.end() : std::ranges::find(words, command.substr(0, command.find(' ')));
  std::string planned = PlannedWord("", {words.begin(), end});
  if (!planned.empty()) command.clear();
  if (planned.empty()) planned = PlannedWord(command, failed.rest);
  if (!planned.empty())
    return {planned + " is not supported yet", "see awf " + (command.empty() ? "" : command + " ") + "--help"};
  return {MessageOf(failed), HintFor(known, words)};
}

Refusal UnknownCommand(const KnownWords& known, const std::vector<std::string>& words) {
  std::string command;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string begin = command.empty() ? "" : command + " ";
    const bool has_commands = std::ranges::any_of(
        known, [&](const auto& each) { return each.first.size() > begin.size() && each.first.starts_with(begin); });
    if (!has_commands) return {};
    if (!known.contains(begin + words[i])) {
      const FailedParse failed{
          command, true, {words.begin() + static_cast<std::ptrdiff_t>(i), words.end()}, {}, FailedParse::Kind::kOther};
      return RefusalOf(failed, known, words);
    }
    command = begin + words[i];
  }
  return {};
}

Refusal NoneOf(const std::string& subject, const std::vector<std::string>& choices, const std::string& given) {
  std::string either;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::string_view separator = i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ";
    either.append(separator).append(choices[i]);
  }
  const std::string nearest = NearestName(given, choices);
  return {subject + " must be " + either + ", not '" + given + "'",
          nearest.empty() ? "" : "did you mean " + nearest + "?"};
}

}  // namespace awf::cli
