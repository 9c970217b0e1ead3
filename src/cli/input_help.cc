#include "cli/input_help.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/wrapped_text.h"
#include "domain/masker.h"
#include "domain/terminal_text.h"
#include "domain/trimmed.h"

namespace awf::cli {
namespace {

constexpr std::size_t kIndent = 2, kGap = 2;
constexpr std::size_t kWidestName = 20;     // longer names get a line of their own
constexpr std::size_t kNarrowestText = 20;  // on a terminal that is narrower still, lines run over
constexpr std::size_t kWidestDefault = 200;

std::string Joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : separator).append(PrintableLine(word));
  return text;
}

std::string Kind(const WorkflowInput& input) {
  std::string text = input.type;
  if (input.secret) text += ", secret";
  if (input.default_value) {
    const std::string shown = FitColumns(PrintableLine(*input.default_value), kWidestDefault);
    const bool secret = input.secret || IsSecretName(input.name);
    return text + ", default: " + (secret ? std::string(kMask) : shown.empty() ? "\"\"" : shown);
  }
  return text + (input.required ? ", required" : "");
}

std::string Range(const InputValidation& rules) {
  if (rules.min && rules.max) return "from " + std::to_string(*rules.min) + " to " + std::to_string(*rules.max);
  if (rules.min) return "at least " + std::to_string(*rules.min);
  if (rules.max) return "at most " + std::to_string(*rules.max);
  return {};
}

// One text a line, before wrapping.
std::vector<std::string> Lines(const WorkflowInput& input) {
  std::vector<std::string> lines = {Kind(input)};
  std::string_view rest = Trimmed(input.description);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    lines.push_back(PrintableLine(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const InputValidation& rules = input.validation;
  if (!rules.values.empty()) lines.push_back("one of: " + Joined(rules.values, ", "));
  if (const std::string range = Range(rules); !range.empty()) lines.push_back(range);
  if (rules.pattern) lines.push_back("pattern: " + PrintableLine(*rules.pattern));
  if (!rules.file_extensions.empty()) lines.push_back("ends with " + Joined(rules.file_extensions, " or "));
  if (rules.file_exists) lines.emplace_back("a file that exists");
  return lines;
}

std::string Entry(const WorkflowInput& input, std::size_t column, std::size_t width) {
  std::string text = std::string(kIndent, ' ') + input.name;
  std::size_t at = kIndent + input.name.size();
  if (at + kGap > column) {
    text += '\n';
    at = 0;
  }
  const std::size_t room = width == 0 ? std::string::npos : std::max(width - std::min(width, column), kNarrowestText);
  for (const std::string& unwrapped : Lines(input)) {
    for (const std::string& line : Wrapped(unwrapped, room)) {
      if (!line.empty()) text.append(column - at, ' ').append(line);
      text += '\n';
      at = 0;
    }
  }
  return text;
}

}  // namespace

std::string InputHelp(const Workflow& workflow, std::size_t width) {
  if (workflow.inputs.empty()) return "The workflow has no inputs.\n";
  std::size_t widest = 0;
  for (const WorkflowInput& input : workflow.inputs) {
    if (input.name.size() <= kWidestName) widest = std::max(widest, input.name.size());
  }
  std::string text = "Inputs (-i name=value, or name=@FILE for the text of a file):\n";
  for (const WorkflowInput& input : workflow.inputs) text += Entry(input, kIndent + widest + kGap, width);
  return text;
}

}  // namespace awf::cli
