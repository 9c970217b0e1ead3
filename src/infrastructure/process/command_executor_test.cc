#include "infrastructure/process/command_executor.h"

#include <gmock/gmock.h>

#include <fstream>
#include <future>
#include <mutex>

#include "infrastructure/process/environment.h"
#include "infrastructure/process/process_test_support.h"

namespace awf::process {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Recorder final : public RunObserver {
 public:
  void CommandOutput(const StepContext& step, bool is_stderr, std::string_view text) override {
    const std::lock_guard lock(mutex_);
    EXPECT_EQ(step.step, "build");
    (is_stderr ? err_ : out_) += text;
  }
  std::string out() const {
    const std::lock_guard lock(mutex_);
    return out_;
  }
  std::string err() const {
    const std::lock_guard lock(mutex_);
    return err_;
  }

 private:
  mutable std::mutex mutex_;
  std::string out_, err_;
};

class CommandExecutorTest : public ProcessTest {
 protected:
  CommandExecutorTest() {
    request_.step.step = "build";
    request_.working_dir = folder_.path();
  }

  StepResult Run(std::string command) {
    request_.command = std::move(command);
    return KeeperCommandExecutor(environment_).Run(request_, recorder_);
  }

  TestFolder folder_;
  std::vector<std::string> environment_ = PlainEnvironment();
  CommandRequest request_;
  Recorder recorder_;
};

TEST_F(CommandExecutorTest, ReturnsBothStreams) {
  const StepResult result = Run("echo out; echo; echo err >&2; pwd");
  EXPECT_EQ(result.end.status, StepStatus::kSuccess);
  EXPECT_FALSE(result.end.error.has_value());
  EXPECT_EQ(result.end.exit_code, 0);
  EXPECT_EQ(result.output, "out\n\n" + folder_.path().string());
  EXPECT_EQ(result.error_output, "err\n");
  EXPECT_EQ(recorder_.out(), result.output + "\n");
  EXPECT_EQ(recorder_.err(), "err\n");
}

TEST_F(CommandExecutorTest, ExitCodeOtherThanZeroFails) {
  const StepResult result = Run("echo before >&2; echo 'no rule' >&2; echo >&2; exit 2");
  EXPECT_EQ(result.end.status, StepStatus::kFailure);
  EXPECT_EQ(result.end.exit_code, 2);
  ASSERT_TRUE(result.end.error.has_value());
  EXPECT_EQ(result.end.error->code, "EXECUTION.COMMAND.FAILED");
  EXPECT_EQ(result.end.error->message, "command exited with code 2: no rule");
  EXPECT_EQ(result.end.error->step, "build");
}

TEST_F(CommandExecutorTest, WithoutErrorOutputTheLastLineOfOutputIsTold) {
  EXPECT_EQ(Run("echo 1 failed; exit 1").end.error->message, "command exited with code 1: 1 failed");
  EXPECT_EQ(Run("exit 1").end.error->message, "command exited with code 1");
}

TEST_F(CommandExecutorTest, DeathBySignalIsToldByNameAndCode) {
  const StepResult result = Run("kill -9 $$");
  EXPECT_EQ(result.end.exit_code, 137);
  EXPECT_EQ(result.end.error->message, "command was ended by SIGKILL (code 137)");
}

TEST_F(CommandExecutorTest, EnvironmentIsGivenAndAdded) {
  environment_.emplace_back("KEPT=1");
  environment_.emplace_back("REPLACED=old");
  request_.set_env = {{"REPLACED", "new"}, {"ADDED", "a b"}};
  EXPECT_EQ(Run("echo $KEPT $REPLACED $ADDED; cat").output, "1 new a b");
}

TEST_F(CommandExecutorTest, ShellIsChosenByTheEnvironment) {
  EXPECT_EQ(ChooseShell({"SHELL=/bin/bash"}), "/bin/bash");
  for (const char* shell :
       {"SHELL=bash", "SHELL=/usr/bin/env", "SHELL=/nonexistent/bash", "SHELL=", "OTHER=/bin/bash"}) {
    EXPECT_EQ(ChooseShell({shell}), "/bin/sh") << shell;
  }
}

TEST_F(CommandExecutorTest, LongCommandsRun) {
  const std::string filler(300'000, 'x');
  const StepResult result = Run("wc -c <<'EOF'\n" + filler + "\nEOF\ncat; echo $?");
  EXPECT_EQ(result.output, "300001\n0");
}

TEST_F(CommandExecutorTest, DeadlineEndsTheWholeTree) {
  const std::string mark = UniqueSleep();
  request_.deadline = SteadyClock::now() + milliseconds{1500};
  const StepResult result = Run("echo early; setsid sleep " + mark + " & sleep " + mark);
  EXPECT_EQ(result.end.status, StepStatus::kTimeout);
  EXPECT_EQ(result.end.error->code, "EXECUTION.COMMAND.TIMEOUT");
  EXPECT_THAT(result.end.error->message, StartsWith("the command timed out after "));
  EXPECT_EQ(result.end.exit_code, 143);
  EXPECT_EQ(result.output, "early");
  EXPECT_TRUE(MarkedProcesses(mark).empty());
}

TEST_F(CommandExecutorTest, AProgramThatNeverStopsPrintingMeetsItsDeadline) {
  request_.deadline = SteadyClock::now() + milliseconds{300};
  const StepResult result = Run("while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyy; done");
  EXPECT_EQ(result.end.status, StepStatus::kTimeout);
}

TEST_F(CommandExecutorTest, CancellationEndsTheWholeTree) {
  const std::string mark = UniqueSleep();
  std::stop_source stop;
  request_.cancelled = stop.get_token();
  std::jthread canceller([&] {
    EXPECT_TRUE(Eventually([&] { return MarkedProcesses(mark).size() >= 2; }));
    stop.request_stop();
  });
  const StepResult result = Run("setsid -f sleep " + mark + "; exec sleep " + mark);
  EXPECT_EQ(result.end.status, StepStatus::kCancelled);
  EXPECT_EQ(result.end.error->code, "EXECUTION.RUN.CANCELLED");
  EXPECT_TRUE(MarkedProcesses(mark).empty());

  EXPECT_EQ(Run("touch started").end.status, StepStatus::kCancelled);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "started"));
}

