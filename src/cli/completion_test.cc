#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/command_description.h"
#include "cli/commands.h"

namespace awf::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

DescribedCommand Sample() {
  const DescribedOption level{"-l", "--level", "It's [the] level: how much", "LEVEL", {"low", "high"}, false, false};
  const DescribedOption file{"", "--file", "A file", "FILE", {}, false, false};
  const DescribedOption quiet{"-q", "--quiet", "No words", "", {}, false, false};
  const DescribedOption input{"-i", "--input", "An input", "NAME=VALUE", {}, true, false};
  const DescribedOption workflow{"", "", "What to run", "WORKFLOW", {}, false, true};
  const DescribedOption run{"", "", "Which run", "RUN", {}, false, false};
  const DescribedOption audit{"", "", "Which audit", "RUN|FILE", {}, false, true};
  return {"awf",
          "Sample",
          "",
          {quiet, level},
          {},
          {{"run", "Run it", "Examples:\n  awf run x", {input, file}, {workflow}, {}},
           {"resume", "Go on", "", {}, {run}, {}},
           {"verify", "Check it", "", {}, {audit}, {}},
           {"mcp", "Serve", "", {}, {}, {{"serve", "Serve now", "", {file}, {}, {}}}}}};
}

TEST(CommandDescription, TheTypeOfAValueIsTakenApart) {
  DescribedOption option;
  SetValue(option, "LEVEL:{low,high}");
  EXPECT_EQ(option.value, "LEVEL");
  EXPECT_THAT(option.choices, testing::ElementsAre("low", "high"));
  DescribedOption plain;
  SetValue(plain, "NAME=VALUE");
  EXPECT_EQ(plain.value, "NAME=VALUE");
  EXPECT_TRUE(plain.choices.empty());
}

TEST(CommandDescription, WhatAValueIsFollowsFromItsNameAndItsCommand) {
  DescribedOption option;
  const auto kind = [&](const char* command, const char* value) {
    option.value = value;
    return KindOf(command, option);
  };
  EXPECT_EQ(kind("run", "FILE"), ValueKind::kFile);
  EXPECT_EQ(kind("", "DIR"), ValueKind::kFolder);
  EXPECT_EQ(kind("run", "WORKFLOW"), ValueKind::kWorkflow);
  EXPECT_EQ(kind("status", "RUN"), ValueKind::kRun);
  EXPECT_EQ(kind("verify", "RUN|FILE"), ValueKind::kAudit);
  EXPECT_EQ(kind("resume", "RUN"), ValueKind::kResumable);
  EXPECT_EQ(kind("error", "CODE"), ValueKind::kErrorCode);
  EXPECT_EQ(kind("check", "PLUGIN"), ValueKind::kPlugin);
  EXPECT_EQ(kind("call", "OPERATION"), ValueKind::kOperation);
  EXPECT_EQ(kind("run", "ID"), ValueKind::kText);
  option.choices = {"a"};
  EXPECT_EQ(kind("run", "FILE"), ValueKind::kWords);
}

TEST(Completion, BashKnowsCommandsFlagsAndValues) {
  const std::string script = CompletionScript(Sample(), "bash");
  EXPECT_THAT(script, HasSubstr("    'run -i' | 'run --input') kind='text' ;;\n"));
  EXPECT_THAT(script, HasSubstr("    'mcp serve --file') kind='file' ;;\n"));
  EXPECT_THAT(script, HasSubstr("    *' -l' | *' --level') kind='words low high' ;;\n"));
  EXPECT_THAT(script, HasSubstr("    'run') flags='--input --file' ;;\n"));
  EXPECT_THAT(script, HasSubstr("  flags+=' --quiet --level'\n"));
  EXPECT_THAT(script, HasSubstr("    ' 0') _awf_value words run resume verify mcp ;;\n"));
  EXPECT_THAT(script, HasSubstr("    'mcp 0') _awf_value words serve ;;\n"));
  EXPECT_THAT(script, HasSubstr("    'run 0') _awf_value workflow ;;\n"));
  EXPECT_THAT(script, HasSubstr("    'resume 0') _awf_value resumable ;;\n"));
  EXPECT_THAT(script, HasSubstr("    'verify 0') _awf_value audit ;;\n"));
  // A flag of the program stands behind those of commands: the first pattern that fits decides.
  EXPECT_LT(script.find("'run -i'"), script.find("*' -l'"));
}

