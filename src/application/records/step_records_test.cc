#include <algorithm>

#include "application/records/recorder_fixture_for_tests.h"

namespace awf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using StepRecordsTest = RunRecorderTest;

TEST_F(StepRecordsTest, AStepHasItsSpanWithEventsAndSums) {
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  StepStart step;
  step.time = At(1500);
  step.provider = "claude";
  recorder.StepStarted(step_, step);
  recorder.ProxyIsReady(step_, {"claude-code", "2.1.332", "2025-11-25", {"Bash", "Grep"}, "digest", 42, 1});
  IsolationReport isolation;
  isolation.level = IsolationLevel::kProven;
  isolation.announced = {"mcp__awf-proxy__Bash"};
  isolation.provider = "claude";
  isolation.version = "2.1.332";
  isolation.reason = "announced";
  recorder.IsolationKnown(step_, isolation);
  recorder.CallFinished(step_, call_, Ended(CallOutcome::kOk));
  recorder.Bypassed(step_, {"Read", "toolu_9", "tool_use", "claude", false});
  recorder.NativeCallRefused(step_, {"Bash", "toolu_8", "tool_use", "claude", false});
  StepEnd end;
  end.duration = std::chrono::milliseconds(5120);
  end.usage = {910, 210, 1120, false, 0.5};
  end.isolation = IsolationLevel::kCoexisting;
  end.sandbox = "degraded";
  end.provider = "claude";
  end.provider_version = "2.1.332";
  end.model = "opus";
  end.session_id = "s-1";
  end.proxy = end.intercept = true;
  end.proxy_tools = 6;
  end.stderr_tail = "warning\n";
  recorder.StepEnded(step_, end);
  RunEnd run_end;
  run_end.status = "completed";
  run_end.duration = std::chrono::milliseconds(6000);
  recorder.RunEnded(run_end);

  EXPECT_THAT(
      audit_.lines,
      ElementsAre(
          HasSubstr("run.started"), HasSubstr("step.started"),
          R"(proxy.ready {"step":"work","client":"claude-code","client_version":"2.1.332","protocol":"2025-11-25",)"
          R"("tools":["Bash","Grep"],"tools_sha256":"sha[digest]","pid":42})",
          R"(isolation {"step":"work","level":"proven","announced":["mcp__awf-proxy__Bash"],"foreign":[],)"
          R"("reason":"announced"})",
          HasSubstr("tool.call"),
          R"(bypass {"step":"work","native_tool":"Read","client_call_id":"toolu_9","event":"tool_use"})",
          R"(step.completed {"step":"work","attempt":1,"status":"success","exit_code":0,"duration_ms":5120,)"
          R"("tool_calls":1,"bypasses":1,"tokens_input":910,"tokens_output":210,"estimated":false} disk)",
          R"(run.completed {"status":"completed","exit_code":0,"duration_ms":6000,"records":8} disk)"));
  EXPECT_THAT(
      log_.lines,
      ElementsAre(
          HasSubstr("workflow started"), HasSubstr("step started"),
          R"(info mcp proxy ready {"client":"claude-code","protocol":"2025-11-25","tools":2,"start":1} step=work )"
          R"(span=2222222222222222)",
          R"(info mcp proxy isolation {"provider":"claude","version":"2.1.332","isolation":"proven",)"
          R"("reason":"announced"} step=work span=2222222222222222)",
          HasSubstr("tool call"),
          R"(warn mcp proxy bypass {"provider":"claude","native_tool":"Read","client_call_id":"toolu_9"} step=work )"
          R"(span=2222222222222222)",
          R"(info native_call_refused {"provider":"claude","native_tool":"Bash","client_call_id":"toolu_8"} step=work )"
          R"(span=2222222222222222)",
          R"(debug agent stderr {"text":"warning\n"} step=work span=2222222222222222)",
          R"(info step completed {"type":"agent","status":"success","duration_ms":5120,"tokens_input":910,)"
          R"("tokens_output":210,"exit_code":0,"isolation":"coexisting","sandbox":"degraded"} step=work )"
          R"(span=2222222222222222)",
          R"(info workflow completed {"workflow":"review","status":"completed","exit_code":0,"duration_ms":6000} )"
          R"(span=1111111111111111)"));
  ASSERT_EQ(spans_.spans.size(), 3U);
  const SpanRecord& span = spans_.spans[1];
  EXPECT_EQ(span.name, "step: work");
  EXPECT_EQ(span.span_id, kStep);
  EXPECT_EQ(span.parent_span_id, kRoot);
  EXPECT_EQ(span.start, At(1500));
  EXPECT_EQ(span.end, At(6620));
  EXPECT_THAT(
      Texts(span.attributes),
      ElementsAre("step.name=work", "step.type=agent", "step.status=success", "awf.provider=claude",
                  "awf.provider.version=2.1.332", "gen_ai.operation.name=invoke_agent", "gen_ai.agent.name=work",
                  "gen_ai.provider.name=anthropic", "gen_ai.request.model=opus", "gen_ai.conversation.id=s-1",
                  "gen_ai.usage.input_tokens=910", "gen_ai.usage.output_tokens=210", "awf.tokens.estimated=false",
                  "awf.cost_usd=5E-1", "awf.proxy.enabled=true", "awf.proxy.intercept=true", "awf.proxy.tools=6",
                  "awf.proxy.starts=1", "awf.isolation.level=coexisting", "awf.sandbox=degraded", "awf.bypasses=1"));
  ASSERT_EQ(span.events.size(), 2U);
  EXPECT_EQ(span.events[0].name, "proxy.ready");
  EXPECT_THAT(Texts(span.events[0].attributes), ElementsAre("client=claude-code", "protocol_version=2025-11-25"));
  EXPECT_EQ(span.events[1].name, "isolation.bypass");
  EXPECT_THAT(Texts(span.events[1].attributes), ElementsAre("tool=Read", "call_id=toolu_9"));

  const SpanRecord& root = spans_.spans[2];
  EXPECT_EQ(root.name, "workflow.execution");
  EXPECT_EQ(root.span_id, kRoot);
  EXPECT_EQ(root.parent_span_id, "");
  EXPECT_THAT(
      Texts(root.attributes),
      ElementsAre("workflow.name=review", "workflow.version=1.0", "awf.run.id=r",
                  "gen_ai.operation.name=invoke_workflow", "gen_ai.workflow.name=review", "awf.run.status=completed",
                  "awf.exit_code=0", "awf.steps=1", "awf.tool_calls=1", "awf.audit.head=hash7"));
  const RunCounts counts = recorder.Counts();
  EXPECT_EQ(counts.steps, 1);
  EXPECT_EQ(counts.bypasses, 1);
  EXPECT_EQ(counts.tokens_input, 910);
  EXPECT_EQ(counts.cost_usd, 0.5);
}

