#include <thread>

#include "application/records/recorder_fixture_for_tests.h"
#include "domain/trace_context.h"

namespace awf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using CallRecordsTest = RunRecorderTest;

TEST_F(CallRecordsTest, ACallIsOneLineOneRecordOneSpan) {
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

TEST_F(CallRecordsTest, EveryOutcomeHasItsLevelAndErrorType) {
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

TEST_F(CallRecordsTest, AnInProcessCallIsInternal) {
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

TEST_F(CallRecordsTest, AClientsTraceContextIsParentOnlyInOurTrace) {
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  call_.traceparent = FormatTraceParent(kTrace, "3333333333333333", true);
  recorder.CallFinished(step_, call_, Ended(CallOutcome::kOk));
  call_.traceparent = FormatTraceParent("0af7651916cd43dd8448eb211c80319c", "3333333333333333", true);
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

TEST_F(CallRecordsTest, TheAuditHasADigestOfArgumentsThatAreCaptured) {
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  recorder.StepStarted(step_, {});
  call_.arguments = R"({"pattern":"x"})";
  recorder.CallFinished(step_, call_, Ended(CallOutcome::kOk));
  EXPECT_THAT(audit_.lines.back(), testing::EndsWith(R"("bytes_out":90,"args_sha256":"sha[{\"pattern\":\"x\"}]"})"));
}

TEST_F(CallRecordsTest, CountsConcurrentCallsExactly) {
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