TEST(Completion, ZshAndFishQuoteWhatDescriptionsSay) {
  const std::string zsh = CompletionScript(Sample(), "zsh");
  EXPECT_THAT(zsh, HasSubstr(R"('(-l --level)'{-l+,--level=}'[It'\''s \[the\] level\: how much]:LEVEL:(low high)')"));
  EXPECT_THAT(zsh, HasSubstr("'*'{-i+,--input=}'[An input]:NAME=VALUE: '"));
  EXPECT_THAT(zsh, HasSubstr("':WORKFLOW: _awf_workflow'"));
  EXPECT_THAT(zsh, HasSubstr("':RUN|FILE: _awf_audit'"));
  EXPECT_THAT(zsh, HasSubstr("serve) _awf_mcp_serve && ret=0"));
  const std::string fish = CompletionScript(Sample(), "fish");
  EXPECT_THAT(fish, HasSubstr(R"(complete -c awf -s l -l level -x -a 'low high' -d 'It\'s [the] level: how much')"));
  EXPECT_THAT(fish, HasSubstr("case -l --level\n"));
  EXPECT_THAT(fish, HasSubstr("complete -c awf -n '__awf_before mcp' -a serve -d 'Serve now'\n"));
  EXPECT_THAT(fish, HasSubstr(" -F -a '(awf history -n 100 -f quiet 2>/dev/null)'"));
  EXPECT_EQ(CompletionScript(Sample(), "tcsh"), "");
}

TEST(Completion, PluginsAndTheirOperationsAreAskedForWithoutStartingThem) {
  const DescribedOption plugin{"", "", "Which plugin", "PLUGIN", {}, false, true};
  const DescribedOption operation{"", "", "Which operation", "OPERATION", {}, false, true};
  const DescribedCommand program{
      "awf", "Sample", "",
      {},    {},       {{"plugin", "Plugins", "", {}, {}, {{"call", "Call", "", {}, {plugin, operation}, {}}}}}};
  const std::string bash = CompletionScript(program, "bash");
  EXPECT_THAT(bash, HasSubstr("    'plugin call 0') _awf_value plugin ;;\n"));
  EXPECT_THAT(bash, HasSubstr("    'plugin call 1') _awf_value operation ;;\n"));
  EXPECT_THAT(CompletionScript(program, "zsh"), HasSubstr("':OPERATION: _awf_operation'"));
  EXPECT_THAT(CompletionScript(program, "fish"),
              HasSubstr("(awf plugin list (__awf_words)[3] --operations -f quiet 2>/dev/null)"));
}

TEST(ManPage, EscapesWhatRoffWouldRead) {
  DescribedCommand program = Sample();
  program.commands[0].options[0].description = ".hidden 'word' -x \\n";
  const std::string page = ManPage(program, "1.2.3");
  EXPECT_THAT(page, HasSubstr("\\fB\\-i\\fR, \\fB\\-\\-input\\fR \\fINAME=VALUE\\fR\n"));
  EXPECT_THAT(page, HasSubstr("\n\\&.hidden \\(aqword\\(aq \\-x \\en.\n"));
  EXPECT_THAT(page, HasSubstr("Values: \\fBlow\\fR, \\fBhigh\\fR.\n"));
  EXPECT_THAT(page, HasSubstr(".SS awf mcp serve\n"));
  EXPECT_THAT(page, testing::StartsWith(".TH AWF 1 \"\" \"awf 1.2.3\""));
}

// The real command line, in this process.
std::string PrintedText(std::vector<std::string> words) {
  words.insert(words.begin(), "awf");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  testing::internal::CaptureStdout();
  EXPECT_EQ(CommandLineMain(static_cast<int>(words.size()), argv.data()), 0);
  return testing::internal::GetCapturedStdout();
}

// All commands that `awf --help` lists; `mcp` is its one command.
std::vector<std::vector<std::string>> Commands() {
  std::vector<std::vector<std::string>> commands;
  std::istringstream help(PrintedText({"--help"}));
  bool inside = false;
  for (std::string line; std::getline(help, line);) {
    if (line.empty()) inside = false;
    std::istringstream words(line);
    std::string first;
    if (inside && line.size() > 2 && line[2] != ' ' && words >> first) commands.push_back({first});
    if (line == "Subcommands:") inside = true;
  }
  return commands;
}

