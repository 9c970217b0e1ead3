#include "application/records/recorder_fixture_for_tests.h"

namespace awf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using RecordWriterTest = RunRecorderTest;

TEST_F(RecordWriterTest, ALogThatCannotBeWrittenIsToldOnceToTheOthers) {
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
              ElementsAre(HasSubstr("tool call"), HasSubstr(R"({"file":"trace.json"} error=No space left on device)"),
                          HasSubstr("tool call")));
}

TEST_F(RecordWriterTest, AnAuditThatCannotBeWrittenIsToldOnce) {
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

TEST_F(RecordWriterTest, AParentThatIsNotSampledIsToldWhereNoSpansAreMade) {
  for (const bool sampled : {false, true}) {
    log_.lines.clear();
    RunRecorder recorder = Make(false);
    start_.traceparent = std::string("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0") + (sampled ? "1" : "0");
    recorder.RunStarted(start_);
    const bool told = log_.lines.back().starts_with("debug TRACEPARENT is not sampled: no spans are exported");
    EXPECT_EQ(told, !sampled) << log_.lines.back();
  }
}

TEST_F(RecordWriterTest, WithoutASpanSinkNothingButSpansIsMissing) {
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

}  // namespace
}  // namespace awf
