#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "domain/test_folder.h"

namespace awf::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// The command line in this process: what needs no run of its own.
class CommandLineTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* variable : {"AWF_CONFIG_PATH", "AWF_LOG_LEVEL", "AWF_LOG_FORMAT", "AWF_STORAGE"})
      ::unsetenv(variable);
    ::setenv("XDG_CONFIG_HOME", (folder_ / "config").c_str(), 1);
  }
  void TearDown() override { ::unsetenv("XDG_CONFIG_HOME"); }

  int Awf(std::vector<std::string> words) {
    words.insert(words.begin(), "awf");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int exit_code = CommandLineMain(static_cast<int>(words.size()), argv.data());
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return exit_code;
  }
  // Details and hint of a refusal.
  std::string Refused(const std::vector<std::string>& words) {
    EXPECT_EQ(Awf(words), 1);
    EXPECT_THAT(err_, StartsWith("Error: USER.INPUT.INVALID_FORMAT\nDetails: "));
    return err_.substr(err_.find("Details: ") + 9);
  }
  std::string File(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  const TestFolder folder_;
  std::string out_, err_;
};

TEST_F(CommandLineTest, TheAuditNeedsACommand) {
  EXPECT_EQ(Refused({"audit"}), "audit needs a command\nHint: see awf audit --help\n");
  EXPECT_EQ(Refused({"audit", "verfy", "r"}), "unknown command or flag: 'verfy'\nHint: did you mean verify?\n");
  EXPECT_EQ(Refused({"audit", "verify", "r", "--haed", "x"}),
            "unknown argument: '--haed', 'x'\nHint: did you mean --head?\n");
}

TEST_F(CommandLineTest, WhatIsPlannedIsNotSupportedYet) {
  EXPECT_EQ(Refused({"prune"}), "awf prune is not supported yet\nHint: see awf --help\n");
  EXPECT_EQ(Refused({"run", "w.yaml", "--interactive"}),
            "--interactive is not supported yet\nHint: see awf run --help\n");
  EXPECT_EQ(Refused({"run", "w.yaml", "-b", "build"}), "-b is not supported yet\nHint: see awf run --help\n");
  EXPECT_EQ(Refused({"validate", "w.yaml", "--validator-timeout", "5s"}),
            "--validator-timeout is not supported yet\nHint: see awf validate --help\n");
  EXPECT_EQ(Refused({"run", "w.yaml", "-f", "github"}),
            "--format github is not supported yet\nHint: use text, json, table or quiet\n");
}

TEST_F(CommandLineTest, WhatIsMisspeltIsToldWithWhatWasMeant) {
  EXPECT_EQ(Refused({"rum", "w.yaml"}), "unknown command or flag: 'rum'\nHint: did you mean run?\n");
  EXPECT_EQ(Refused({"run", "w.yaml", "--strcit"}), "unknown argument: '--strcit'\nHint: did you mean --strict?\n");
  EXPECT_EQ(Refused({"list", "-f", "jsno"}),
            "--format: there is no format 'jsno'\nHint: use text, json, table or quiet\n");
  EXPECT_EQ(Refused({"run", "w.yaml", "-i", "novalue"}),
            "-i: 'novalue' is not NAME=VALUE\nHint: example: -i path=src\n");
  EXPECT_EQ(Refused({"validate"}), "validate needs a workflow, or --dir\nHint: see awf validate --help\n");
  EXPECT_EQ(Awf({"rum", "-f", "json"}), 1);
  EXPECT_THAT(out_, StartsWith(R"({"success":false,"error":{"code":"USER.INPUT.INVALID_FORMAT")"));
}

TEST_F(CommandLineTest, NumbersAndPartsOfCommandsAreRefusedInPlainWords) {
  EXPECT_EQ(Refused({"history", "-n", "-1"}), "-n: the number is negative\nHint: 0 shows all runs\n");
  EXPECT_EQ(Refused({"history", "-n", "x"}), "-n needs a whole number\nHint: see awf history --help\n");
  EXPECT_EQ(Refused({"history", "-s", "faild"}), "--status: there is no status 'faild'\nHint: did you mean failed?\n");
  EXPECT_EQ(Refused({"mcp"}), "mcp needs a command\nHint: see awf mcp --help\n");
  EXPECT_EQ(Refused({"mcp", "srve"}), "unknown command or flag: 'srve'\nHint: did you mean serve?\n");
  EXPECT_EQ(Awf({"history", "-n", "0", "--storage", (folder_ / "none").string()}), 0);
}

