#include "infrastructure/workspace/workspace_check.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>
#include <thread>

#include "domain/test_folder.h"
#include "infrastructure/workspace/watched_commands.h"

namespace awf::workspace {
namespace {

namespace fs = std::filesystem;

// Does what a test says while the step runs.
class ScriptedExecutor final : public AgentExecutor {
 public:
  StepResult Run(const AgentRequest&, RunObserver&) override {
    if (work) work();
    return {};
  }
  std::function<void()> work;
};

class Warnings final : public RunObserver {
 public:
  void Logged(const StepContext*, LogLevel level, std::string_view message, const json::object& fields) override {
    lines.push_back(std::string(ToString(level)) + " " + std::string(message) + " " + json::serialize(fields));
  }
  std::vector<std::string> lines;
};

class WorkspaceCheckTest : public testing::Test {
 protected:
  void SetUp() override {
    top_.Put("ws/.git/HEAD", "ref: refs/heads/main\n");
    for (const char* name : {"ws/a", "ws/b", "ws/sub/c"}) top_.Put(name, "old");
    request_.provider = request_.provider_as_written = "codex";
    request_.working_dir = top_ / "ws/sub";
    request_.proxy.emplace();
    request_.proxy->enable = true;
  }

  StepEnd Run() {
    WorkspaceCheck check(inner_, activity_, {top_ / "ws/runs"}, limits_);
    return check.Run(request_, observer_).end;
  }
  // Until the clock of the file system has passed what was done before.
  static void PassATick() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

