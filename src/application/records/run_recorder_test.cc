#include "application/records/run_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "domain/test_time.h"
#include "domain/trace_context.h"

namespace awf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kTrace[] = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr char kRoot[] = "1111111111111111";
constexpr char kStep[] = "2222222222222222";

// "info message {fields} error=… step=… span=…"
struct FakeLog : LogSink {
  bool Write(const LogRecord& r) override {
    const std::lock_guard lock(mutex);
    if (fails) return false;
    std::string line(ToString(r.level));
    line += " " + r.message + " " + json::serialize(r.fields);
    if (!r.error.empty()) line += " error=" + r.error;
    if (!r.step.empty()) line += " step=" + r.step;
    line += " span=" + r.span_id;
    if (r.whole_seconds) line += " s";
    lines.push_back(line);
    attempts.push_back(r.attempt);
    return true;
  }
  std::string Name() const override { return name; }
  std::mutex mutex;
  std::string name = "log.jsonl";
  std::vector<std::string> lines;
  std::vector<int> attempts;
  bool fails = false;
};

struct FakeAudit : AuditSink {
  std::expected<void, Error> Append(std::string_view type, const json::object& fields, Durability durability) override {
    const std::lock_guard lock(mutex);
    if (fails) return Fail("SYSTEM.IO.WRITE_FAILED", "cannot write audit.jsonl: No space left on device");
    ++head.seq;
    head.hash = "hash" + std::to_string(head.seq);
    lines.push_back(std::string(type) + " " + json::serialize(fields) +
                    (durability == Durability::kOnDisk ? " disk" : ""));
    return {};
  }
  AuditHead Head() const override {
    const std::lock_guard lock(mutex);
    return head;
  }
  std::string Digest(std::string_view text) const override { return "sha[" + std::string(text) + "]"; }
  mutable std::mutex mutex;
  AuditHead head;
  std::vector<std::string> lines;
  bool fails = false;
};

struct FakeSpans : SpanSink {
  bool Write(const SpanRecord& span) override {
    const std::lock_guard lock(mutex);
    if (fails) return false;
    spans.push_back(span);
    return true;
  }
  std::string Name() const override { return "trace.json"; }
  std::mutex mutex;
  std::vector<SpanRecord> spans;
  bool fails = false;
};

std::string Text(const AttributeValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return json::serialize(json::value(std::get<double>(value)));
}

std::vector<std::string> Texts(const Attributes& attributes) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : attributes) texts.push_back(key + "=" + Text(value));
  return texts;
}

class RunRecorderTest : public testing::Test {
 protected:
  RunRecorderTest() {
    start_.run_id = "r";
    start_.trace_id = kTrace;
    start_.span_id = kRoot;
    start_.workflow = "review";
    start_.version = "1.0";
    start_.workflow_sha256 = "abc";
    start_.inputs = {{"name", "value"}, {"pin", "1234"}};
    start_.time = At(1000);
    step_.run_id = "r";
    step_.step = step_.path = "work";
    step_.kind = StepKind::kAgent;
    step_.trace_id = kTrace;
    step_.span_id = kStep;
    call_.call = "9f02c4d17be6a038";
    call_.tool = "Grep";
    call_.source = "builtin";
    call_.request_id = "7";
    call_.client_call_id = "toolu_1";
    call_.time = At(2000);
    call_.bytes_in = 20;
  }

  RunRecorder Make(bool spans = true) {
    return RunRecorder(
        {"me", "box", "0.1.0", {"pin"}}, {{&log_}, &audit_, spans ? &spans_ : nullptr},
        [this](const Error& e) { failures_.push_back(e.code); }, [] { return At(5000); });
  }

  CallEnd Ended(CallOutcome outcome, std::string error = {}, std::string type = {}) {
    CallEnd end;
    end.outcome = outcome;
    end.duration = std::chrono::microseconds(6500);
    end.error = std::move(error);
    end.error_type = std::move(type);
    end.bytes_out = 90;
    return end;
  }

  FakeLog log_;
  FakeAudit audit_;
  FakeSpans spans_;
  std::vector<std::string> failures_;
  RunStart start_;
  StepContext step_;
  CallRecord call_;
};

