// Completion for zsh, with _arguments: one function for each command.
#include "cli/command_description.h"
#include "domain/joined.h"

namespace awf::cli {
namespace {

constexpr std::string_view kHead = R"zsh(#compdef awf
# Completion of awf for zsh; made by `awf completion zsh`.
_awf_lines() {
  local expl
  local -a lines
  lines=(${(f)"$(command awf "${@[2,-1]}" 2>/dev/null)"})
  _wanted names expl "$1" compadd -a lines
}

_awf_workflow() {
  local ret=1
  _awf_lines workflow list -f quiet && ret=0
  _files -g '*.(yaml|yml)' && ret=0
  return ret
}

# Behind `plugin call`, and the plugin's name behind that.
_awf_operation() {
  _awf_lines operation plugin list "${words[2]}" --operations -f quiet
}

_awf_audit() {
  local ret=1
  _awf_lines run history -n 100 -f quiet && ret=0
  _files && ret=0
  return ret
}
)zsh";

constexpr std::string_view kTail = R"zsh(
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _awf "$@"
else
  compdef _awf awf
fi
)zsh";

// Inside a single-quoted word; `special` characters have a meaning for _arguments and _describe.
std::string Quoted(std::string_view text, std::string_view special) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
      continue;
    }
    if (c == '\\' || special.find(c) != std::string_view::npos) quoted += '\\';
    quoted += c;
  }
  return quoted;
}

// An action that begins with a blank is called as it is, without options for compadd.
std::string Action(std::string_view command, const DescribedOption& option) {
  switch (KindOf(command, option)) {
    case ValueKind::kText:
      return " ";
    case ValueKind::kWords:
      return "(" + Joined(option.choices, " ") + ")";
    case ValueKind::kFile:
      return "_files";
    case ValueKind::kFolder:
      return "_files -/";
    case ValueKind::kWorkflow:
      return " _awf_workflow";
    case ValueKind::kRun:
      return " _awf_lines run history -n 100 -f quiet";
    case ValueKind::kAudit:
      return " _awf_audit";
    case ValueKind::kResumable:
      return " _awf_lines run resume -l -f quiet";
    case ValueKind::kErrorCode:
      return " _awf_lines code error -f quiet";
    case ValueKind::kPlugin:
      return " _awf_lines plugin plugin list -f quiet";
    case ValueKind::kOperation:
      return " _awf_operation";
  }
  return " ";
}

// '(-q --quiet)'{-q,--quiet}'[No progress]'
std::string Spec(std::string_view command, const DescribedOption& option) {
  const std::string value = option.value.empty() ? "" : ":" + Quoted(option.value, ":") + ":" + Action(command, option);
  const std::string rest = "'[" + Quoted(option.description, "[]:") + "]" + value + "'";
  const std::string short_flag = option.short_flag + (option.value.empty() ? "" : "+");
  const std::string long_flag = option.long_flag + (option.value.empty() ? "" : "=");
  if (option.short_flag.empty() || option.long_flag.empty())
    return (option.repeatable ? "'*'" : "") + (option.long_flag.empty() ? short_flag : long_flag) + rest;
  const std::string others = option.repeatable ? "'*'" : "'(" + Joined(option.Flags(), " ") + ")'";
  return others + "{" + short_flag + "," + long_flag + "}" + rest;
}

std::string OperandSpec(std::string_view command, const DescribedOption& operand) {
  return std::string("'") + (operand.required ? ":" : "::") + Quoted(operand.value, ":") + ":" +
         Action(command, operand) + "'";
}

std::string Branches(const DescribedCommand& described, const std::string& function) {
  std::string entries, cases;
  for (const DescribedCommand& inner : described.commands) {
    entries += "    '" + inner.name + ":" + Quoted(inner.description, ":") + "'\n";
    cases += "        " + inner.name + ") " + function + "_" + inner.name + " && ret=0 ;;\n";
  }
  return "  commands=(\n" + entries +
         "  )\n"
         "  _arguments -C $flags '1:command:->command' '*::argument:->argument' && ret=0\n"
         "  case $state in\n"
         "    command) _describe -t commands command commands && ret=0 ;;\n"
         "    argument)\n"
         "      case $words[1] in\n" +
         cases +
         "      esac ;;\n"
         "  esac\n"
         "  return ret\n";
}

std::string Function(const DescribedCommand& described, const std::string& function,
                     const std::vector<DescribedOption>& globals) {
  std::string script;
  for (const DescribedCommand& inner : described.commands)
    script += Function(inner, function + "_" + inner.name, globals);
  script += "\n" + function +
            "() {\n"
            "  local context state state_descr line ret=1\n"
            "  local -A opt_args\n"
            "  local -a flags commands\n"
            "  flags=(\n";
  for (const DescribedOption& option : described.options) script += "    " + Spec(described.name, option) + "\n";
  if (function != "_awf")
    for (const DescribedOption& option : globals)
      if (option.long_flag != "--help" && option.long_flag != "--version") script += "    " + Spec("", option) + "\n";
  for (const DescribedOption& operand : described.operands)
    script += "    " + OperandSpec(described.name, operand) + "\n";
  script += "  )\n";
  script += described.commands.empty() ? "  _arguments $flags\n" : Branches(described, function);
  return script + "}\n";
}

}  // namespace

std::string ZshCompletion(const DescribedCommand& program) {
  return std::string(kHead).append(Function(program, "_awf", program.options)).append(kTail);
}

}  // namespace awf::cli