TEST_F(StepRecordsTest, AFailedStepCarriesItsCode) {
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  StepStart step;
  step.time = At(1500);
  recorder.StepStarted(step_, step);
  StepEnd end;
  end.status = StepStatus::kFailure;
  end.error = Error{"EXECUTION.AGENT.FAILED", "no final event", "", {}, "work", ""};
  end.exit_code = 1;
  for (int i = 1; i <= 25; ++i) end.stderr_tail += "line " + std::to_string(i) + "\n";
  recorder.StepEnded(step_, end);
  std::string last;
  for (int i = 6; i <= 25; ++i) last += "line " + std::to_string(i) + (i < 25 ? "\\n" : "");
  EXPECT_THAT(log_.lines,
              ElementsAre(HasSubstr("workflow started"), HasSubstr("step started"),
                          R"(error agent stderr {"text":")" + last + R"("} step=work span=2222222222222222)",
                          R"(error step failed {"type":"agent","status":"failure","duration_ms":0,"tokens_input":0,)"
                          R"("tokens_output":0,"exit_code":1,"code":"EXECUTION.AGENT.FAILED"} )"
                          R"(error=no final event step=work span=2222222222222222)"));
  EXPECT_EQ(audit_.lines.back(),
            R"(step.completed {"step":"work","attempt":1,"status":"failure","exit_code":1,)"
            R"("code":"EXECUTION.AGENT.FAILED","error":"no final event","duration_ms":0,"tool_calls":0,"bypasses":0,)"
            R"("tokens_input":0,"tokens_output":0,"estimated":false} disk)");
  ASSERT_EQ(spans_.spans.size(), 1U);
  EXPECT_TRUE(spans_.spans[0].failed);
  EXPECT_EQ(spans_.spans[0].status_message, "no final event");
  EXPECT_THAT(Texts(spans_.spans[0].attributes), testing::Contains("error.type=EXECUTION.AGENT.FAILED"));
}