TEST_F(CommandExecutorTest, EndsWithTheShellAndLeavesNothingBehind) {
  const std::string mark = UniqueSleep();
  const StepResult result = Run("sleep " + mark + " & setsid -f sleep " + mark + "; echo done");
  EXPECT_EQ(result.output, "done");
  EXPECT_EQ(result.end.status, StepStatus::kSuccess);
  EXPECT_TRUE(MarkedProcesses(mark).empty());
}

TEST_F(CommandExecutorTest, OutputIsBoundedAndTheCutTold) {
  const StepResult result = Run("head -c 11534336 /dev/zero | tr '\\0' x; echo; echo END");
  const std::size_t total = 11'534'336 + 5;
  const std::size_t kept = 10'485'760;
  EXPECT_THAT(result.output.substr(5'242'880, 40),
              StartsWith("\n[... " + std::to_string(total - kept) + " bytes cut ...]\n"));
  EXPECT_TRUE(result.output.ends_with("x\nEND"));
  EXPECT_EQ(recorder_.out().size(), total);
}

TEST_F(CommandExecutorTest, OutputIsValidUtf8) {
  EXPECT_EQ(Run("printf 'caf\\351 '; printf '\\342'; sleep 0.05; printf '\\202\\254'").output, "caf\uFFFD \u20ac");
}

TEST_F(CommandExecutorTest, HalvesOfMaxOutputAreKept) {
  request_.max_output = 11;
  const StepResult result = Run("printf 0123456789; printf 0123456789 >&2; printf abcdefghij >&2");
  EXPECT_EQ(result.output, "0123456789");
  EXPECT_EQ(result.error_output, "012345\n[... 9 bytes cut ...]\nfghij");
  request_.max_output = 0;
  EXPECT_EQ(Run("echo abc").output, "\n[... 4 bytes cut ...]");
}

TEST_F(CommandExecutorTest, Latin1BytesBecomeTheirCodePoints) {
  request_.encoding = CaptureEncoding::kLatin1;
  const StepResult result = Run("printf 'caf\\351\\n\\n'; printf '\\377' >&2");
  EXPECT_EQ(result.output, "caf\u00e9\n");
  EXPECT_EQ(result.error_output, "\u00ff");
  EXPECT_EQ(recorder_.out(), "caf\u00e9\n\n");
  request_.max_output = 4;
  EXPECT_EQ(Run("printf '\\351\\351\\351\\351\\351'").output, "\u00e9\n[... 3 characters cut ...]\n\u00e9");
}

TEST_F(CommandExecutorTest, Base64KeepsTheBytesExactly) {
  request_.encoding = CaptureEncoding::kBase64;
  const StepResult result = Run("printf '\\377\\376\\0\\n'; echo wrong >&2; exit 3");
  EXPECT_EQ(result.output, "//4ACg==");
  EXPECT_EQ(result.error_output, "d3JvbmcK");
  EXPECT_EQ(result.end.error->message, "command exited with code 3: wrong");
  EXPECT_EQ(recorder_.out(), std::string("\uFFFD\uFFFD\0\n", 8));
  request_.max_output = 4;
  EXPECT_EQ(Run("printf foobar").output, "Zm8=\n[... 2 bytes cut ...]\nYXI=");
}