std::set<std::string> LongFlags(const std::string& help) {
  std::set<std::string> flags;
  for (std::size_t at = help.find("--"); at != std::string::npos; at = help.find("--", at)) {
    std::size_t end = at + 2;
    while (end < help.size() && (std::islower(static_cast<unsigned char>(help[end])) != 0 || help[end] == '-')) ++end;
    const bool definition = at > 0 && (help[at - 1] == ' ' || help[at - 1] == ',') && end > at + 2;
    if (definition) flags.insert(help.substr(at, end - at));
    at = end;
  }
  return flags;
}

std::string InRoff(const std::string& flag) {
  std::string escaped;
  for (const char c : flag) escaped += c == '-' ? "\\-" : std::string(1, c);
  return escaped;
}

TEST(ManPage, HasEveryCommandAndEveryFlag) {
  const std::string page = PrintedText({"man"});
  const auto commands = Commands();
  ASSERT_GE(commands.size(), 12U);
  for (const auto& command : commands) {
    EXPECT_THAT(page, HasSubstr(".SS awf " + InRoff(command[0]))) << command[0];
    for (const std::string& flag : LongFlags(PrintedText({command[0], "--help"})))
      EXPECT_THAT(page, HasSubstr(InRoff(flag))) << command[0];
  }
  for (const std::string& flag : LongFlags(PrintedText({"--help"}))) EXPECT_THAT(page, HasSubstr(InRoff(flag)));
  for (const char c : page) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << "not ASCII";
}

TEST(ManPage, HasEveryEnvironmentVariableOfTheDocumentation) {
  const std::string page = PrintedText({"man"});
  std::ifstream file(std::filesystem::path(std::getenv("AWF_SOURCE_DIR")) / "docs/command-line.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string docs = text.str();
  int variables = 0;
  for (std::size_t at = docs.find("`AWF_"); at != std::string::npos; at = docs.find("`AWF_", at + 1)) {
    const std::string name = docs.substr(at + 1, docs.find_first_of("`=", at + 1) - at - 1);
    ++variables;
    EXPECT_THAT(page, HasSubstr(name));
  }
  EXPECT_GE(variables, 7);
}

TEST(Completion, OfTheRealCommandLineHasEveryCommandAndFlag) {
  const auto commands = Commands();
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = PrintedText({"completion", shell});
    for (const auto& command : commands) EXPECT_THAT(script, HasSubstr(command[0])) << shell;
    const std::string dashes = std::string(shell) == "fish" ? "-l " : "--";
    for (const std::string& flag : LongFlags(PrintedText({"run", "--help"})))
      EXPECT_THAT(script, HasSubstr(dashes + flag.substr(2))) << shell;
    EXPECT_THAT(script, HasSubstr("debug")) << shell;
    EXPECT_THAT(script, HasSubstr("cancelled")) << shell;
    EXPECT_THAT(script, Not(HasSubstr("@valued@")));
  }
}

TEST(CommandLineVersion, TheCommandIsTheFlag) { EXPECT_EQ(PrintedText({"version"}), PrintedText({"--version"})); }

TEST(ManPage, TheExamplesOfACommandAreItsOwn) {
  const std::string page = PrintedText({"man"});
  const auto section = [&page](const std::string& heading) {
    const std::size_t begin = page.find(".SS " + heading + "\n");
    EXPECT_NE(begin, std::string::npos) << heading;
    return page.substr(begin, page.find("\n.S", begin) - begin);
  };
  const std::string serve = section("awf mcp serve");
  EXPECT_THAT(serve, HasSubstr("\n.EX\n  awf mcp serve \\-\\-root .\n"));
  EXPECT_THAT(serve, HasSubstr("\n  read\\-only        read anywhere, write nothing\n"));
  for (const char* command : {"awf mcp serve", "awf list", "awf demo", "awf version"})
    EXPECT_THAT(section(command), Not(HasSubstr("awf validate my.yaml"))) << command;
}

}  // namespace
}  // namespace awf::cli
