#include "infrastructure/builtins/command_child.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "infrastructure/process/process_test_support.h"

namespace awf::builtins {
namespace {

using process::Eventually;
using process::MarkedProcesses;
using process::UniqueSleep;
using std::chrono::milliseconds;
using Kind = CommandEnd::Kind;

class CommandChildTest : public process::ProcessTest, public ::testing::WithParamInterface<bool> {
 protected:
  CommandChildTest() {
    child_ = GetParam() ? std::make_shared<CommandChild>(CommandChildOptions{})
                        : CommandChild::Fork(CommandChildOptions{}).value();
  }
  void TearDown() override {
    child_.reset();
    process::ProcessTest::TearDown();
  }

  struct Ran {
    CommandEnd end;
    std::string out, err;
  };
  Ran Run(const std::string& command, const Deadline& deadline = {}, const std::stop_token& cancelled = {}) {
    Ran ran;
    ran.end = child_->Run(process::Shell(command), deadline, cancelled,
                          [&](bool is_stderr, std::string_view bytes) { (is_stderr ? ran.err : ran.out) += bytes; });
    return ran;
  }

  std::shared_ptr<CommandChild> child_;
};

INSTANTIATE_TEST_SUITE_P(Ways, CommandChildTest, ::testing::Bool(),
                         [](const auto& way) { return way.param ? "Spawned" : "Forked"; });

TEST_P(CommandChildTest, RunsCommandsOneAfterTheOther) {
  for (int i = 0; i < 20; ++i) {
    const Ran ran = Run("echo out; echo err >&2; exit " + std::to_string(i));
    EXPECT_EQ(ran.end.kind, Kind::kExited);
    EXPECT_EQ(ran.end.status.exit_code, i);
    EXPECT_EQ(ran.out, "out\n");
    EXPECT_EQ(ran.err, "err\n");
  }
}

TEST_P(CommandChildTest, ManyThreadsRunCommandsAtOnce) {
  const TestFolder folder("/var/tmp");
  std::vector<std::jthread> threads;
  std::atomic<int> good = 0;
  // Each waits until all eight are there.
  const std::string meet = "touch " + folder.path().string() + "/$$; while [ $(ls " + folder.path().string() +
                           " | wc -l) -lt 8 ]; do sleep 0.01; done; echo met";
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const Ran ran = Run(meet);
      if (ran.end.status.exit_code == 0 && ran.out == "met\n") ++good;
    });
  }
  threads.clear();
  EXPECT_EQ(good, 8);
}

TEST_P(CommandChildTest, MuchOutputOfManyCommands) {
  std::vector<std::jthread> threads;
  std::atomic<std::size_t> bytes = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { bytes += Run("head -c 3000000 /dev/zero; head -c 1000000 /dev/zero >&2").out.size(); });
  }
  threads.clear();
  EXPECT_EQ(bytes, 12'000'000U);
}

TEST_P(CommandChildTest, BackgroundProcessesNeitherDelayTheAnswerNorEndWithIt) {
  const TestFolder folder("/var/tmp");
  const std::string log = folder / "log";
  const Ran first = Run("(trap 'echo pipe >>" + log + "' PIPE; i=0; while :; do i=$((i+1)); echo $i; echo $i >" + log +
                        "; sleep 0.001; done) & echo done");
  EXPECT_EQ(first.end.kind, Kind::kExited);
  EXPECT_NE(first.out.find("done\n"), std::string::npos);
  EXPECT_TRUE(Eventually([&] { return std::atoi(FileText(log).c_str()) > 100; }));
  EXPECT_EQ(Run("echo next").out, "next\n");
  child_.reset();
  const std::string at_end = FileText(log);
  std::this_thread::sleep_for(milliseconds{20});
  EXPECT_EQ(FileText(log), at_end);
}