TEST_F(CommandLineTest, AWordThatIsNoneOfTheChoicesIsRefusedWithThem) {
  EXPECT_EQ(Refused({"completion", "bsh"}),
            "the shell must be bash, zsh or fish, not 'bsh'\nHint: did you mean bash?\n");
  EXPECT_EQ(Refused({"list", "promts"}), "what is listed must be prompts, not 'promts'\nHint: did you mean prompts?\n");
  EXPECT_EQ(Refused({"demo", "--provider", "cladue"}),
            "--provider must be openai_compatible or claude, not 'cladue'\nHint: did you mean claude?\n");
  EXPECT_EQ(Refused({"list", "--log-level", "loud"}),
            "--log-level must be debug, info, warn or error, not 'loud'\nHint: see awf list --help\n");
}

// What ends before the protocol is taken over: nothing of it may reach stdout.
TEST_F(CommandLineTest, FlagsOfMcpServeHoldOrAreRefused) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--storage", "D", "mcp", "serve"},
       "--storage has no effect on mcp serve, which keeps no records of runs\n"
       "Hint: leave --storage out; --log FILE keeps the calls\n"},
      {{"mcp", "serve", "--config", "F"},
       "--config has no effect on mcp serve, which reads no configuration\nHint: leave --config out\n"},
      {{"-q", "mcp", "serve", "--log-format", "text"},
       "--log-format text is not possible: the lines of mcp serve are JSON\nHint: leave --log-format out\n"},
      {{"-q", "mcp", "serve", "--root", "/nonexistent-folder"},
       "--root /nonexistent-folder: No such file or directory\nHint: see awf mcp serve --help\n"},
      {{"mcp", "serve", "--root", ""}, "--root needs a value\nHint: see awf mcp serve --help\n"},
      {{"mcp", "serve", "--root="}, "--root needs a value\nHint: see awf mcp serve --help\n"},
      {{"mcp", "serve", "--log"}, "--log needs a value\nHint: see awf mcp serve --help\n"},
      {{"mcp", "serve", "--sandbox", "loose"},
       "--sandbox must be workspace-write, read-only, strict or off, not 'loose'\nHint: see awf mcp serve --help\n"},
      {{"mcp", "serve", "--rot", "x"}, "unknown argument: '--rot', 'x'\nHint: did you mean --root?\n"},
  };
  for (const auto& [words, told] : cases) {
    EXPECT_EQ(Refused(words), told);
    EXPECT_EQ(out_, "");
  }
  EXPECT_EQ(Awf({"-f", "json", "mcp", "serve", "--root", "/nonexistent-folder"}), 1);
  EXPECT_THAT(out_, StartsWith(R"({"success":false,"error":{"code":"USER.INPUT.INVALID_FORMAT")"));
  EXPECT_EQ(err_, "");
}

TEST_F(CommandLineTest, HelpIsACommandToo) {
  const auto help = [this](const std::vector<std::string>& words) {
    EXPECT_EQ(Awf(words), 0);
    return out_;
  };
  EXPECT_EQ(help({"help"}), help({"--help"}));
  EXPECT_EQ(help({"help", "run"}), help({"run", "--help"}));
  EXPECT_EQ(help({"-q", "help", "mcp", "serve"}), help({"mcp", "serve", "--help"}));
  EXPECT_THAT(out_, HasSubstr("--sandbox"));
  EXPECT_EQ(help({"-q", "mcp", "serve", "--help"}), help({"mcp", "serve", "--help"}));
  EXPECT_EQ(Refused({"help", "rum"}), "unknown command or flag: 'rum'\nHint: did you mean run?\n");
  EXPECT_EQ(Refused({"help", "audit", "verfy"}), "unknown command or flag: 'verfy'\nHint: did you mean verify?\n");
  EXPECT_EQ(Refused({"help", "diagram"}), "awf diagram is not supported yet\nHint: see awf --help\n");
}

TEST_F(CommandLineTest, ARunCanEndWithATableOfItsStates) {
  const std::string file = File("w.yaml", "name: w\nstates:\n  initial: end\n  end: {type: terminal}\n");
  const std::string store = (folder_ / "store").string();
  EXPECT_EQ(Awf({"run", file, "-q", "-f", "table", "--run-id", "one", "--storage", store}), 0);
  EXPECT_THAT(out_, testing::MatchesRegex("state  type      status   runs  attempts  duration  error\n"
                                          "end    terminal  success     1         1 +[0-9.]+ m?s\n"));
  // The time that it took is what the records say.
  const std::string table = out_;
  EXPECT_EQ(Awf({"status", "one", "-f", "table", "--storage", store}), 0);
  EXPECT_EQ(out_, table);
}

