// The owner, its keeper, or a program of it is killed at some moment: nothing may be left.
//
// The owner is a process of its own here. What is killed when is drawn at random; the seed is told, and a failure names
// the round.
#include <random>

#include "infrastructure/process/job_mark.h"
#include "infrastructure/process/process_test_support.h"

namespace awf::process {
namespace {

namespace fs = std::filesystem;
using Kind = KeeperEvent::Kind;

struct Pids {
  pid_t keeper = 0;
  pid_t leader = 0;
};

// What awf does: one keeper with a folder and one program.
[[noreturn]] void BeOwner(bool spawn, const fs::path& folder, const std::string& mark, int report) {
  BecomeSubreaper();
  auto keeper = spawn ? Keeper::Spawn() : Keeper::Fork();
  if (!keeper) ::_exit(1);
  (*keeper)->OwnFolder(folder);
  std::vector<std::string> environment = PlainEnvironment();
  environment.push_back("MARK=" + mark);
  const std::string forever = "sleep " + mark;
  (*keeper)->Start(Shell("setsid " + forever + " & " + forever + " & (setsid " + forever + " &); env -i setsid -f " +
                             forever + "; touch " + folder.string() + "/file; while :; do sleep 0.01; done",
                         environment));
  Pids pids{(*keeper)->pid(), 0};
  for (;;) {
    pollfd watched{(*keeper)->fd(), POLLIN, 0};
    ::poll(&watched, 1, -1);
    while (const auto event = (*keeper)->Next()) {
      if (event->kind == Kind::kStarted) pids.leader = event->pid;
      if (event->kind == Kind::kStarted && ::write(report, &pids, sizeof pids) != sizeof pids) ::_exit(1);
      if (event->kind != Kind::kGone && event->kind != Kind::kExited) continue;
      keeper->reset();
      ::_exit(0);
    }
  }
}

// One that starts a program by itself, as the host of plugins does, without a death signal.
[[noreturn]] void BeGuardedOwner(const fs::path& folder, const std::string& mark, int report) {
  auto keeper = Keeper::Spawn();
  if (!keeper) ::_exit(1);
  (*keeper)->GuardOwner();
  (*keeper)->OwnFolder(folder);
  Events(**keeper).Await(Kind::kFolderReady);
  Pids pids{(*keeper)->pid(), ::fork()};
  if (pids.leader == 0) {
    WearJobMark(MakeJobMark(::getppid(), static_cast<std::uint32_t>(::getpid())));
    const std::string forever = "sleep " + mark;
    const std::string script =
        "setsid " + forever + " & (" + forever + " &); env -i setsid -f " + forever + "; exec " + forever;
    ::execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
    ::_exit(1);
  }
  if (::write(report, &pids, sizeof pids) != sizeof pids) ::_exit(1);
  for (;;) ::pause();
}

class OwnerDeathTest : public ProcessTest, public ::testing::WithParamInterface<bool> {
 protected:
  void StartOwner(bool guarded = false) {
    mark_ = UniqueSleep();
    step_ = folder_ / ("step" + std::to_string(++rounds_));
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const Fd read_end(ends[0]);
    Fd write_end(ends[1]);
    owner_ = ::fork();
    if (owner_ == 0 && guarded) BeGuardedOwner(step_, mark_, write_end.get());
    if (owner_ == 0) BeOwner(GetParam(), step_, mark_, write_end.get());
    ASSERT_GT(owner_, 0);
    write_end.Reset();
    ASSERT_EQ(::read(read_end.get(), &pids_, sizeof pids_), static_cast<ssize_t>(sizeof pids_));
  }

  void Doze() {
    std::uniform_int_distribution<int> microseconds(0, 30'000);
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random_)));
  }

  void ExpectNothingLeft() {
    ::waitpid(owner_, nullptr, 0);
    const auto clean = [&] { return !IsAlive(pids_.keeper) && MarkedProcesses(mark_).empty() && !fs::exists(step_); };
    EXPECT_TRUE(Eventually(clean)) << "round " << rounds_ << ", seed " << seed_;
    // The keeper of a dead owner is inherited by this process.
    ::waitpid(pids_.keeper, nullptr, 0);
  }

  static constexpr int kRounds = 10;
  const unsigned seed_ = std::random_device()();
  std::mt19937 random_{seed_};
  TestFolder folder_;
  fs::path step_;
  std::string mark_;
  pid_t owner_ = 0;
  Pids pids_;
  int rounds_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Ways, OwnerDeathTest, ::testing::Bool(),
                         [](const auto& way) { return way.param ? "Spawned" : "Forked"; });

TEST_P(OwnerDeathTest, OwnerIsKilled) {
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_NO_FATAL_FAILURE(StartOwner());
    Doze();
    ::kill(owner_, SIGKILL);
    ExpectNothingLeft();
  }
}

TEST_P(OwnerDeathTest, WhatAGuardedOwnerStartedGoesWithIt) {
  const pid_t other = ::fork();
  if (other == 0) {
    WearJobMark(MakeJobMark(::getpid(), 1));
    for (;;) ::pause();
  }
  ASSERT_NO_FATAL_FAILURE(StartOwner(true));
  ASSERT_TRUE(Eventually([&] { return MarkedProcesses(mark_).size() == 4; }));
  ::kill(owner_, SIGKILL);
  ExpectNothingLeft();
  EXPECT_TRUE(IsAlive(other));  // it wears another mark
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  EXPECT_EQ(KillStrayChildren(), 0);  // reaps those that lost their parents
}

TEST_P(OwnerDeathTest, KeeperIsKilled) {
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_NO_FATAL_FAILURE(StartOwner());
    Doze();
    ::kill(pids_.keeper, SIGKILL);
    ExpectNothingLeft();
  }
}

TEST_P(OwnerDeathTest, LeaderIsKilled) {
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_NO_FATAL_FAILURE(StartOwner());
    Doze();
    ::kill(pids_.leader, SIGKILL);
    ExpectNothingLeft();
  }
}

TEST_P(OwnerDeathTest, OwnerAndLeaderAreKilled) {
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_NO_FATAL_FAILURE(StartOwner());
    Doze();
    ::kill(owner_, SIGKILL);
    ::kill(pids_.leader, SIGKILL);
    ExpectNothingLeft();
  }
}

TEST_P(OwnerDeathTest, LeaderAndKeeperAreKilled) {
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_NO_FATAL_FAILURE(StartOwner());
    Doze();
    ::kill(pids_.leader, SIGKILL);
    ::kill(pids_.keeper, SIGKILL);
    ExpectNothingLeft();
  }
}

}  // namespace
}  // namespace awf::process
