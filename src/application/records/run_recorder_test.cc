#include "application/records/run_recorder.h"

#include "application/records/recorder_fixture_for_tests.h"

namespace awf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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
  report.verified = "1.2.2";
  report.reason = "not proven";
  recorder.IsolationKnown(step_, report);
  recorder.IsolationKnown(step_, report);
  const std::string fields =
      R"({"provider":"codex","version":"1.2.3","verified":"1.2.2","isolation":"flags","reason":"not proven"})";
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

}  // namespace
}  // namespace awf