  void OurToolWrites(const std::string& name, const std::string& text) {
    top_.Put(name, text);
    struct stat status{};
    ASSERT_EQ(::stat((top_ / name).c_str(), &status), 0);
    CallRecord call;
    call.call = "c-" + name;
    call.tool = "Write";
    call.source = kBuiltinSource;
    CallEnd end;
    end.written = WrittenFile{static_cast<std::int64_t>(status.st_dev), static_cast<std::int64_t>(status.st_ino),
                              status.st_ctim.tv_sec * std::int64_t{1'000'000'000} + status.st_ctim.tv_nsec};
    activity_.CallStarted({}, call);
    activity_.CallFinished({}, call, end);
  }
  void BashStarts(const std::string& id) {
    CallRecord call;
    call.call = id;
    call.tool = "Bash";
    call.source = kBuiltinSource;
    call.time = WallClock::now();
    activity_.CallStarted({}, call);
  }
  void BashEnds(const std::string& id) {
    CallRecord call;
    call.call = id;
    activity_.CallFinished({}, call, {});
  }

  const TestFolder top_;
  AgentRequest request_;
  ScriptedExecutor inner_;
  WorkspaceActivity activity_;
  WorkspaceSnapshot::Limits limits_;
  Warnings observer_;
};

using Names = std::vector<std::string>;

TEST_F(WorkspaceCheckTest, WhatOurToolsWroteIsOurs) {
  inner_.work = [this] {
    OurToolWrites("ws/a", "new");
    OurToolWrites("ws/sub/new", "new");
  };
  const StepEnd end = Run();
  EXPECT_EQ(end.changed_outside_proxy, Names());
  EXPECT_EQ(end.unattributed, 0);
  EXPECT_EQ(observer_.lines, Names());
}

TEST_F(WorkspaceCheckTest, WhatNobodyToldOfIsOutsideWithItsName) {
  inner_.work = [this] {
    top_.Put("ws/native", "x");
    top_.Put("ws/runs/log.jsonl", "awf's own");
    fs::remove(top_ / "ws/b");
    OurToolWrites("ws/a", "ours");
    PassATick();
    top_.Put("ws/a", "changed behind our back");
  };
  const StepEnd end = Run();
  EXPECT_EQ(end.changed_outside_proxy, (Names{"a", "b", "native"}));
  EXPECT_EQ(end.unattributed, 0);
  EXPECT_EQ(observer_.lines,
            Names{R"(warn files changed outside the proxy {"provider":"codex","count":3,"files":["a","b","native"]})"});
}

TEST_F(WorkspaceCheckTest, OnceACommandHasRunNobodyIsNamed) {
  inner_.work = [this] {
    top_.Put("ws/before", "x");
    PassATick();
    BashStarts("1");
    top_.Put("ws/during", "x");
    fs::remove(top_ / "ws/b");
    BashEnds("1");
    top_.Put("ws/after", "x");
  };
  const StepEnd end = Run();
  EXPECT_EQ(end.changed_outside_proxy, Names{"before"});
  EXPECT_EQ(end.unattributed, 3);
}

TEST_F(WorkspaceCheckTest, CommandsThatEndedBeforeTheStepDoNotCount) {
  BashStarts("1");
  BashEnds("1");
  PassATick();
  inner_.work = [this] { top_.Put("ws/native", "x"); };
  EXPECT_EQ(Run().changed_outside_proxy, Names{"native"});
}

TEST_F(WorkspaceCheckTest, OtherStatesOfTheRunMayHaveChangedIt) {
  activity_.FreeHandBegins("a command", WallClock::now());
  inner_.work = [this] { top_.Put("ws/by-the-command", "x"); };
  StepEnd end = Run();
  EXPECT_EQ(end.changed_outside_proxy, Names());
  EXPECT_EQ(end.unattributed, 1);

  activity_.FreeHandEnds("a command");
  PassATick();
  StepContext agent;
  agent.kind = StepKind::kAgent;
  agent.span_id = "2";
  StepStart start;
  start.proxy = true;  // with its own tools beside ours
  start.time = WallClock::now();
  activity_.StepStarted(agent, start);
  inner_.work = [this] { top_.Put("ws/by-the-agent", "x"); };
  end = Run();
  EXPECT_EQ(end.changed_outside_proxy, Names());
  EXPECT_EQ(end.unattributed, 1);
}

// Whoever runs commands: states, and hooks of states that run beside the step.
TEST_F(WorkspaceCheckTest, CommandsAreWatched) {
  class Toucher final : public CommandExecutor {
   public:
    explicit Toucher(const TestFolder& top) : top_(top) {}
    StepResult Run(const CommandRequest&, RunObserver&) override {
      top_.Put("ws/by-a-hook", "x");
      return {};
    }

   private:
    const TestFolder& top_;
  } toucher(top_);
  WatchedCommands commands(toucher, activity_);
  inner_.work = [&] { commands.Run({}, observer_); };
  const StepEnd end = Run();
  EXPECT_EQ(end.changed_outside_proxy, Names());
  EXPECT_EQ(end.unattributed, 1);
}

TEST_F(WorkspaceCheckTest, AFolderThatACommandMovedIsNotHeldAgainstTheAgent) {
  inner_.work = [this] {
    BashStarts("1");
    fs::rename(top_ / "ws/sub", top_ / "ws/lib");
    BashEnds("1");
  };
  StepEnd end = Run();
  EXPECT_EQ(end.changed_outside_proxy, Names());
  EXPECT_EQ(end.unattributed, 2);
  PassATick();
  request_.working_dir = top_ / "ws/lib";
  inner_.work = [this] { fs::rename(top_ / "ws/lib", top_ / "ws/sub"); };
  end = Run();
  EXPECT_EQ(end.changed_outside_proxy, (Names{"lib/c", "sub/c"})) << "no command has run since";
}

TEST_F(WorkspaceCheckTest, StepsThatAreNotInterceptedAreNotChecked) {
  inner_.work = [this] { top_.Put("ws/native", "x"); };
  request_.proxy->intercept_builtins = false;
  EXPECT_FALSE(Run().changed_outside_proxy);
  request_.proxy->intercept_builtins = true;
  request_.provider = "openai_compatible";
  EXPECT_FALSE(Run().changed_outside_proxy);
  request_.provider = "codex";
  request_.proxy.reset();
  EXPECT_FALSE(Run().unattributed);
}

TEST_F(WorkspaceCheckTest, TooLargeAWorkspaceIsLeftOutAndTold) {
  limits_.entries = 2;
  const StepEnd end = Run();
  EXPECT_FALSE(end.changed_outside_proxy);
  ASSERT_EQ(observer_.lines.size(), 1U);
  EXPECT_TRUE(observer_.lines[0].starts_with("debug workspace check left out "));
}

}  // namespace
}  // namespace awf::workspace
