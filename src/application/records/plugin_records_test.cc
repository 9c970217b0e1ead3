#include <algorithm>

#include "application/records/recorder_fixture_for_tests.h"
#include "application/records/rpc_event.h"

namespace awf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using std::chrono::microseconds;
using std::chrono::milliseconds;

class PluginRecordsTest : public RunRecorderTest {
 protected:
  PluginRecordsTest() {
    plugin_.plugin = "kubernetes";
    plugin_.version = "1.4.0";
    plugin_.path = "/p/awf-plugin-kubernetes";
    plugin_.sha256 = "9f86d0";
    plugin_.tls = true;
    plugin_.duration = milliseconds(35);
  }
  void Begin(RunRecorder& recorder) {
    recorder.RunStarted(start_);
    recorder.StepStarted(step_, {});
    log_.lines.clear();
    audit_.lines.clear();
  }
  static RpcRecord Rpc(int status) {
    return {"plugin.v1.OperationService", "Execute", status, microseconds(2000), microseconds(4100)};
  }
  static std::vector<std::string> Shown(const SpanEvent& event) {
    std::vector<std::string> texts = Texts(event.attributes);
    texts.insert(texts.begin(), event.name);
    return texts;
  }

  PluginStart plugin_;
};

TEST_F(PluginRecordsTest, AStartIsALineARecordAndAnEventOfTheStepThatNeededIt) {
  RunRecorder recorder = Make();
  Begin(recorder);
  recorder.PluginStarted(step_, plugin_);
  EXPECT_THAT(log_.lines, ElementsAre(R"(info plugin started {"plugin":"kubernetes","version":"1.4.0",)"
                                      R"("duration_ms":35} step=work span=2222222222222222)"));
  EXPECT_THAT(audit_.lines, ElementsAre(R"(plugin.started {"plugin":"kubernetes","version":"1.4.0",)"
                                        R"("path":"/p/awf-plugin-kubernetes","sha256":"9f86d0","tls":true})"));
  recorder.StepEnded(step_, {});
  ASSERT_EQ(spans_.spans.size(), 1U);
  ASSERT_EQ(spans_.spans[0].events.size(), 1U);
  EXPECT_THAT(Shown(spans_.spans[0].events[0]), ElementsAre("plugin.started", "plugin=kubernetes", "duration_ms=35"));
  EXPECT_EQ(spans_.spans[0].events[0].time, At(5000));
}

TEST_F(PluginRecordsTest, AnEndIsOfTheRunAndAWarningWhenNobodyAskedForIt) {
  RunRecorder recorder = Make();
  Begin(recorder);
  recorder.PluginStopped({"kubernetes", "1.4.0", "/p/k", "9f86d0", true, "exit status 3", false});
  recorder.PluginStopped({"forge", "0.1.0", "/p/f", "aa", false, "", true});
  EXPECT_THAT(log_.lines,
              ElementsAre(R"(warn plugin ended {"plugin":"kubernetes","version":"1.4.0","exit":"exit status 3"})"
                          " span=1111111111111111",
                          R"(info plugin stopped {"plugin":"forge","version":"0.1.0"} span=1111111111111111)"));
  EXPECT_THAT(audit_.lines,
              ElementsAre(R"(plugin.stopped {"plugin":"kubernetes","version":"1.4.0","path":"/p/k",)"
                          R"("sha256":"9f86d0","tls":true,"exit":"exit status 3"})",
                          R"(plugin.stopped {"plugin":"forge","version":"0.1.0","path":"/p/f","sha256":"aa",)"
                          R"("tls":false})"));
}

TEST_F(PluginRecordsTest, WhatAPluginLogsIsALineOfItsOwnLevel) {
  RunRecorder recorder = Make();
  Begin(recorder);
  recorder.Logged(nullptr, LogLevel::kWarn, "plugin log",
                  {{"plugin", "forge"}, {"text", "slow"}, {"fields", json::object{{"after_ms", 7}}}});
  EXPECT_THAT(log_.lines, ElementsAre(R"(warn plugin log {"plugin":"forge","text":"slow","fields":{"after_ms":7}})"
                                      " span=1111111111111111"));
  EXPECT_THAT(audit_.lines, IsEmpty());
}

