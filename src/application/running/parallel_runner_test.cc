#include "application/running/parallel_runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <latch>
#include <thread>

#include "application/running/run_fixture_for_tests.h"

namespace awf {
namespace {

// Blocks until the request is cancelled, as an executor does.
StepResult UntilCancelled(const CommandRequest& request) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait(lock, request.cancelled, [] { return false; });
  return Cancelled();
}

class ParallelTest : public RunFixture {
 protected:
  // "par" with branches a, b, c, then "after".
  State& Three(ParallelStrategy strategy = ParallelStrategy::kAllSucceed, int max_concurrent = 0) {
    State& par = Parallel("par", {"a", "b", "c"}, "done", strategy, max_concurrent);
    for (const char* name : {"a", "b", "c"}) Command(name, name);
    Terminal("done");
    return par;
  }
};

TEST_F(ParallelTest, AllBranchesRunAtOnceAndKeepTheirResults) {
  Three();
  std::barrier together(3);  // passed only when all three run
  commands_.run = [&](const CommandRequest& request) {
    together.arrive_and_wait();
    return Success("from " + request.command);
  };
  const RunResult result = Run();
  EXPECT_EQ(result.end.status, "completed");
  EXPECT_EQ(Field(result, "par", "Response"), R"({"a":"success","b":"success","c":"success"})");
  EXPECT_EQ(Field(result, "b", "Output"), R"("from b")");
  for (const StepContext& step : events_.contexts) {
    if (step.kind != StepKind::kCommand) continue;
    EXPECT_EQ(step.branch, step.step);
    EXPECT_EQ(step.path, "par/" + step.step);
    EXPECT_EQ(step.parent_span_id, events_.contexts[0].span_id);
    EXPECT_EQ(step.loop_index, std::nullopt);
  }
}

TEST_F(ParallelTest, NoMoreThanMaxConcurrentRunAtOnceInOrder) {
  Parallel("par", {"a", "b", "c", "d", "e"}, "done", ParallelStrategy::kAllSucceed, 2);
  for (const char* name : {"a", "b", "c", "d", "e"}) Command(name, name);
  Terminal("done");
  std::atomic<int> running = 0, most = 0;
  commands_.run = [&](const CommandRequest&) {
    const int now = ++running;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    --running;
    return Success("");
  };
  EXPECT_EQ(Run().end.status, "completed");
  EXPECT_LE(most, 2);
  workflow_.states[0].body = ParallelState{ToAll({"a", "b", "c", "d", "e"}), ParallelStrategy::kAllSucceed, 1};
  commands_.requests.clear();
  Run();
  EXPECT_EQ(commands_.Commands(), (std::vector<std::string>{"a", "b", "c", "d", "e"}));
}

TEST_F(ParallelTest, TheFirstFailureCancelsTheRest) {
  Three();
  std::latch c_ended(1), both_run(2);
  events_.on_ended = [&](const StepContext& step) {
    if (step.step == "c") c_ended.count_down();
  };
  commands_.run = [&](const CommandRequest& request) {
    if (request.command == "c") return Success("kept");
    both_run.arrive_and_wait();
    if (request.command == "b") return UntilCancelled(request);
    c_ended.wait();
    return Failure("EXECUTION.COMMAND.FAILED", 2);
  };
  const RunResult result = Run();
  EXPECT_EQ(result.end.status, "failed");
  EXPECT_EQ(result.end.error->code, "EXECUTION.PARALLEL.PARTIAL_FAILURE");
  EXPECT_EQ(result.end.error->message, "1 of 3 branches failed: a (it went wrong); cancelled: b");
  EXPECT_EQ(Field(result, "par", "Response"), R"({"a":"failure","b":"cancelled","c":"success"})");
  EXPECT_EQ(Field(result, "b", "Status"), R"("cancelled")");
  EXPECT_EQ(Field(result, "b", "Error"), R"("not needed any more: branch 'a' has failed")");
  EXPECT_EQ(Field(result, "c", "Output"), R"("kept")");
}

TEST_F(ParallelTest, TheFirstSuccessIsEnoughForAnySucceed) {
  Three(ParallelStrategy::kAnySucceed, 1);
  commands_.run = [&](const CommandRequest& request) {
    return request.command == "b" ? Success("") : Failure("EXECUTION.COMMAND.FAILED", 2);
  };
  RunResult result = Run();
  EXPECT_EQ(result.end.status, "completed");
  EXPECT_EQ(Field(result, "par", "Response"), R"({"a":"failure","b":"success","c":"cancelled"})");
  EXPECT_EQ(Field(result, "c", "Status"), R"("cancelled")");
  EXPECT_EQ(Field(result, "c", "Attempts"), "0");
  EXPECT_EQ(events_.Ended(),
            (std::vector<std::string>{"par/a failure", "par/b success", "par success", "done success"}));
  commands_.run = [&](const CommandRequest&) { return Failure("EXECUTION.COMMAND.FAILED", 2); };
  result = Run();
  EXPECT_EQ(result.end.error->message,
            "3 of 3 branches failed: a (it went wrong), b (it went wrong), c (it went wrong)");
}

TEST_F(ParallelTest, BestEffortRunsAllAndSucceeds) {
  Three(ParallelStrategy::kBestEffort);
  commands_.run = [&](const CommandRequest& request) {
    return request.command == "b" ? Success("") : Failure("EXECUTION.COMMAND.FAILED", 2);
  };
  const RunResult result = Run();
  EXPECT_EQ(result.end.status, "completed");
  EXPECT_EQ(Field(result, "par", "Response"), R"({"a":"failure","b":"success","c":"failure"})");
}

TEST_F(ParallelTest, OnwardKeysOfBranchesDoNothing) {
  Three();
  workflow_.states[1].on_success = To("b");
  workflow_.states[1].transitions = {When("states.a.Output < 1", "c")};
  workflow_.states[2].on_failure = InlineFailure{Text("x"), 9, {}};
  workflow_.states[2].retry.max_attempts = 2;
  commands_.run = [&](const CommandRequest& request) {
    return request.command == "b" ? Failure("EXECUTION.COMMAND.FAILED", 2) : Success("");
  };
  const RunResult result = Run();
  EXPECT_EQ(result.end.exit_code, 3);
  EXPECT_EQ(result.end.error->code, "EXECUTION.PARALLEL.PARTIAL_FAILURE");
  EXPECT_EQ(Field(result, "a", "Status"), R"("success")");
}

TEST_F(ParallelTest, ADefectInABranchFailsTheStateWhateverItsStrategy) {
  Three(ParallelStrategy::kBestEffort, 1);
  commands_.run = [&](const CommandRequest& request) -> StepResult {
    if (request.command == "b") throw std::runtime_error("boom");
    return Success("");
  };
  const RunResult result = Run();
  EXPECT_EQ(result.end.error->code, "SYSTEM.INTERNAL.UNMAPPED");
  EXPECT_EQ(result.end.exit_code, 4);
}

TEST_F(ParallelTest, CancellationReachesEveryBranch) {
  Three(ParallelStrategy::kBestEffort);
  std::latch all_run(3);
  commands_.run = [&](const CommandRequest& request) {
    all_run.arrive_and_wait();
    if (request.command == "b") stop_.request_stop();
    return UntilCancelled(request);
  };
  const RunResult result = Run();
  EXPECT_EQ(result.end.status, "cancelled");
  EXPECT_EQ(Field(result, "par", "Status"), R"("cancelled")");
  EXPECT_EQ(Field(result, "a", "Error"), R"("it went wrong")");
}

TEST_F(ParallelTest, LoopsAndParallelStatesRunWithinBranches) {
  Loop("outer", json::array{1, 2}, {"par"}, "done");
  Parallel("par", {"loop", "inner"}, "");
  Loop("loop", json::array{"x", "y"}, {"body"});
  Command("body", "{{.loop.Parent.Item}}{{.loop.Item}}");
  Parallel("inner", {"left", "right"}, "");
  Command("left", "left {{.loop.Item}}");
  Command("right", "right {{.loop.Item}}");
  Terminal("done");
  EXPECT_EQ(Run().end.status, "completed");
  std::vector<std::string> commands = commands_.Commands();
  std::ranges::sort(commands);
  EXPECT_EQ(commands, (std::vector<std::string>{"1x", "1y", "2x", "2y", "left 1", "left 2", "right 1", "right 2"}));
  EXPECT_EQ(events_.EndOf("outer:1/par/inner/left").status, StepStatus::kSuccess);
  EXPECT_EQ(events_.EndOf("outer:1/par/loop:1/body").status, StepStatus::kSuccess);
}

TEST_F(ParallelTest, TheReasonOfACancelledBranchReachesWhatRunsInIt) {
  Parallel("par", {"loop", "bad"}, "done");
  Loop("loop", json::array{"x"}, {"body"});
  Command("body", "body");
  Command("bad", "bad");
  Terminal("done");
  std::latch both_run(2);
  commands_.run = [&](const CommandRequest& request) {
    both_run.arrive_and_wait();
    return request.command == "bad" ? Failure("EXECUTION.COMMAND.FAILED", 2) : UntilCancelled(request);
  };
  const RunResult result = Run();
  for (const char* state : {"body", "loop"}) {
    EXPECT_EQ(Field(result, state, "Error"), R"("not needed any more: branch 'bad' has failed")");
    EXPECT_EQ(Field(result, state, "Status"), R"("cancelled")");
  }
}

TEST_F(ParallelTest, AnInlineFailureDeepInABranchEndsTheRun) {
  Parallel("par", {"loop", "other"}, "done", ParallelStrategy::kBestEffort);
  Loop("loop", json::array{"x"}, {"body"});
  Command("body", "body").on_failure = InlineFailure{Text("stop"), 17, {}};
  Command("other", "other");
  Terminal("done");
  commands_.run = [&](const CommandRequest& request) {
    return request.command == "body" ? Failure("EXECUTION.COMMAND.FAILED", 2) : UntilCancelled(request);
  };
  const RunResult result = Run();
  EXPECT_EQ(result.end.exit_code, 17);
  EXPECT_EQ(result.end.message, "stop");
}

TEST_F(ParallelTest, TheTimeoutOfTheStateBoundsItsBranches) {
  State& par = Three(ParallelStrategy::kAllSucceed, 2);
  par.timeout = TimeoutSetting{std::chrono::milliseconds(1), {}, {}};
  commands_.run = [](const CommandRequest& request) {
    while (!Passed(request.deadline)) {
    }
    return Failure("EXECUTION.COMMAND.TIMEOUT", 143, StepStatus::kTimeout);
  };
  const RunResult result = Run();
  EXPECT_EQ(result.end.error->code, "EXECUTION.COMMAND.TIMEOUT");
  EXPECT_EQ(Field(result, "par", "Status"), R"("timeout")");
  EXPECT_EQ(Field(result, "c", "Status"), R"("cancelled")");
}

TEST_F(ParallelTest, TwoHundredBranchesRunAtMostAsManyAsAreAllowed) {
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) names.push_back("b" + std::to_string(i));
  workflow_.states.reserve(256);
  Parallel("par", names, "done", ParallelStrategy::kAllSucceed, 3);
  for (const std::string& name : names) Command(name, name);
  Terminal("done");
  std::mutex mutex;
  std::set<std::thread::id> threads;
  commands_.run = [&](const CommandRequest&) {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
    return Success("");
  };
  EXPECT_EQ(Run().end.status, "completed");
  EXPECT_EQ(commands_.requests.size(), 200U);
  EXPECT_LE(threads.size(), 3U);
}

}  // namespace
}  // namespace awf
