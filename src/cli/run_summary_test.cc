#include "cli/run_summary.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/test_steps.h"

namespace awf::cli {
namespace {

using std::chrono::milliseconds;

RunSummary Sample() {
  Masker masker;
  masker.AddSecret("hunter2hunter2");
  SummaryCollector collector(masker, SummaryScope::kStepsAndCalls);
  RunStart start;
  start.run_id = "r";
  start.workflow = "demo";
  start.inputs = {{"a", "b"}};
  collector.RunStarted(start);
  const StepContext repair = StepAt("repair", StepKind::kAgent);
  const StepContext token = StepAt("token", StepKind::kCommand);
  const StepContext done = StepAt("done", StepKind::kTerminal);
  collector.StepStarted(repair, {});
  CallRecord call;
  call.call = "c1";
  call.tool = "Grep";
  call.source = "builtin";
  call.time = WallClock::time_point(milliseconds(1793700909125));
  CallEnd end;
  end.duration = milliseconds(7);
  end.bytes_out = 90;
  collector.CallFinished(repair, call, end);
  call.tool = "Bash";
  end.outcome = CallOutcome::kError;
  end.duration = milliseconds(1234);
  end.bytes_out = 12'345;
  end.error = "exit code 1:\x1b[2J hunter2hunter2";
  collector.CallFinished(repair, call, end);
  call.tool = "Nope";
  call.source = "unknown";
  end = {};
  end.outcome = CallOutcome::kCancelled;
  collector.CallFinished(repair, call, end);
  StepEnd step;
  step.duration = milliseconds(4800);
  collector.StepEnded(repair, step);
  collector.StepStarted(token, {});
  step.status = StepStatus::kFailure;
  step.duration = milliseconds(200);
  step.error = Error{"EXECUTION.COMMAND.FAILED", "hunter2hunter2", "", {}, "", ""};
  collector.StepEnded(token, step);
  collector.StepStarted(done, {});
  collector.StepEnded(done, {});
  RunEnd run;
  run.status = "failed";
  run.exit_code = 3;
  run.duration = milliseconds(5200);
  run.error = Error{"EXECUTION.WORKFLOW.FAILED", "said hunter2hunter2", "", {}, "token", ""};
  collector.RunEnded(run);
  collector.SetStates({{"token", {{"Output", "x hunter2hunter2"}, {"TokensInput", 5}}}});
  return collector.Summary();
}

TEST(RunSummary, IsJson) {
  EXPECT_EQ(json::serialize(SummaryJson(Sample(), true)),
            R"({"run_id":"r","status":"failed","exit_code":3,"duration_ms":5200,"error":)"
            R"({"code":"EXECUTION.WORKFLOW.FAILED","message":"said ***","step":"token","details":{},"hints":[]})"
            R"(,"states":{"token":{"Output":"x ***","TokensInput":5}},"audit":{"seq":-1,"hash":""}})");
}

TEST(RunSummary, HasATableOfCalls) {
  ::setenv("TZ", "UTC0", 1);
  ::tzset();
  EXPECT_EQ(CallTable(Sample(), {}),
            "time      step    tool  source   duration   bytes  outcome    error\n"
            "10:15:09  repair  Grep  builtin      7 ms    90 B  ok\n"
            "10:15:09  repair  Bash  builtin     1.2 s  12.3kB  error      exit code 1: ***\n"
            "10:15:09  repair  Nope  unknown      0 ms     0 B  cancelled\n");
  EXPECT_EQ(CallTable({}, {}), "no tool calls\n");
  EXPECT_EQ(CallTable(Sample(), {false, 21}),
            "time      step    t…\n"
            "10:15:09  repair  G…\n"
            "10:15:09  repair  B…\n"
            "10:15:09  repair  N…\n");
}

TEST(RunSummary, HasATreeOfSpans) {
  EXPECT_EQ(SpanTree(Sample(), {}),
            "workflow.execution  5.2 s  demo  failed\n"
            "├─ step: repair  4.8 s\n"
            "│  ├─ tool.call: Grep  7 ms\n"
            "│  ├─ tool.call: Bash  1.2 s  ✗ exit code 1: ***\n"
            "│  └─ tool.call: Nope  0 ms  ✗ cancelled\n"
            "├─ step: token  200 ms  ✗ failure\n"
            "└─ step: done\n");
}

TEST(RunSummary, StatesHangOnThoseThatHoldThem) {
  const Masker masker;
  SummaryCollector collector(masker, SummaryScope::kStepsAndCalls);
  const StepContext loop = StepAt("loop", StepKind::kForEach);
  StepContext pair = StepAt("loop:0/pair", StepKind::kParallel, "loop");
  pair.loop_index = 0;
  const StepContext left = StepAt("loop:0/pair/left", StepKind::kAgent, pair.path);
  StepContext right = StepAt("loop:0/pair/right", StepKind::kCommand, pair.path);
  const StepContext done = StepAt("done", StepKind::kTerminal);
  for (const StepContext& step : {loop, pair, left, right}) collector.StepStarted(step, {});
  CallRecord call;
  call.tool = "Read";
  call.source = "builtin";
  collector.CallFinished(left, call, {});
  right.attempt = 2;  // the last attempt tells the end of a step that was retried
  for (const StepContext& step : {left, right, pair, loop}) collector.StepEnded(step, {});
  collector.StepStarted(done, {});
  collector.StepEnded(done, {});
  RunEnd end;
  end.status = "completed";
  collector.RunEnded(end);
  EXPECT_EQ(SpanTree(collector.Summary(), {}),
            "workflow.execution  0 ms    completed\n"
            "├─ step: loop  0 ms\n"
            "│  └─ step: pair #0  0 ms\n"
            "│     ├─ step: left  0 ms\n"
            "│     │  └─ tool.call: Read  0 ms\n"
            "│     └─ step: right  0 ms\n"
            "└─ step: done\n");
  EXPECT_NE(CallTable(collector.Summary(), {}).find("  loop:0/pair/left  Read  "), std::string::npos);
}

TEST(SummaryCollector, KeepsNothingThatGrowsWhereNobodyAsksForIt) {
  const Masker masker;
  SummaryCollector collector(masker, SummaryScope::kResults);
  StepContext step;
  step.span_id = "0123456789abcdef";
  collector.StepStarted(step, {});
  collector.CallFinished(step, {}, {});
  collector.StepEnded(step, {});
  EXPECT_TRUE(collector.Summary().steps.empty());
}

}  // namespace
}  // namespace awf::cli