TEST_F(PluginRecordsTest, TheRpcIsAnEventOfTheCall) {
  RunRecorder recorder = Make();
  Begin(recorder);
  call_.tool = "forge_run";
  call_.source = "plugin:forge";
  CallEnd end = Ended(CallOutcome::kOk);
  end.rpc = Rpc(0);
  recorder.CallFinished(step_, call_, end);
  end = Ended(CallOutcome::kTimeout, "forge: no answer within 4 ms", "timeout");
  end.rpc = Rpc(4);
  recorder.CallFinished(step_, call_, end);
  ASSERT_EQ(spans_.spans.size(), 2U);
  ASSERT_EQ(spans_.spans[0].events.size(), 1U);
  EXPECT_THAT(Shown(spans_.spans[0].events[0]),
              ElementsAre("rpc", "rpc.system.name=grpc", "rpc.method=plugin.v1.OperationService/Execute",
                          "rpc.response.status_code=OK", "duration_us=4100"));
  EXPECT_EQ(spans_.spans[0].events[0].time, At(2002));
  ASSERT_EQ(spans_.spans[1].events.size(), 2U);
  EXPECT_THAT(Texts(spans_.spans[1].events[0].attributes),
              testing::Contains("rpc.response.status_code=DEADLINE_EXCEEDED"));
  EXPECT_EQ(spans_.spans[1].events[1].name, "exception");
  // Of the RPC there is nothing in the log line and the audit record: one call is one of each.
  EXPECT_EQ(log_.lines.size(), 2U);
  EXPECT_EQ(audit_.lines.size(), 2U);
  EXPECT_EQ(log_.lines[0], R"(info tool call {"tool":"forge_run","source":"plugin:forge","duration_ms":6,)"
                           R"("call":"9f02c4d17be6a038","client_call_id":"toolu_1"} step=work)"
                           " span=9f02c4d17be6a038 s");
}

TEST_F(PluginRecordsTest, AnRpcLiesWithinItsCall) {
  RunRecorder recorder = Make();
  Begin(recorder);
  CallEnd end = Ended(CallOutcome::kOk);
  end.rpc = Rpc(0);
  end.rpc->begin = end.duration + microseconds(1);
  recorder.CallFinished(step_, call_, end);
  ASSERT_EQ(spans_.spans.size(), 1U);
  EXPECT_EQ(spans_.spans[0].events.at(0).time, spans_.spans[0].end);
}

TEST_F(PluginRecordsTest, AStepThatIsAnOperationSaysWhichAndHasTheRpcItself) {
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  log_.lines.clear();
  audit_.lines.clear();
  step_.kind = StepKind::kOperation;
  StepStart start;
  start.time = At(3000);
  start.operation = "forge.run";
  recorder.StepStarted(step_, start);
  EXPECT_THAT(log_.lines, ElementsAre(R"(info step started {"type":"operation","operation":"forge.run"} step=work)"
                                      " span=2222222222222222"));
  EXPECT_THAT(audit_.lines, ElementsAre(R"(step.started {"step":"work","kind":"operation","attempt":1,)"
                                        R"("operation":"forge.run"})"));
  recorder.PluginStarted(step_, plugin_);
  StepEnd end;
  end.duration = milliseconds(60'000);
  end.rpc = Rpc(14);
  recorder.StepEnded(step_, end);
  ASSERT_EQ(spans_.spans.size(), 1U);
  const SpanRecord& span = spans_.spans[0];
  EXPECT_THAT(Texts(span.attributes),
              ElementsAre("step.name=work", "step.type=operation", "step.status=success", "awf.operation=forge.run"));
  ASSERT_EQ(span.events.size(), 2U);
  EXPECT_EQ(span.events[0].name, "plugin.started");
  EXPECT_THAT(Shown(span.events[1]),
              ElementsAre("rpc", "rpc.system.name=grpc", "rpc.method=plugin.v1.OperationService/Execute",
                          "rpc.response.status_code=UNAVAILABLE", "duration_us=4100"));
  EXPECT_EQ(span.events[1].time, At(3002));
}

TEST_F(PluginRecordsTest, WithoutSpansThereAreNoEvents) {
  RunRecorder recorder = Make(false);
  Begin(recorder);
  recorder.PluginStarted(step_, plugin_);
  recorder.StepEnded(step_, {});
  EXPECT_THAT(spans_.spans, IsEmpty());
  EXPECT_EQ(audit_.lines[0].substr(0, 15), "plugin.started ");
}

TEST(RpcStatusName, KnowsThoseOfGrpc) {
  EXPECT_EQ(RpcStatusName(0), "OK");
  EXPECT_EQ(RpcStatusName(8), "RESOURCE_EXHAUSTED");
  EXPECT_EQ(RpcStatusName(16), "UNAUTHENTICATED");
  EXPECT_EQ(RpcStatusName(17), "17");
  EXPECT_EQ(RpcStatusName(-1), "-1");
}

}  // namespace
}  // namespace awf
