#include "cli/command_description.h"

#include <array>
#include <utility>

namespace awf::cli {

std::vector<std::string> DescribedOption::Flags() const {
  std::vector<std::string> flags;
  for (const std::string* flag : {&short_flag, &long_flag})
    if (!flag->empty()) flags.push_back(*flag);
  return flags;
}

void SetValue(DescribedOption& option, std::string_view type) {
  const std::size_t open = type.find(":{");
  option.value = type.substr(0, open);
  if (open == std::string_view::npos || !type.ends_with('}')) return;
  std::string_view words = type.substr(open + 2, type.size() - open - 3);
  while (!words.empty()) {
    const std::size_t comma = words.find(',');
    option.choices.emplace_back(words.substr(0, comma));
    words.remove_prefix(comma == std::string_view::npos ? words.size() : comma + 1);
  }
}

ValueKind KindOf(std::string_view command, const DescribedOption& option) {
  static constexpr std::array<std::pair<std::string_view, ValueKind>, 8> kKinds = {{
      {"FILE", ValueKind::kFile},
      {"DIR", ValueKind::kFolder},
      {"WORKFLOW", ValueKind::kWorkflow},
      {"RUN", ValueKind::kRun},
      {"RUN|FILE", ValueKind::kAudit},
      {"CODE", ValueKind::kErrorCode},
      {"PLUGIN", ValueKind::kPlugin},
      {"OPERATION", ValueKind::kOperation},
  }};
  if (!option.choices.empty()) return ValueKind::kWords;
  for (const auto& [name, kind] : kKinds) {
    if (name != option.value) continue;
    return kind == ValueKind::kRun && command == "resume" ? ValueKind::kResumable : kind;
  }
  return ValueKind::kText;
}

std::string CompletionScript(const DescribedCommand& program, std::string_view shell) {
  if (shell == "bash") return BashCompletion(program);
  if (shell == "zsh") return ZshCompletion(program);
  if (shell == "fish") return FishCompletion(program);
  return {};
}

}  // namespace awf::cli