TEST_F(StepRecordsTest, AttemptsOfAStateShareOneSpanAndOnePairOfRecords) {
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  StepStart step;
  step.time = At(1500);
  recorder.StepStarted(step_, step);
  recorder.CallFinished(step_, call_, Ended(CallOutcome::kOk));
  recorder.Logged(&step_, LogLevel::kError, "agent stderr", {{"text", "of the first"}});
  log_.lines.clear();
  log_.attempts.clear();
  recorder.StepRetried(step_,
                       {2, std::chrono::milliseconds(250), {"EXECUTION.AGENT.FAILED", "overloaded", "", {}, "", ""}});
  step_.attempt = 2;
  recorder.CallFinished(step_, call_, Ended(CallOutcome::kOk));
  StepEnd end;
  end.attempts = 2;
  end.stderr_tail = "of the second\n";
  recorder.StepEnded(step_, end);
  EXPECT_THAT(log_.lines,
              ElementsAre(R"(warn step retry {"type":"agent","delay_ms":250,"code":"EXECUTION.AGENT.FAILED"} )"
                          R"(error=overloaded step=work span=2222222222222222)",
                          HasSubstr("tool call"), HasSubstr("of the second"), HasSubstr("step completed")));
  EXPECT_THAT(log_.attempts, ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(audit_.lines, ElementsAre(HasSubstr("run.started"), HasSubstr("step.started"),
                                        HasSubstr(R"("attempt":1,"call")"), HasSubstr(R"("attempt":2,"call")"),
                                        HasSubstr(R"(step.completed {"step":"work","attempt":2,"status":"success")")));
  EXPECT_THAT(audit_.lines.back(), HasSubstr(R"("tool_calls":2,)"));
  ASSERT_EQ(spans_.spans.size(), 3U);
  const SpanRecord& span = spans_.spans[2];
  EXPECT_THAT(Texts(span.attributes), testing::Contains("awf.attempts=2"));
  ASSERT_EQ(span.events.size(), 1U);
  EXPECT_EQ(span.events[0].name, "retry");
  EXPECT_THAT(Texts(span.events[0].attributes), ElementsAre("attempt=2", "delay_ms=250", "error=overloaded"));
}

TEST_F(StepRecordsTest, StatesOfLoopsAndBranchesHangUnderTheirHolder) {
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  step_.kind = StepKind::kCommand;
  step_.parent_span_id = "4444444444444444";
  StepContext body = step_;
  body.loop_index = 0;
  StepContext branch = step_;
  branch.branch = "work";
  for (const StepContext& step : {body, branch}) {
    recorder.StepStarted(step, {});
    recorder.StepEnded(step, {});
  }
  EXPECT_EQ(audit_.lines[1], R"(step.started {"step":"work","kind":"step","attempt":1,"loop":0})");
  EXPECT_EQ(audit_.lines[3], R"(step.started {"step":"work","kind":"step","attempt":1,"branch":"work"})");
  ASSERT_EQ(spans_.spans.size(), 2U);
  for (const SpanRecord& span : spans_.spans) EXPECT_EQ(span.parent_span_id, "4444444444444444");
  EXPECT_THAT(Texts(spans_.spans[0].attributes), ElementsAre("step.name=work", "step.type=step", "step.status=success",
                                                             "awf.loop.index=0", "process.exit.code=0"));
  EXPECT_THAT(Texts(spans_.spans[1].attributes), testing::Contains("awf.branch=work"));
}

TEST_F(StepRecordsTest, ErrorOutputThatTheExecutorLoggedIsNotRepeated) {
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  recorder.StepStarted(step_, {});
  recorder.Logged(&step_, LogLevel::kError, "agent stderr", {{"text", "oops"}});
  StepEnd end;
  end.error = Error{"EXECUTION.AGENT.FAILED", "x", "", {}, "", ""};
  end.stderr_tail = "oops\n";
  recorder.StepEnded(step_, end);
  EXPECT_EQ(std::count_if(log_.lines.begin(), log_.lines.end(),
                          [](const std::string& line) { return line.find("agent stderr") != std::string::npos; }),
            1);
}

TEST_F(StepRecordsTest, ACancelledCommandStepSaysSo) {
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  step_.kind = StepKind::kCommand;
  recorder.StepStarted(step_, {});
  StepEnd end;
  end.status = StepStatus::kCancelled;
  end.error = Error{"EXECUTION.RUN.CANCELLED", "interrupted", "", {}, "work", ""};
  end.exit_code = 143;
  recorder.StepEnded(step_, end);
  EXPECT_EQ(log_.lines.back(),
            R"(warn step failed {"type":"step","status":"cancelled","duration_ms":0,"exit_code":143,)"
            R"("code":"EXECUTION.RUN.CANCELLED"} error=interrupted step=work span=2222222222222222)");
  ASSERT_EQ(spans_.spans.size(), 1U);
  EXPECT_THAT(Texts(spans_.spans[0].attributes), testing::Contains("process.exit.code=143"));
  ASSERT_EQ(spans_.spans[0].events.size(), 1U);
  EXPECT_EQ(spans_.spans[0].events[0].name, "cancelled");
}

}  // namespace
}  // namespace awf
