// Completion for bash. It needs no other package (bash-completion only loads it by itself).
#include "cli/command_description.h"
#include "domain/joined.h"

namespace awf::cli {
namespace {

// Names of workflows and runs come from files, so they are compared as text and never handed to `compgen -W`, which
// would expand them.
constexpr std::string_view kHead = R"(# Completion of awf for bash; made by `awf completion bash`.
_awf_lines() {
  local line
  while IFS= read -r line; do
    [[ $line == "$cur"* ]] && COMPREPLY+=("$line")
  done
}

_awf_files() {
  local -a files
  mapfile -t files < <(compgen "$@" -- "$cur")
  COMPREPLY+=("${files[@]}")
  compopt -o filenames 2>/dev/null
}

_awf_value() {
  case $1 in
    words) shift; _awf_lines < <(printf '%s\n' "$@") ;;
    file) _awf_files -f ;;
    folder) _awf_files -d ;;
    workflow)
      _awf_lines < <("$program" list -f quiet 2>/dev/null)
      _awf_files -f -X '!*.yaml'
      _awf_files -f -X '!*.yml'
      _awf_files -d
      ;;
    run) _awf_lines < <("$program" history -n 100 -f quiet 2>/dev/null) ;;
    audit)
      _awf_value run
      _awf_files -f
      ;;
    resumable) _awf_lines < <("$program" resume -l -f quiet 2>/dev/null) ;;
    code) _awf_lines < <("$program" error -f quiet 2>/dev/null) ;;
    plugin) _awf_lines < <("$program" plugin list -f quiet 2>/dev/null) ;;
    operation) _awf_lines < <("$program" plugin list "$first" --operations -f quiet 2>/dev/null) ;;
  esac
}
)";

constexpr std::string_view kWalk = R"(
_awf() {
  local program=${1/#\~/$HOME} cur=${COMP_WORDS[COMP_CWORD]} command='' kind='' flags='' first='' word i
  local -i operands=0
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == '=' ]]; then
      continue
    elif [[ -n $kind ]]; then
      kind=
    elif [[ $word == -* ]]; then
      _awf_flag "$word"
    elif _awf_is_command "$command $word"; then
      command=${command:+$command }$word
    else
      ((operands)) || first=$word
      operands+=1
    fi
  done
  [[ $cur == '=' ]] && cur=
  if [[ -n $kind ]]; then
    # shellcheck disable=SC2086  # words without blanks and patterns
    _awf_value $kind
  elif [[ $cur == -* ]]; then
    _awf_flags
    # shellcheck disable=SC2086
    _awf_value words $flags
  else
    _awf_operand
  fi
}

complete -F _awf awf
)";

std::string ValueWords(std::string_view command, const DescribedOption& option) {
  switch (KindOf(command, option)) {
    case ValueKind::kText:
      return "text";
    case ValueKind::kWords:
      return "words " + Joined(option.choices, " ");
    case ValueKind::kFile:
      return "file";
    case ValueKind::kFolder:
      return "folder";
    case ValueKind::kWorkflow:
      return "workflow";
    case ValueKind::kRun:
      return "run";
    case ValueKind::kAudit:
      return "audit";
    case ValueKind::kResumable:
      return "resumable";
    case ValueKind::kErrorCode:
      return "code";
    case ValueKind::kPlugin:
      return "plugin";
    case ValueKind::kOperation:
      return "operation";
  }
  return "text";
}

std::string LongFlags(const std::vector<DescribedOption>& options) {
  std::string flags;
  for (const DescribedOption& option : options)
    flags += (flags.empty() ? "" : " ") + (option.long_flag.empty() ? option.short_flag : option.long_flag);
  return flags;
}

// The bodies of the four `case` statements, filled in one walk over the commands.
struct Cases {
  std::string flag, command, flags, operand;

  // `path`: "", "run", "mcp serve".
  void Add(const DescribedCommand& described, const std::string& path) {
    const std::string pattern = path.empty() ? "*' " : "'" + path + " ";
    for (const DescribedOption& option : described.options) {
      if (option.value.empty()) continue;
      std::string patterns;
      for (const std::string& name : option.Flags())
        patterns.append(patterns.empty() ? "" : " | ").append(pattern).append(name).append("'");
      AddFlag(path.empty(), "    " + patterns + ") kind='" + ValueWords(described.name, option) + "' ;;\n");
    }
    if (!path.empty()) flags += "    '" + path + "') flags='" + LongFlags(described.options) + "' ;;\n";
    std::string names;
    for (const DescribedCommand& inner : described.commands) {
      names += " " + inner.name;
      command += "    '" + path + " " + inner.name + "') return 0 ;;\n";
      Add(inner, path.empty() ? inner.name : path + " " + inner.name);
    }
    if (!names.empty()) operand += "    '" + path + " 0') _awf_value words" + names + " ;;\n";
    int position = 0;
    for (const DescribedOption& each : described.operands) {
      operand += "    '" + path + " " + std::to_string(position++) + "') _awf_value ";
      operand += ValueWords(described.name, each) + " ;;\n";
    }
  }

 private:
  // A command's own flag of the same name goes before the program's.
  void AddFlag(bool of_program, const std::string& line) {
    if (of_program)
      flag.append(line);
    else
      flag.insert(0, line);
  }
};

std::string CaseFunction(const std::string& name, const std::string& subject, const std::string& body) {
  return "\n" + name + "() {\n  case " + subject + " in\n" + body + "  esac\n";
}

}  // namespace

std::string BashCompletion(const DescribedCommand& program) {
  Cases cases;
  cases.Add(program, "");
  std::string script(kHead);
  script += CaseFunction("_awf_flag", "\"$command $1\"", cases.flag) + "}\n";
  script += CaseFunction("_awf_is_command", "$1", cases.command) + "  return 1\n}\n";
  script += CaseFunction("_awf_flags", "$command", cases.flags);
  script += "  flags+=' " + LongFlags(program.options) + "'\n}\n";
  script += CaseFunction("_awf_operand", "\"$command $operands\"", cases.operand) + "}\n";
  return script.append(kWalk);
}

}  // namespace awf::cli
