// What the command line consists of, without the library that parses it: the one source of shell completions and of the
// manual page. command_line.cc makes it from the definitions that also parse.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace awf::cli {

// A flag, or (with neither flag) an operand.
struct DescribedOption {
  std::string short_flag;            // "-i", or empty
  std::string long_flag;             // "--input", or empty
  std::string description;           // one line without a full stop
  std::string value;                 // what stands for its value in help: FILE, NAME=VALUE; empty: it takes none
  std::vector<std::string> choices;  // words that it takes, as far as they are known beforehand
  bool repeatable = false;
  bool required = false;

  bool IsOperand() const { return short_flag.empty() && long_flag.empty(); }
  // The flags that there are, short first.
  std::vector<std::string> Flags() const;
};

struct DescribedCommand {
  std::string name;  // one word: "run", "serve"; "awf" for the program
  std::string description;
  std::string examples;                   // lines, the first a heading; may be empty
  std::vector<DescribedOption> options;   // those of the program hold for all commands
  std::vector<DescribedOption> operands;  // in order
  std::vector<DescribedCommand> commands;
};

// Takes "LEVEL:{debug,info}", as help shows it, apart into value and choices.
void SetValue(DescribedOption& option, std::string_view type);

// What a value is, as far as completion can offer something for it.
enum class ValueKind {
  kText,
  kWords,
  kFile,
  kFolder,
  kWorkflow,
  kRun,
  kAudit,
  kResumable,
  kErrorCode,
  kPlugin,
  kOperation
};
// `command`: the name of the one that the option or operand belongs to.
ValueKind KindOf(std::string_view command, const DescribedOption& option);

// A script for bash, zsh or fish; empty for another shell.
std::string CompletionScript(const DescribedCommand& program, std::string_view shell);
std::string BashCompletion(const DescribedCommand& program);
std::string ZshCompletion(const DescribedCommand& program);
std::string FishCompletion(const DescribedCommand& program);

// The page awf(1), as roff source.
std::string ManPage(const DescribedCommand& program, std::string_view version);

}  // namespace awf::cli