TEST_F(RunRecorderTest, TellsStartOfRunAndStep) {
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  StepStart step;
  step.provider = "claude";
  step.provider_version = "2.1.332";
  step.intercept = true;
  step.sandbox = "workspace-write";
  recorder.StepStarted(step_, step);
  EXPECT_THAT(
      audit_.lines,
      ElementsAre(
          R"(run.started {"workflow":"review","version":"1.0","workflow_sha256":"abc","user":"me","host":"box",)"
          R"("awf_version":"0.1.0","inputs":{"name":"value","pin":"***"},"resumed":false,"traceparent":""} disk)",
          R"(step.started {"step":"work","kind":"agent","attempt":1,"provider":"claude","provider_version":"2.1.332",)"
          R"("model":"","intercept":true,"sandbox":"workspace-write"})"));
  EXPECT_THAT(log_.lines,
              ElementsAre(R"(info workflow started {"workflow":"review","version":"1.0"} span=1111111111111111)",
                          R"(info step started {"type":"agent","provider":"claude"} step=work span=2222222222222222)"));
  EXPECT_THAT(spans_.spans, IsEmpty());
}

TEST_F(RunRecorderTest, ACallIsOneLineOneRecordOneSpan) {
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  recorder.StepStarted(step_, {});
  recorder.ProxyIsReady(step_, {"claude-code", "2.1", "2025-11-25", {"Bash", "Grep"}, "digest", 42, 1});
  log_.lines.clear();
  audit_.lines.clear();
  recorder.CallStarted(step_, call_);
  recorder.CallFinished(step_, call_, Ended(CallOutcome::kOk));
  EXPECT_THAT(
      log_.lines,
      ElementsAre(R"(info tool call {"tool":"Grep","source":"builtin","duration_ms":6,)"
                  R"("call":"9f02c4d17be6a038","client_call_id":"toolu_1"} step=work span=9f02c4d17be6a038 s)"));
  EXPECT_THAT(
      audit_.lines,
      ElementsAre(R"(tool.call {"step":"work","attempt":1,"call":"9f02c4d17be6a038","client_call_id":"toolu_1",)"
                  R"("tool":"Grep","source":"builtin","outcome":"ok","duration_us":6500,"bytes_in":20,)"
                  R"("bytes_out":90})"));
  ASSERT_EQ(spans_.spans.size(), 1U);
  const SpanRecord& span = spans_.spans[0];
  EXPECT_EQ(span.name, "tool.call: Grep");
  EXPECT_EQ(span.kind, SpanKind::kServer);
  EXPECT_EQ(span.trace_id, kTrace);
  EXPECT_EQ(span.span_id, "9f02c4d17be6a038");
  EXPECT_EQ(span.parent_span_id, kStep);
  EXPECT_EQ(span.start, At(2000));
  EXPECT_EQ(span.end, At(2000) + std::chrono::microseconds(6500));
  EXPECT_FALSE(span.failed);
  EXPECT_THAT(span.events, IsEmpty());
  EXPECT_THAT(
      Texts(span.attributes),
      ElementsAre("tool.name=Grep", "tool.source=builtin", "tool.duration_ms=6", "gen_ai.operation.name=execute_tool",
                  "gen_ai.tool.name=Grep", "gen_ai.tool.type=function", "gen_ai.tool.call.id=toolu_1",
                  "mcp.method.name=tools/call", "mcp.protocol.version=2025-11-25", "jsonrpc.request.id=7",
                  "network.transport=pipe", "awf.bytes_in=20", "awf.bytes_out=90"));
}