TEST_F(CommandExecutorTest, CodesWithAMeaningBringAHint) {
  EXPECT_EQ(Run("exit 1").end.error->hint, "");
  EXPECT_THAT(Run("/nonexistent/program").end.error->hint, StartsWith("127 means: a program was not found."));
  EXPECT_THAT(Run("exec /").end.error->hint, StartsWith("126 means: a program was found but could not be executed."));
  EXPECT_THAT(Run("kill -INT $$").end.error->hint, StartsWith("130 means: ended by SIGINT"));
  EXPECT_THAT(Run("kill -9 $$").end.error->hint, StartsWith("137 means: killed by SIGKILL"));
}

TEST_F(CommandExecutorTest, UnusableFolderIsASpawnFailure) {
  request_.working_dir = folder_ / "missing";
  const StepResult result = Run("true");
  EXPECT_EQ(result.end.status, StepStatus::kFailure);
  EXPECT_EQ(result.end.error->code, "EXECUTION.COMMAND.SPAWN_FAILED");
  EXPECT_THAT(result.end.error->message, HasSubstr("chdir: No such file or directory"));
}

TEST_F(CommandExecutorTest, UnusableProgramAndCommandAreSpawnFailures) {
  request_.command = "true";
  const StepResult no_keeper = KeeperCommandExecutor(environment_, "/nonexistent/awf").Run(request_, recorder_);
  EXPECT_EQ(no_keeper.end.error->code, "EXECUTION.COMMAND.SPAWN_FAILED");
  EXPECT_EQ(Run(std::string("echo a\0b", 8)).end.error->code, "EXECUTION.COMMAND.SPAWN_FAILED");
}

TEST_F(CommandExecutorTest, AKilledKeeperIsAFailureAndLeavesNothingBehind) {
  const std::string mark = UniqueSleep();
  const StepResult result = Run("setsid -f sleep " + mark + "; kill -9 $PPID; exec sleep " + mark);
  EXPECT_EQ(result.end.status, StepStatus::kFailure);
  EXPECT_EQ(result.end.error->message, "the process that ran the command was killed");
  EXPECT_TRUE(MarkedProcesses(mark).empty());
}

TEST_F(CommandExecutorTest, CommandsRunAtOnce) {
  const std::string fifo = folder_ / "fifo";
  KeeperCommandExecutor executor(environment_);
  const auto run = [&](const std::string& command) {
    CommandRequest request = request_;
    request.command = command;
    EXPECT_EQ(executor.Run(request, recorder_).end.exit_code, 0);
  };
  run("mkfifo " + fifo);
  std::vector<std::jthread> threads;
  threads.emplace_back([&] { run("read x < " + fifo); });
  threads.emplace_back([&] { run("echo x > " + fifo); });
}

// A keeper that is lost takes down its own command and nobody else's.
TEST_F(CommandExecutorTest, OneOfManyKeepersIsKilled) {
  constexpr std::size_t kRuns = 20, kVictim = 7;
  const std::string mark = UniqueSleep();
  const std::string stray = "setsid -f sleep " + mark + "; ";
  KeeperCommandExecutor executor(environment_);
  std::vector<std::promise<StepResult>> ended(kRuns);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < kRuns; ++i) {
    threads.emplace_back([&, i] {
      CommandRequest request = request_;
      request.command = (i == kVictim ? stray : "") + "echo $PPID > keeper." + std::to_string(i) +
                        ".new && mv keeper." + std::to_string(i) + ".new keeper." + std::to_string(i) +
                        "; (while [ ! -e go ]; do sleep 0.05; done; echo done " + std::to_string(i) + ") | cat";
      ended[i].set_value(executor.Run(request, recorder_));
    });
  }
  for (std::size_t i = 0; i < kRuns; ++i) {
    EXPECT_TRUE(Eventually([&] { return std::filesystem::exists(folder_ / ("keeper." + std::to_string(i))); }));
  }
  ASSERT_EQ(::kill(std::stoi(FileText(folder_ / ("keeper." + std::to_string(kVictim)))), SIGKILL), 0);
  const StepResult lost = ended[kVictim].get_future().get();
  EXPECT_EQ(lost.end.error->message, "the process that ran the command was killed");
  EXPECT_TRUE(MarkedProcesses(mark).empty());
  std::ofstream(folder_ / "go") << "";
  for (std::size_t i = 0; i < kRuns; ++i) {
    if (i == kVictim) continue;
    EXPECT_EQ(ended[i].get_future().get().output, "done " + std::to_string(i));
  }
}

}  // namespace
}  // namespace awf::process
