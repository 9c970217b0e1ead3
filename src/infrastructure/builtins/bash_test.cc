#include "infrastructure/builtins/bash.h"

#include <gmock/gmock.h>

#include <thread>

#include "infrastructure/builtins/test_workspace.h"
#include "infrastructure/builtins/tool_fixture_for_tests.h"
#include "infrastructure/process/process_test_support.h"

namespace awf::builtins {
namespace {

using process::Eventually;
using process::MarkedProcesses;
using process::UniqueSleep;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class BashTest : public process::ProcessTest {
 protected:
  BashTest() {
    settings_ = workspace_.Settings();
    settings_.environment.emplace_back("PATH=/usr/local/bin:/usr/bin:/bin");
    settings_.environment.emplace_back("LANG=C.UTF-8");
  }
  void TearDown() override {
    child_.reset();
    process::ProcessTest::TearDown();
  }

  ToolResult Call(const json::object& arguments, Deadline deadline = {}, std::stop_token cancelled = {}) {
    const BashTool tool(settings_, child_);
    return tool.Call(ToolCall{"0123456789abcdef", "Bash", arguments, deadline, std::move(cancelled)});
  }
  // The text of a call that must succeed.
  std::string Good(const json::object& arguments) {
    const ToolResult result = Call(arguments);
    EXPECT_FALSE(result.is_error) << TextOf(result);
    return TextOf(result);
  }
  std::string Good(const std::string& command) { return Good({{"command", command}}); }
  // The text of a call that must fail.
  std::string Bad(const json::object& arguments) {
    const ToolResult result = Call(arguments);
    EXPECT_TRUE(result.is_error) << TextOf(result);
    return TextOf(result);
  }
  std::string Bad(const std::string& command) { return Bad({{"command", command}}); }

  TestWorkspace workspace_;
  ToolSettings settings_;
  std::shared_ptr<CommandChild> child_ = std::make_shared<CommandChild>(CommandChildOptions{});
};

TEST_F(BashTest, DefinitionIsAsAgreed) {
  const ToolDefinition definition = BashTool(settings_, child_).Definition();
  EXPECT_EQ(definition.name, "Bash");
  EXPECT_EQ(definition.source, kBuiltinSource);
  EXPECT_LT(definition.description.size(), 2048U);
  std::vector<std::string> names;
  for (const auto& property : definition.input_schema.at("properties").as_object()) names.emplace_back(property.key());
  EXPECT_THAT(names, ElementsAre("command", "working_dir", "timeout", "description"));
  EXPECT_EQ(definition.input_schema.at("required"), json::value({"command"}));
  EXPECT_EQ(definition.annotations.read_only, false);
  EXPECT_EQ(definition.annotations.destructive, true);
  EXPECT_EQ(definition.annotations.idempotent, false);
  EXPECT_EQ(definition.annotations.open_world, true);
  EXPECT_TRUE(definition.rules.hidden.contains("run_in_background"));
  EXPECT_EQ(definition.input_schema.at("properties").at("timeout").at("minimum"), 1);
  EXPECT_THAT(definition.rules.ignored, ::testing::Contains("description"));
  EXPECT_THAT(definition.rules.ignored, Not(::testing::Contains("run_in_background")));
}

TEST_F(BashTest, ShowsOutputErrorsAndCode) {
  EXPECT_EQ(Good("echo hi"), "hi");
  EXPECT_EQ(Good("echo warn >&2"), "stderr:\nwarn");
  EXPECT_EQ(Good("true"), "(no output)");
  EXPECT_EQ(Bad("exit 3"), "exit_code: 3");
  EXPECT_EQ(Bad("echo OUT; echo ERR >&2; exit 3"), "OUT\nstderr:\nERR\nexit_code: 3");
  EXPECT_THAT(Bad("no_such_program_here"), AllOf(HasSubstr("not found"), EndsWith("\nexit_code: 127")));
}

TEST_F(BashTest, FillsTheFieldsOfTheRecord) {
  const ToolResult failed = Call({{"command", "echo OUT; echo first >&2; echo last >&2; exit 2"}});
  EXPECT_EQ(failed.fields.exit_code, 2);
  EXPECT_EQ(failed.fields.log_error, "command exited with code 2: last");
  EXPECT_EQ(failed.fields.structured, (json::object{{"stdout", "OUT"}, {"stderr", "first\nlast"}, {"exit_code", 2}}));
  const ToolResult fine = Call({{"command", "echo OUT"}});
  EXPECT_EQ(fine.fields.exit_code, 0);
  EXPECT_EQ(fine.fields.log_error, "");
  EXPECT_FALSE(fine.fields.truncated);
}

TEST_F(BashTest, NamesTheSignal) {
  EXPECT_EQ(Bad("echo partial; kill -9 $$"), "partial\nexit_code: 137 (SIGKILL)");
  EXPECT_EQ(Bad("echo a; kill -TERM 0; sleep 5"), "a\nexit_code: 143 (SIGTERM)");
  EXPECT_EQ(Call({{"command", "kill -9 $$"}}).fields.exit_code, 137);
}

TEST_F(BashTest, EndsWithTheShellNotWithItsPipes) {
  const std::string mark = UniqueSleep();
  EXPECT_EQ(Good("sleep " + mark + " & echo one"), "one");
  EXPECT_EQ(Good("setsid sleep " + mark + " & echo two"), "two");
  EXPECT_EQ(Good("sleep " + mark + " </dev/null >/dev/null & echo three"), "three");
  EXPECT_THAT(Good("(while :; do echo tick; sleep 0.01; done) & sleep 0.05; echo fore"), HasSubstr("fore"));
  EXPECT_EQ(MarkedProcesses(mark).size(), 3U);  // they live on
  child_.reset();
  EXPECT_TRUE(MarkedProcesses(mark).empty());
}

TEST_F(BashTest, WhatWasStartedInTheBackgroundOutlivesTheCall) {
  Good("sleep 300 & echo $! > pid");
  EXPECT_EQ(Good("kill -0 $(cat pid) && echo alive; kill $(cat pid)"), "alive");
}

TEST_F(BashTest, HasNoInputNoTerminalNoForeignDescriptors) {
  EXPECT_EQ(Good("cat; echo rc=$?; read x; echo read=$?"), "rc=0\nread=1");
  EXPECT_THAT(Good("cat /dev/tty 2>&1 | head -1; tty; echo end"), EndsWith("not a tty\nend"));
  EXPECT_EQ(Good("ls /proc/self/fd | tr '\\n' ' '"), "0 1 2 3 ");  // 3 is the folder that ls reads
}

TEST_F(BashTest, SignalsAreAsInAFreshShell) {
  EXPECT_EQ(Good("grep -E '^Sig(Blk|Ign)' /proc/self/status"), "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000");
  EXPECT_EQ(Good("yes | head -1; echo ${PIPESTATUS[0]}"), "y\n141");
}

TEST_F(BashTest, TimeoutEndsTheTreeAndKeepsTheOutput) {
  const std::string mark = UniqueSleep();
  const ToolResult result = Call(
      {{"command", "echo o1; echo e1 >&2; setsid -f sleep " + mark + "; bash -c 'sleep " + mark + " | cat'; echo no"},
       {"timeout", 1500}});
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(TextOf(result), "o1\nstderr:\ne1\ntimed out after 1500 ms; the command and its children were ended");
  EXPECT_TRUE(result.fields.timed_out);
  EXPECT_EQ(result.fields.log_error, "timeout after 1500 ms");
  EXPECT_FALSE(result.fields.exit_code.has_value());
  EXPECT_TRUE(MarkedProcesses(mark).empty());
}

TEST_F(BashTest, TimeoutReachesJobsInGroupsOfTheirOwn) {
  const std::string mark = UniqueSleep();
  EXPECT_THAT(Bad({{"command", "set -m; sleep " + mark + " & wait"}, {"timeout", 300}}), HasSubstr("timed out"));
  EXPECT_TRUE(MarkedProcesses(mark).empty());
}

TEST_F(BashTest, WhoIgnoresTheFirstSignalIsKilled) {
  EXPECT_EQ(Bad({{"command", "trap '' TERM; while :; do sleep 0.2; done"}, {"timeout", 100}}),
            "timed out after 100 ms; the command and its children were ended");
}

TEST_F(BashTest, EndlessOutputIsCutAndEndsInTime) {
  const ToolResult result = Call({{"command", "yes"}, {"timeout", 1500}});
  EXPECT_TRUE(result.is_error);
  EXPECT_THAT(TextOf(result), AllOf(StartsWith("y\ny\n"), HasSubstr("characters cut ...]\n"), HasSubstr("timed out")));
  EXPECT_LE(TextOf(result).size(), 10'000U);
  EXPECT_TRUE(result.fields.truncated);
}

TEST_F(BashTest, CancellationEndsTheTree) {
  const std::string mark = UniqueSleep();
  std::stop_source stop;
  std::jthread canceller([&] {
    EXPECT_TRUE(Eventually([&] { return !MarkedProcesses(mark).empty(); }));
    stop.request_stop();
  });
  const ToolResult result = Call({{"command", "echo early; exec sleep " + mark}}, {}, stop.get_token());
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(TextOf(result), "early\ncancelled; the command and its children were ended");
  EXPECT_TRUE(MarkedProcesses(mark).empty());
}

TEST_F(BashTest, MakesTheCacheFolderBeforeTheFirstCommand) {
  const auto cache = workspace_.home() / "deep/cache";
  settings_.environment.push_back("XDG_CACHE_HOME=" + cache.string());
  EXPECT_EQ(Good("echo x > $XDG_CACHE_HOME/f && stat -c %a $XDG_CACHE_HOME"), "700");
  std::filesystem::remove_all(workspace_.home() / "deep");
  settings_.sandbox.mode = SandboxMode::kReadOnly;
  Good("true");
  settings_.sandbox.mode = SandboxMode::kOff;
  Good("true");
  EXPECT_FALSE(std::filesystem::exists(workspace_.home() / "deep"));
}

TEST_F(BashTest, TimeoutBeyondTheCeilingIsCutAndTold) {
  EXPECT_EQ(Good({{"command", "echo ok"}, {"timeout", 99999999}}), "ok\n\n[timeout 99999999 ms was cut to 600000 ms]");
}

TEST_F(BashTest, TheStepsDeadlineIsTheCeiling) {
  const Deadline soon = SteadyClock::now() + milliseconds{300};
  const std::string text = TextOf(Call({{"command", "sleep 300"}, {"timeout", 60'000}}, soon));
  EXPECT_THAT(text, AllOf(StartsWith("timed out after "), HasSubstr("\n\n[timeout 60000 ms was cut to ")));
  settings_.deadline = SteadyClock::now() + milliseconds{200};
  EXPECT_THAT(Bad("sleep 300"), HasSubstr("\n\n[timeout 120000 ms was cut to "));
  settings_.deadline = SteadyClock::now() + std::chrono::seconds{60};
  EXPECT_EQ(Good("echo quick"), "quick");  // nobody asked for 120 s
}

TEST_F(BashTest, LongOutputKeepsHeadAndTail) {
  const std::string text = Good("echo FIRST; yes 0123456789 | head -c 5000000; echo LASTLINE");
  EXPECT_THAT(text,
              AllOf(StartsWith("FIRST\n"), EndsWith("LASTLINE"), HasSubstr("\n[... 4970015 characters cut ...]\n")));
  EXPECT_LE(text.size(), 30'100U);
}

TEST_F(BashTest, BudgetsOfTheStepScaleTheCut) {
  settings_.budget = {.characters = 4'000, .bytes = 4'000, .error = 1'000};
  EXPECT_LE(Good("head -c 100000 /dev/zero | tr '\\0' x").size(), 3'100U);
  EXPECT_LE(Bad("head -c 100000 /dev/zero | tr '\\0' x; exit 1").size(), 1'000U);
  EXPECT_THAT(Bad("head -c 100000 /dev/zero | tr '\\0' x; exit 1"), EndsWith("\nexit_code: 1"));
}

TEST_F(BashTest, LinesOfTheBudgetCutTheMiddle) {
  settings_.budget.lines = 42;
  EXPECT_EQ(Good("seq 30"), Good("seq 29") + "\n30");
  EXPECT_EQ(Good("seq 100"), Good("seq 10") + "\n[... 210 characters cut ...]\n" + Good("seq 81 100"));
  const std::string both = Bad("seq 100; seq 101 200 >&2; exit 3");
  EXPECT_THAT(both, AllOf(StartsWith("1\n"), HasSubstr("\n100\nstderr:\n101\n102\n103\n[... "),
                          EndsWith("\n199\n200\nexit_code: 3")));
  EXPECT_LE(std::ranges::count(both, '\n'), 41);
}

TEST_F(BashTest, TextIsValidWhateverIsPrinted) {
  EXPECT_EQ(Good("printf 'a\\0b\\n'"), "a\uFFFDb");
  EXPECT_EQ(Good("printf 'caf\\351\\n'"), "caf\uFFFD");
  EXPECT_EQ(Good("printf 'x \\342'; sleep 0.1; printf '\\200\\224 y\\n'"), "x \u2014 y");
  EXPECT_EQ(Good("printf '\\033[31mred\\033[0m\\033]0;title\\007 plain\\n'"), "red plain");
}

TEST_F(BashTest, WorkingFolders) {
  workspace_.Put("sub/file", "x");
  EXPECT_EQ(Good("pwd"), workspace_.root().string());
  EXPECT_EQ(Good({{"command", "pwd"}, {"working_dir", "sub"}}), (workspace_.root() / "sub").string());
  EXPECT_EQ(Good({{"command", "pwd"}, {"working_dir", workspace_.out().string()}}), workspace_.out().string());
  EXPECT_EQ(Bad({{"command", "pwd"}, {"working_dir", "nope"}}), "working_dir not found: nope.");
  EXPECT_EQ(Bad({{"command", "pwd"}, {"working_dir", "sub/file"}}), "working_dir is not a directory: sub/file.");
  EXPECT_EQ(Bad({{"command", "pwd"}, {"working_dir", ""}}), "working_dir is empty.");
}

TEST_F(BashTest, NothingCarriesOverButFiles) {
  workspace_.Put("sub/file", "x");
  Good("cd sub; export V=1; ulimit -f 1; f() { :; }; touch made");
  EXPECT_EQ(Good("pwd; echo v=$V; head -c 100000 /dev/zero > big && ls sub"),
            workspace_.root().string() + "\nv=\nfile\nmade");
  Good("cd sub && rm -rf ../sub");
  Good("exec true");
  EXPECT_EQ(Good("echo still"), "still");
}

TEST_F(BashTest, AMissingRootIsToldAndMayComeBack) {
  settings_.root = workspace_.root() / "gone";
  EXPECT_EQ(Bad("pwd"), "The workspace root no longer exists.");
  std::filesystem::create_directory(settings_.root);
  EXPECT_EQ(Good("echo back"), "back");
}

TEST_F(BashTest, CommandsArriveUnchanged) {
  EXPECT_EQ(Good("cat <<'E'\n$HOME `id` \"q\" 'r' \\n\nE"), "$HOME `id` \"q\" 'r' \\n");
  const std::string lines = [] {
    std::string text;
    for (int i = 0; i < 13'000; ++i) text += "0123456789abcde\n";
    return text;
  }();
  EXPECT_EQ(Good("cat > out.txt <<'EOF'\n" + lines + "EOF\nwc -c < out.txt; cat; echo $#; ls /proc/self/fd | wc -l"),
            "208000\n0\n4");
  EXPECT_THAT(Bad("# " + std::string(200'000, 'x') + "\nexit 9"), EndsWith("exit_code: 9"));
}

TEST_F(BashTest, SenselessCommandsAreRefused) {
  workspace_.Put("keep", "x");
  EXPECT_EQ(Bad("   \n"), "command is empty.");
  EXPECT_EQ(Bad(std::string("rm keep\0 --dry-run", 18)), "command contains a NUL character.");
  EXPECT_TRUE(workspace_.Exists("keep"));
  EXPECT_EQ(Bad({{"command", "sleep 20"}, {"run_in_background", true}}),
            "run_in_background is not supported; end the command with &, it lives until the step ends.");
  EXPECT_EQ(Good({{"command", "echo hi"}, {"run_in_background", false}, {"description", "Say hi"}}), "hi");
}

TEST_F(BashTest, KeysDoNotReachCommands) {
  for (const char* name : {"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OTEL_EXPORTER_OTLP_HEADERS", "AWF_RUN_ID"}) {
    settings_.environment.push_back(std::string(name) + "=dummy-value");
  }
  settings_.environment.emplace_back("GH_TOKEN=keep");
  EXPECT_THAT(Good("env"), AllOf(Not(HasSubstr("dummy-")), HasSubstr("GH_TOKEN=keep"), HasSubstr("HOME="),
                                 HasSubstr("TERM=dumb"), HasSubstr("GIT_TERMINAL_PROMPT=0")));
}

TEST_F(BashTest, AFailureThatNamesADroppedVariableIsExplained) {
  settings_.environment.emplace_back("OPENAI_API_KEY=dummy-o");
  settings_.environment.emplace_back("GEMINI_API_KEY=dummy-g");
  EXPECT_EQ(Bad("test -n \"$OPENAI_API_KEY\" || { echo no key; exit 1; }"),
            "no key\nexit_code: 1\n\n[not passed to commands: OPENAI_API_KEY; mcp_proxy.env.pass allows it]");
  EXPECT_EQ(Bad("exit 3"), "exit_code: 3");
  EXPECT_EQ(Good("echo $OPENAI_API_KEY done"), "done");
}

TEST_F(BashTest, BashEnvIsKept) {
  workspace_.Put("rc", "echo PREPARED\n");
  settings_.environment.push_back("BASH_ENV=" + (workspace_.root() / "rc").string());
  EXPECT_EQ(Good("echo clean"), "PREPARED\nclean");
}

TEST_F(BashTest, CommandsCannotGainRights) { EXPECT_EQ(Good("grep NoNewPrivs /proc/self/status"), "NoNewPrivs:\t1"); }

TEST_F(BashTest, TheEnvironmentOfItsParentHoldsNothing) {
  EXPECT_EQ(Good("cat /proc/$PPID/environ 2>/dev/null | tr -d '\\0'; echo end"), "end");
}

TEST_F(BashTest, ASandboxThatWasAskedForIsNotWeakened) {
  settings_.sandbox.mode = SandboxMode::kStrict;
  settings_.sandbox.explicit_mode = true;
  const ToolResult result = Call({{"command", "touch ran"}});
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(TextOf(result),
            "Blocked by the sandbox (strict): commands cannot be confined by this build. To allow it, set "
            "mcp_proxy.sandbox to off.");
  EXPECT_EQ(result.fields.denied, "sandbox");
  EXPECT_FALSE(workspace_.Exists("ran"));
  settings_.sandbox.mode = SandboxMode::kOff;
  EXPECT_EQ(Good("echo ran"), "ran");
  settings_.sandbox.network = false;
  EXPECT_THAT(Bad("echo ran"), StartsWith("Blocked by the sandbox (off)"));
}

TEST_F(BashTest, ACommandThatKillsItsParentIsLost) {
  const ToolResult result = Call({{"command", "kill -9 $PPID; sleep 5; echo never"}});
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(
      TextOf(result),
      "The process that runs commands was killed; the result of this call is lost. The next call gets a new one.");
  EXPECT_TRUE(result.fields.lost);
  EXPECT_EQ(Good("echo again"), "again");
}

TEST_F(BashTest, CallsRunAtOnce) {
  const BashTool tool(settings_, child_);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const json::object arguments{
          {"command", "touch meet.$$; while [ $(ls meet.* | wc -l) -lt 8 ]; do sleep 0.01; done; echo met"}};
      EXPECT_EQ(TextOf(tool.Call(ToolCall{"0123456789abcdef", "Bash", arguments, {}, {}})), "met");
    });
  }
}

}  // namespace
}  // namespace awf::builtins