TEST_F(RunRecorderTest, EveryOutcomeHasItsLevelAndErrorType) {
  struct Case {
    CallOutcome outcome;
    std::string error, type, denied;
    std::string log, error_type;
  };
  const Case cases[] = {
      {CallOutcome::kError, "old_string occurs 3 times", "", "", "error error=old_string occurs 3 times", "tool_error"},
      {CallOutcome::kError, "invalid arguments: 'path' is required", "invalid_arguments", "",
       "error error=invalid arguments: 'path' is required", "invalid_arguments"},
      {CallOutcome::kError, "unknown tool X", "-32602", "", "error error=unknown tool X", "-32602"},
      {CallOutcome::kTimeout, "timeout after 120 s", "timeout", "", "error error=timeout after 120 s", "timeout"},
      {CallOutcome::kCancelled, "cancelled by client", "cancelled", "", "warn error=cancelled by client", "cancelled"},
      {CallOutcome::kDenied, "Blocked by the sandbox", "policy_denied", "sandbox", "warn error=Blocked by the sandbox",
       "policy_denied"},
      {CallOutcome::kLost, "", "", "", "error error=proxy lost: no result before the server ended", "proxy_lost"},
  };
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  recorder.StepStarted(step_, {});
  for (const Case& c : cases) {
    log_.lines.clear();
    audit_.lines.clear();
    spans_.spans.clear();
    CallEnd end = Ended(c.outcome, c.error, c.type);
    end.denied = c.denied;
    end.exit_code = 2;
    recorder.CallFinished(step_, call_, end);
    ASSERT_EQ(log_.lines.size(), 1U);
    ASSERT_EQ(audit_.lines.size(), 1U);
    ASSERT_EQ(spans_.spans.size(), 1U);
    const std::string level = c.log.substr(0, c.log.find(' ')), error = c.log.substr(c.log.find(' ') + 1);
    const std::string denied = c.denied.empty() ? "" : R"(,"denied":"sandbox")";
    EXPECT_EQ(log_.lines[0], level + R"( tool call {"tool":"Grep","source":"builtin","duration_ms":6,"exit_code":2,)" +
                                 R"("call":"9f02c4d17be6a038","client_call_id":"toolu_1")" + denied + "} " + error +
                                 " step=work span=9f02c4d17be6a038 s");
    EXPECT_THAT(audit_.lines[0], HasSubstr(R"("outcome":")" + std::string(ToString(c.outcome)) + R"(","error":")" +
                                           error.substr(6) + R"(","duration_us":6500,)"));
    EXPECT_THAT(audit_.lines[0], HasSubstr(R"("bytes_out":90,"exit_code":2})"));
    const SpanRecord& span = spans_.spans[0];
    EXPECT_TRUE(span.failed);
    EXPECT_EQ(span.status_message, error.substr(6));
    EXPECT_THAT(Texts(span.attributes), testing::Contains("error.type=" + c.error_type));
    EXPECT_THAT(Texts(span.attributes), testing::Contains("process.exit.code=2"));
    ASSERT_EQ(span.events.size(), 1U);
    EXPECT_EQ(span.events[0].name, "exception");
    EXPECT_EQ(span.events[0].time, span.end);
    EXPECT_THAT(Texts(span.events[0].attributes),
                ElementsAre("exception.type=" + c.error_type, "exception.message=" + error.substr(6)));
  }
  EXPECT_EQ(recorder.Counts().tool_calls, 7);
  EXPECT_EQ(recorder.Counts().tool_errors, 7);
  EXPECT_EQ(recorder.Counts().denials, 1);
}

TEST_F(RunRecorderTest, AnInProcessCallIsInternal) {
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  call_.request_id.clear();
  call_.client_call_id.clear();
  call_.source = "plugin:forge";
  CallEnd end = Ended(CallOutcome::kOk);
  end.truncated = true;
  step_.attempt = 2;
  recorder.CallFinished(step_, call_, end);
  ASSERT_EQ(spans_.spans.size(), 1U);
  EXPECT_EQ(spans_.spans[0].kind, SpanKind::kInternal);
  EXPECT_THAT(Texts(spans_.spans[0].attributes),
              ElementsAre("tool.name=Grep", "tool.source=plugin:forge", "tool.duration_ms=6",
                          "gen_ai.operation.name=execute_tool", "gen_ai.tool.name=Grep", "gen_ai.tool.type=extension",
                          "awf.bytes_in=20", "awf.bytes_out=90", "awf.truncated=true", "awf.attempt=2"));
}

