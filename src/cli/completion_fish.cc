// Completion for fish: one `complete` line for each command, flag and operand.
#include "cli/command_description.h"
#include "domain/joined.h"

namespace awf::cli {
namespace {

// Only flags of all commands may stand before a command, so only the values of those have to be stepped over.
constexpr std::string_view kHead = R"fish(# Completion of awf for fish; made by `awf completion fish`.
function __awf_words
    set -l skip no
    for word in (commandline -opc)[2..-1]
        if test $skip = yes
            set skip no
            continue
        end
        switch $word
            case @valued@
                set skip yes
            case '-*'
            case '*'
                echo $word
        end
    end
end

# Whether no command has been written yet.
function __awf_start
    test -z "$(__awf_words)"
end

# Whether the command is this one (one word, or two).
function __awf_at
    set -l words (__awf_words)
    test (count $words) -ge (count $argv); and test "$words[1..$(count $argv)]" = "$argv"
end

# Whether the command is this one and its own command is still to come.
function __awf_before
    set -l words (__awf_words)
    test "$words" = "$argv"
end

complete -c awf -f
)fish";

std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

// -F stands for files, which are off elsewhere.
std::string Candidates(std::string_view command, const DescribedOption& option) {
  switch (KindOf(command, option)) {
    case ValueKind::kText:
      return "";
    case ValueKind::kWords:
      return " -a " + Quoted(Joined(option.choices, " "));
    case ValueKind::kFile:
      return " -F";
    case ValueKind::kFolder:
      return " -a '(__fish_complete_directories)'";
    case ValueKind::kWorkflow:
      return " -F -a '(awf list -f quiet 2>/dev/null)'";
    case ValueKind::kRun:
      return " -a '(awf history -n 100 -f quiet 2>/dev/null)'";
    case ValueKind::kAudit:
      return " -F -a '(awf history -n 100 -f quiet 2>/dev/null)'";
    case ValueKind::kResumable:
      return " -a '(awf resume -l -f quiet 2>/dev/null)'";
    case ValueKind::kErrorCode:
      return " -a '(awf error -f quiet 2>/dev/null)'";
    case ValueKind::kPlugin:
      return " -a '(awf plugin list -f quiet 2>/dev/null)'";
    case ValueKind::kOperation:
      return " -a '(awf plugin list (__awf_words)[3] --operations -f quiet 2>/dev/null)'";
  }
  return "";
}

struct Script {
  std::string text;

  void Line(const std::string& condition, const std::string& rest) {
    text += "complete -c awf" + (condition.empty() ? "" : " -n " + Quoted(condition)) + rest + "\n";
  }

  void Add(const DescribedCommand& described, const std::string& path) {
    const std::string here = path.empty() ? "" : "__awf_at " + path;
    for (const DescribedOption& option : described.options) {
      std::string flags;
      if (!option.short_flag.empty()) flags += " -s " + option.short_flag.substr(1);
      if (!option.long_flag.empty()) flags += " -l " + option.long_flag.substr(2);
      const bool file = KindOf(described.name, option) == ValueKind::kFile;
      if (!option.value.empty()) flags += (file ? " -r" : " -x") + Candidates(described.name, option);
      Line(here, flags + " -d " + Quoted(option.description));
    }
    for (const DescribedOption& operand : described.operands) {
      const std::string candidates = Candidates(described.name, operand);
      if (!candidates.empty()) Line(here, candidates);
    }
    for (const DescribedCommand& inner : described.commands) {
      Line(path.empty() ? "__awf_start" : "__awf_before " + path,
           " -a " + inner.name + " -d " + Quoted(inner.description));
      Add(inner, path.empty() ? inner.name : path + " " + inner.name);
    }
  }
};

}  // namespace

std::string FishCompletion(const DescribedCommand& program) {
  std::string valued;
  for (const DescribedOption& option : program.options) {
    if (option.value.empty()) continue;
    for (const std::string& flag : option.Flags()) valued += (valued.empty() ? "" : " ") + flag;
  }
  std::string head(kHead);
  static constexpr std::string_view kPlace = "@valued@";
  head.replace(head.find(kPlace), kPlace.size(), valued);
  Script script{std::move(head)};
  script.Add(program, "");
  return script.text;
}

}  // namespace awf::cli