TEST_P(CommandChildTest, TheDeadlineEndsTheTreeOfThisCommandOnly) {
  const std::string earlier = UniqueSleep();
  const std::string later = UniqueSleep();
  Run("setsid -f sleep " + earlier + " >/dev/null 2>&1");
  const Ran ran =
      Run("echo early; setsid -f sleep " + later + "; exec sleep " + later, SteadyClock::now() + milliseconds{1500});
  EXPECT_EQ(ran.end.kind, Kind::kTimedOut);
  EXPECT_EQ(ran.out, "early\n");
  EXPECT_TRUE(MarkedProcesses(later).empty());
  EXPECT_EQ(MarkedProcesses(earlier).size(), 1U);
}

TEST_P(CommandChildTest, CancellationEndsTheTree) {
  const std::string mark = UniqueSleep();
  std::stop_source stop;
  std::jthread canceller([&] {
    EXPECT_TRUE(Eventually([&] { return MarkedProcesses(mark).size() >= 2; }));
    stop.request_stop();
  });
  EXPECT_EQ(Run("setsid -f sleep " + mark + "; exec sleep " + mark, {}, stop.get_token()).end.kind, Kind::kCancelled);
  EXPECT_TRUE(MarkedProcesses(mark).empty());
  EXPECT_EQ(Run("echo never", {}, stop.get_token()).end.kind, Kind::kCancelled);
}

TEST_P(CommandChildTest, ACommandThatKillsTheKeeperLosesAllButNotTheServer) {
  const std::string mark = UniqueSleep();
  std::jthread other([&] { EXPECT_EQ(Run("exec sleep " + mark).end.kind, Kind::kLost); });
  ASSERT_TRUE(Eventually([&] { return MarkedProcesses(mark).size() == 1; }));
  EXPECT_EQ(Run("setsid -f sleep " + mark + "; kill -9 $PPID; sleep 5").end.kind, Kind::kLost);
  other.join();
  EXPECT_TRUE(MarkedProcesses(mark).empty());
  EXPECT_EQ(Run("echo again; grep NoNewPrivs /proc/self/status").out, "again\nNoNewPrivs:\t1\n");
}

TEST_P(CommandChildTest, MissingProgramsAndFoldersAreToldWithTheirStage) {
  process::SpawnRequest request = process::Shell("true");
  request.working_dir = "/nonexistent";
  const CommandEnd end = child_->Run(request, {}, {}, [](bool, std::string_view) {});
  EXPECT_EQ(end.kind, Kind::kNotStarted);
  EXPECT_EQ(end.failure.stage, "chdir");
  EXPECT_EQ(end.failure.error_number, ENOENT);
}

TEST_P(CommandChildTest, TheEndOfTheServerCancelsWhatRuns) {
  const std::string mark = UniqueSleep();
  std::jthread polite([&] { EXPECT_EQ(Run("exec sleep " + mark).end.kind, Kind::kCancelled); });
  std::jthread stubborn(
      [&] { EXPECT_EQ(Run("trap '' TERM; while :; do sleep 0.01; : " + mark + "; done").end.kind, Kind::kCancelled); });
  Run("setsid -f sleep " + mark + " >/dev/null 2>&1");
  ASSERT_TRUE(Eventually([&] { return MarkedProcesses(mark).size() >= 3; }));
  child_->CancelAll();
  polite.join();
  EXPECT_EQ(Run("echo never").end.kind, Kind::kCancelled);
  child_->KillAll();
  stubborn.join();
  EXPECT_TRUE(Eventually([&] { return MarkedProcesses(mark).empty(); }));
}

TEST_P(CommandChildTest, CallsLeaveNoDescriptorsBehind) {
  const auto count = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator{});
  };
  Run("true");
  const auto before = count();
  for (int i = 0; i < 50; ++i) Run("true");
  EXPECT_TRUE(Eventually([&] { return count() == before; }));
}

TEST(CommandChildSpawnTest, AProgramThatCannotBeExecutedIsTold) {
  CommandChild child({.program = "/nonexistent/awf"});
  const CommandEnd end = child.Run(process::Shell("true"), {}, {}, [](bool, std::string_view) {});
  EXPECT_EQ(end.kind, Kind::kNotStarted);
}

}  // namespace
}  // namespace awf::builtins