TEST_F(CommandLineTest, HelpTeaches) {
  EXPECT_EQ(Awf({}), 0);
  EXPECT_THAT(out_, HasSubstr("awf demo "));
  for (const char* command : {"run", "validate", "resume", "history", "status", "schema", "error"}) {
    EXPECT_EQ(Awf({command, "--help"}), 0) << command;
    EXPECT_THAT(out_, HasSubstr("Example")) << command;
  }
  const std::string file = File("w.yaml",
                                "name: w\ninputs: [{name: target, required: true}]\n"
                                "states:\n  initial: end\n  end: {type: terminal}\n");
  EXPECT_EQ(Awf({"run", file, "--help"}), 0);
  EXPECT_THAT(out_, HasSubstr("\nWorkflow w (" + file + ")\n"));
  EXPECT_THAT(out_, HasSubstr("target  string, required"));
  EXPECT_EQ(Awf({"run", (folder_ / "none.yaml").string(), "--help"}), 1);
  EXPECT_THAT(err_, StartsWith("Error: USER.WORKFLOW.NOT_FOUND\n"));
}

TEST_F(CommandLineTest, AConfigurationThatIsWrongBlocksWithItsPlace) {
  const std::string config = File("config.yaml", "storage: x\nlogg: {level: info}\n");
  const std::string file = File("w.yaml", "name: w\nstates:\n  initial: end\n  end: {type: terminal}\n");
  EXPECT_EQ(Awf({"run", file, "--config", config}), 1);
  EXPECT_THAT(err_, StartsWith("Error: USER.CONFIG.INVALID\n"));
  EXPECT_THAT(err_, HasSubstr(config + ":2:1)"));
  EXPECT_THAT(err_, HasSubstr("did you mean 'log'?"));
  EXPECT_EQ(Awf({"validate", file, "--config", config}), 1);
  EXPECT_THAT(err_, HasSubstr(config + ":2:1)"));
}

TEST_F(CommandLineTest, FlagsWinOverEnvironmentOverConfiguration) {
  const std::string config = File("config.yaml", "storage: " + (folder_ / "configured").string() + "\n");
  EXPECT_EQ(Awf({"history", "--config", config, "-f", "json"}), 0);
  const std::string file = File("w.yaml", "name: w\nstates:\n  initial: end\n  end: {type: terminal}\n");
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"run", file, "-q", "--config", config};
    words.insert(words.end(), more.begin(), more.end());
    return Awf(words);
  };
  EXPECT_EQ(run({}), 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "configured" / "runs"));
  ::setenv("AWF_STORAGE", (folder_ / "environment").c_str(), 1);
  EXPECT_EQ(run({}), 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "environment" / "runs"));
  EXPECT_EQ(run({"--storage", (folder_ / "flag").string()}), 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "flag" / "runs"));
  ::unsetenv("AWF_STORAGE");
  ::setenv("AWF_LOG_LEVEL", "loud", 1);
  EXPECT_EQ(run({}), 1);
  ::unsetenv("AWF_LOG_LEVEL");
  EXPECT_THAT(err_, HasSubstr("Details: AWF_LOG_LEVEL is 'loud'\nHint: use debug, info, warn or error\n"));
}

TEST_F(CommandLineTest, ADryRunStartsAndWritesNothing) {
  const std::string file =
      File("w.yaml",
           "name: w\ninputs: [{name: pin, secret: true, default: canary-12345}]\n"
           "states:\n  initial: a\n  a: {type: step, command: 'touch " +
               (folder_ / "made").string() + " {{.inputs.pin}}', on_success: end}\n  end: {type: terminal}\n");
  const std::string storage = (folder_ / "store").string();
  EXPECT_EQ(Awf({"run", file, "--dry-run", "--storage", storage}), 0);
  EXPECT_THAT(out_, HasSubstr("\na (step)\n  command: touch " + (folder_ / "made").string() + " ***\n"));
  EXPECT_THAT(out_, HasSubstr("  input pin: ***\n"));
  EXPECT_EQ(Awf({"run", file, "--dry-run", "-f", "json", "--storage", storage}), 0);
  EXPECT_THAT(out_, HasSubstr(R"("dry_run":true,"inputs":{"pin":"***"},"states":[{"name":"a",)"));
  EXPECT_THAT(out_, testing::Not(HasSubstr("canary-12345")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "made"));
  EXPECT_FALSE(std::filesystem::exists(storage));
}

}  // namespace
}  // namespace awf::cli