TEST_F(RunRecorderTest, AClientsTraceContextIsParentOnlyInOurTrace) {
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  call_.traceparent = FormatTraceParent(kTrace, "3333333333333333");
  recorder.CallFinished(step_, call_, Ended(CallOutcome::kOk));
  call_.traceparent = FormatTraceParent("0af7651916cd43dd8448eb211c80319c", "3333333333333333");
  recorder.CallFinished(step_, call_, Ended(CallOutcome::kOk));
  call_.traceparent = "nonsense";
  recorder.CallFinished(step_, call_, Ended(CallOutcome::kOk));
  ASSERT_EQ(spans_.spans.size(), 3U);
  EXPECT_EQ(spans_.spans[0].parent_span_id, "3333333333333333");
  EXPECT_THAT(spans_.spans[0].links, IsEmpty());
  EXPECT_EQ(spans_.spans[1].parent_span_id, kStep);
  ASSERT_EQ(spans_.spans[1].links.size(), 1U);
  EXPECT_EQ(spans_.spans[1].links[0].trace_id, "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(spans_.spans[2].parent_span_id, kStep);
  EXPECT_THAT(spans_.spans[2].links, IsEmpty());
}

TEST_F(RunRecorderTest, AStepHasItsSpanWithEventsAndSums) {
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
          R"(info step completed {"type":"agent","status":"success","duration_ms":5120,"exit_code":0,)"
          R"("tokens_input":910,"tokens_output":210,"isolation":"coexisting","sandbox":"degraded"} step=work )"
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

TEST_F(RunRecorderTest, AFailedStepCarriesItsCode) {
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
                          R"(error step failed {"type":"agent","status":"failure","duration_ms":0,"exit_code":1,)"
                          R"("tokens_input":0,"tokens_output":0,"code":"EXECUTION.AGENT.FAILED"} )"
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

TEST_F(RunRecorderTest, AttemptsOfAStateShareOneSpanAndOnePairOfRecords) {
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

TEST_F(RunRecorderTest, StatesOfLoopsAndBranchesHangUnderTheirHolder) {
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

TEST_F(RunRecorderTest, ARunThatIsTakenUpSaysSoAndLinksToTheOneBefore) {
  RunRecorder recorder = Make();
  start_.resumed = true;
  start_.resumed_trace_id = "0af7651916cd43dd8448eb211c80319c";
  start_.resumed_span_id = "3333333333333333";
  recorder.RunStarted(start_);
  recorder.RunEnded({});
  EXPECT_THAT(audit_.lines[0], HasSubstr(R"("resumed":true,)"));
  ASSERT_EQ(spans_.spans.size(), 1U);
  EXPECT_THAT(Texts(spans_.spans[0].attributes), testing::Contains("awf.run.resumed=true"));
  ASSERT_EQ(spans_.spans[0].links.size(), 1U);
  EXPECT_EQ(spans_.spans[0].links[0].trace_id, start_.resumed_trace_id);
  EXPECT_EQ(spans_.spans[0].links[0].span_id, start_.resumed_span_id);
}

TEST_F(RunRecorderTest, ErrorOutputThatTheExecutorLoggedIsNotRepeated) {
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

TEST_F(RunRecorderTest, ACancelledCommandStepSaysSo) {
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

TEST_F(RunRecorderTest, ALostServerIsAnErrorUnlessReplacedWithoutALostCall) {
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  StepStart step;
  step.provider = "gemini";
  recorder.StepStarted(step_, step);
  log_.lines.clear();
  audit_.lines.clear();
  recorder.ProxyWasLost(step_, {42, "gemini-cli", 1, false});
  recorder.ProxyWasLost(step_, {43, "gemini-cli", 0, true});
  EXPECT_THAT(log_.lines,
              ElementsAre(R"(error mcp proxy lost {"code":"EXECUTION.MCP_PROXY.LOST","provider":"gemini","calls":1,)"
                          R"("replaced":false} step=work span=2222222222222222)",
                          R"(warn mcp proxy lost {"provider":"gemini","calls":0,"replaced":true} step=work )"
                          R"(span=2222222222222222)"));
  EXPECT_THAT(audit_.lines, ElementsAre(R"(proxy.lost {"step":"work","attempt":1,"pid":42,"client":"gemini-cli",)"
                                        R"("calls":1,"replaced":false,"code":"EXECUTION.MCP_PROXY.LOST"})",
                                        R"(proxy.lost {"step":"work","attempt":1,"pid":43,"client":"gemini-cli",)"
                                        R"("calls":0,"replaced":true})"));
}

TEST_F(RunRecorderTest, CoexistenceIsWarnedOfOncePerProvider) {
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  log_.lines.clear();
  IsolationReport report;
  report.level = IsolationLevel::kFlags;
  report.provider = "codex";
  report.version = "1.2.3";
  report.reason = "not proven";
  recorder.IsolationKnown(step_, report);
  recorder.IsolationKnown(step_, report);
  const std::string fields = R"({"provider":"codex","version":"1.2.3","isolation":"flags","reason":"not proven"})";
  EXPECT_THAT(log_.lines, ElementsAre("warn mcp proxy coexistence " + fields + " step=work span=2222222222222222",
                                      "info mcp proxy isolation " + fields + " step=work span=2222222222222222"));
  EXPECT_EQ(audit_.lines.back(),
            R"(isolation {"step":"work","level":"flags","announced":null,"foreign":[],"reason":"not proven"})");
}

TEST_F(RunRecorderTest, LoggedRecordsKeepTheirErrorApart) {
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  log_.lines.clear();
  recorder.Logged(&step_, LogLevel::kWarn, "option ignored", {{"error", "why"}, {"option", "x"}});
  recorder.Logged(nullptr, LogLevel::kInfo, "hello", {});
  recorder.Logged(&step_, LogLevel::kWarn, "sandbox degraded", {{"missing", "landlock"}});
  StepContext next = step_;
  next.step = "next";
  recorder.Logged(&next, LogLevel::kWarn, "sandbox degraded", {{"missing", "landlock"}});
  StepEnd end;
  end.sandbox = "degraded";
  recorder.StepEnded(step_, end);
  EXPECT_THAT(log_.lines, ElementsAre(R"(warn option ignored {"option":"x"} error=why step=work span=2222222222222222)",
                                      R"(info hello {} span=1111111111111111)",
                                      R"(warn sandbox degraded {"missing":"landlock"} step=work span=2222222222222222)",
                                      R"(warn sandbox degraded {"missing":"landlock"} step=next span=2222222222222222)",
                                      HasSubstr("step completed")));
}

TEST_F(RunRecorderTest, AnInvalidTraceParentIsIgnoredWithADebugLine) {
  RunRecorder recorder = Make();
  start_.traceparent = "00-bad";
  recorder.RunStarted(start_);
  EXPECT_EQ(log_.lines.back(), "debug TRACEPARENT ignored: not valid {} span=1111111111111111");
}

TEST_F(RunRecorderTest, ALogThatCannotBeWrittenIsToldOnceToTheOthers) {
  FakeLog console;
  console.name = "stderr";
  RunRecorder recorder({}, {{&log_, &console}, &audit_, &spans_}, nullptr, [] { return At(5000); });
  log_.fails = true;
  recorder.Logged(nullptr, LogLevel::kInfo, "a", {});
  recorder.Logged(nullptr, LogLevel::kInfo, "b", {});
  EXPECT_THAT(console.lines, ElementsAre(R"(warn records cannot be written {"file":"log.jsonl"} span=)",
                                         "info a {} span=", "info b {} span="));
  log_.fails = false;
  spans_.fails = true;
  recorder.CallFinished(step_, call_, Ended(CallOutcome::kOk));
  recorder.CallFinished(step_, call_, Ended(CallOutcome::kOk));
  EXPECT_THAT(log_.lines,
              ElementsAre(HasSubstr("tool call"), HasSubstr(R"({"file":"trace.json"})"), HasSubstr("tool call")));
}

TEST_F(RunRecorderTest, AnAuditThatCannotBeWrittenIsToldOnce) {
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  audit_.fails = true;
  recorder.CallFinished(step_, call_, Ended(CallOutcome::kOk));
  recorder.CallFinished(step_, call_, Ended(CallOutcome::kOk));
  EXPECT_THAT(failures_, ElementsAre("SYSTEM.IO.WRITE_FAILED"));
  ASSERT_TRUE(recorder.AuditFailure());
  EXPECT_EQ(recorder.AuditFailure()->code, "SYSTEM.IO.WRITE_FAILED");
  RunEnd end;
  end.status = "completed";
  recorder.RunEnded(end);
  EXPECT_EQ(log_.lines.back(),
            R"(error workflow completed {"workflow":"review","status":"failed","exit_code":4,"duration_ms":0,)"
            R"("code":"SYSTEM.IO.WRITE_FAILED"} error=cannot write audit.jsonl: No space left on device )"
            R"(span=1111111111111111)");
}

TEST_F(RunRecorderTest, WithoutASpanSinkNothingButSpansIsMissing) {
  RunRecorder recorder = Make(false);
  recorder.RunStarted(start_);
  recorder.StepStarted(step_, {});
  recorder.CallFinished(step_, call_, Ended(CallOutcome::kOk));
  recorder.StepEnded(step_, {});
  recorder.RunEnded({});
  EXPECT_EQ(audit_.lines.size(), 5U);
  EXPECT_EQ(log_.lines.size(), 5U);
  EXPECT_THAT(spans_.spans, IsEmpty());
}

TEST_F(RunRecorderTest, CountsConcurrentCallsExactly) {
  constexpr int kThreads = 16, kCalls = 50;
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  recorder.StepStarted(step_, {});
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < kCalls; ++n) recorder.CallFinished(step_, call_, Ended(CallOutcome::kOk));
    });
  }
  for (std::thread& thread : threads) thread.join();
  recorder.StepEnded(step_, {});
  EXPECT_EQ(log_.lines.size(), 2U + kThreads * kCalls + 1);
  EXPECT_EQ(audit_.lines.size(), 2U + kThreads * kCalls + 1);
  EXPECT_EQ(spans_.spans.size(), 0U + kThreads * kCalls + 1);
  EXPECT_THAT(audit_.lines.back(), HasSubstr(R"("tool_calls":800,)"));
}

}  // namespace
}  // namespace awf
