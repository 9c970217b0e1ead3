// One line of log.jsonl for each kind of thing that is logged, byte by byte: level, message, keys and their order.
#include "application/records/recorder_fixture_for_tests.h"
#include "infrastructure/telemetry/log_line.h"
#include "infrastructure/telemetry/record_cut.h"

namespace awf::telemetry {
namespace {

struct Lines : LogSink {
  bool Write(const LogRecord& record) override {
    json.push_back(RenderLogJson(record, masker));
    return true;
  }
  std::string Name() const override { return "log.jsonl"; }
  Masker masker;
  std::vector<std::string> json;
};

class LogRowsTest : public RunRecorderTest {
 protected:
  LogRowsTest() : recorder_({"me", "box", "0.1.0", {}}, {{&lines_}, &audit_}, nullptr, [] { return At(5125); }) {
    recorder_.RunStarted(start_);
    StepStart at;
    at.provider = "gemini";
    at.model = "pro";
    recorder_.StepStarted(step_, at);
    started_ = std::exchange(lines_.json, {});
    call_.client_call_id.clear();
  }

  // What follows the fields of the case: of the step, and of a call of it.
  static std::string OfStep() {
    return R"(,"run":"r","step":"work","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":"2222222222222222",)"
           R"("timestamp":"1970-01-01T00:00:05.125Z"})";
  }
  static std::string OfRun() {
    return R"(,"run":"r","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":"1111111111111111",)"
           R"("timestamp":"1970-01-01T00:00:05.125Z"})";
  }
  static std::string OfCall() {
    return R"(,"run":"r","step":"work","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":"9f02c4d17be6a038",)"
           R"("timestamp":"1970-01-01T00:00:05Z"})";
  }

  std::string Last() const { return lines_.json.empty() ? "" : lines_.json.back(); }
  std::string LineOf(const CallEnd& end) {
    recorder_.CallFinished(step_, call_, end);
    return Last();
  }
  // Of a call with the fields of the contract in front.
  static std::string Call(std::string_view level, std::string_view tool, std::string_view fields) {
    return R"({"level":")" + std::string(level) + R"(","message":"tool call","tool":")" + std::string(tool) +
           R"(","source":"builtin","duration_ms":6,)" + std::string(fields) + OfCall();
  }

  Lines lines_;
  RunRecorder recorder_;
  std::vector<std::string> started_;
};

TEST_F(LogRowsTest, StartOfRunAndStep) {
  ASSERT_EQ(started_.size(), 2U);
  EXPECT_EQ(started_[0],
            R"({"level":"info","message":"workflow started","workflow":"review","version":"1.0")" + OfRun());
  EXPECT_EQ(started_[1],
            R"({"level":"info","message":"step started","type":"agent","provider":"gemini","model":"pro")" + OfStep());
}

TEST_F(LogRowsTest, CallsOfEveryKindOfEnd) {
  const std::string id = R"("call":"9f02c4d17be6a038")";
  EXPECT_EQ(LineOf(Ended(CallOutcome::kOk)), Call("info", "Grep", id));
  call_.client_call_id = "toolu_1";
  EXPECT_EQ(LineOf(Ended(CallOutcome::kOk)), Call("info", "Grep", id + R"(,"client_call_id":"toolu_1")"));
  call_.client_call_id.clear();

  call_.tool = "Bash";
  CallEnd exit = Ended(CallOutcome::kError, "command exited with code 2: make: *** No rule to make target 'al'");
  exit.exit_code = 2;
  EXPECT_EQ(LineOf(exit), Call("error", "Bash",
                               R"("exit_code":2,)" + id +
                                   R"(,"error":"command exited with code 2: make: *** No rule to make target 'al'")"));
  EXPECT_EQ(LineOf(Ended(CallOutcome::kTimeout, "timeout after 120 s")),
            Call("error", "Bash", id + R"(,"error":"timeout after 120 s")"));
  EXPECT_EQ(LineOf(Ended(CallOutcome::kCancelled, "cancelled by client")),
            Call("warn", "Bash", id + R"(,"error":"cancelled by client")"));
  EXPECT_EQ(LineOf(Ended(CallOutcome::kLost)),
            Call("error", "Bash", id + R"(,"error":"proxy lost: no result before the server ended")"));

  call_.tool = "Edit";
  EXPECT_EQ(LineOf(Ended(CallOutcome::kError, "old_string occurs 3 times in a.cc (lines 4, 9, 30)")),
            Call("error", "Edit", id + R"x(,"error":"old_string occurs 3 times in a.cc (lines 4, 9, 30)")x"));
  CallEnd denied = Ended(CallOutcome::kDenied, "Blocked by the sandbox (workspace-write): cannot write /etc/x.");
  denied.denied = "sandbox";
  EXPECT_EQ(
      LineOf(denied),
      Call("warn", "Edit",
           id + R"(,"denied":"sandbox","error":"Blocked by the sandbox (workspace-write): cannot write /etc/x.")"));
  EXPECT_EQ(LineOf(Ended(CallOutcome::kError, "invalid arguments: 'path' is required", "invalid_arguments")),
            Call("error", "Edit", id + R"(,"error":"invalid arguments: 'path' is required")"));

  call_.tool = "Nope";
  call_.source = "unknown";
  EXPECT_EQ(LineOf(Ended(CallOutcome::kError, "unknown tool Nope; available: Read", "-32602")),
            R"({"level":"error","message":"tool call","tool":"Nope","source":"unknown","duration_ms":6,)" + id +
                R"(,"error":"unknown tool Nope; available: Read")" + OfCall());
  call_.tool = "kubernetes_kubectl_get";
  call_.source = "plugin:kubernetes";
  EXPECT_EQ(LineOf(Ended(CallOutcome::kError, "plugin process ended during the call (exit status 2)")),
            R"({"level":"error","message":"tool call","tool":"kubernetes_kubectl_get","source":"plugin:kubernetes",)"
            R"("duration_ms":6,)" +
                id + R"x(,"error":"plugin process ended during the call (exit status 2)")x" + OfCall());
  step_.attempt = 2;
  call_.tool = "Grep";
  call_.source = "builtin";
  EXPECT_NE(LineOf(Ended(CallOutcome::kOk)).find(R"("step":"work","attempt":2,"trace_id")"), std::string::npos);
}

TEST_F(LogRowsTest, ThePartsOfTheProxy) {
  recorder_.ProxyIsReady(step_, {"claude-code", "2.1", "2025-11-25", {"A", "B"}, "digest", 42, 1});
  EXPECT_EQ(Last(), R"({"level":"info","message":"mcp proxy ready","client":"claude-code","protocol":"2025-11-25",)"
                    R"("tools":2,"start":1)" +
                        OfStep());
  recorder_.ProxyWasLost(step_, {42, "gemini-cli", 1, false});
  EXPECT_EQ(Last(), R"({"level":"error","message":"mcp proxy lost","code":"EXECUTION.MCP_PROXY.LOST",)"
                    R"("provider":"gemini","calls":1,"replaced":false)" +
                        OfStep());
  recorder_.ProxyWasLost(step_, {42, "gemini-cli", 0, true});
  EXPECT_EQ(Last(),
            R"({"level":"warn","message":"mcp proxy lost","provider":"gemini","calls":0,"replaced":true)" + OfStep());
  IsolationReport report;
  report.level = IsolationLevel::kFlags;
  report.provider = "codex";
  report.version = "1.2.3";
  report.verified = "1.2.2";
  report.reason = "not proven";
  recorder_.IsolationKnown(step_, report);
  EXPECT_EQ(Last(), R"({"level":"warn","message":"mcp proxy coexistence","provider":"codex","version":"1.2.3",)"
                    R"("verified":"1.2.2","isolation":"flags","reason":"not proven")" +
                        OfStep());
  for (const bool required : {false, true}) {
    recorder_.Bypassed(step_, {"command_execution", "item_3", "item", "codex", required});
    EXPECT_EQ(Last(), R"({"level":")" + std::string(required ? "error" : "warn") +
                          R"(","message":"mcp proxy bypass","provider":"codex","native_tool":"command_execution",)"
                          R"("client_call_id":"item_3")" +
                          OfStep());
  }
  recorder_.Logged(&step_, LogLevel::kWarn, "sandbox degraded", {{"missing", "landlock"}});
  EXPECT_EQ(Last(), R"({"level":"warn","message":"sandbox degraded","missing":"landlock")" + OfStep());
}

TEST_F(LogRowsTest, HooksAndTheErrorsOfTheCli) {
  recorder_.Logged(&step_, LogLevel::kInfo, "hook", {{"hook", "pre"}, {"text", "before"}});
  EXPECT_EQ(Last(), R"({"level":"info","message":"hook","hook":"pre","text":"before")" + OfStep());
  recorder_.Logged(&step_, LogLevel::kWarn, "hook", {{"hook", "post"}, {"code", "X"}, {"error", "went wrong"}});
  EXPECT_EQ(Last(), R"({"level":"warn","message":"hook","hook":"post","code":"X","error":"went wrong")" + OfStep());
  StepEnd end;
  end.stderr_tail = "warning\n";
  recorder_.StepEnded(step_, end);
  EXPECT_EQ(lines_.json[lines_.json.size() - 2],
            R"({"level":"debug","message":"agent stderr","text":"warning\n")" + OfStep());
  end.error = Error{"EXECUTION.AGENT.FAILED", "no", "", {}, "", ""};
  recorder_.StepEnded(step_, end);
  EXPECT_EQ(lines_.json[lines_.json.size() - 2],
            R"({"level":"error","message":"agent stderr","text":"warning")" + OfStep());
}

TEST_F(LogRowsTest, EndOfStepAndRun) {
  recorder_.StepRetried(step_, {2, std::chrono::milliseconds(250), {"EXECUTION.AGENT.FAILED", "no", "", {}, "", ""}});
  const std::string of_second =
      R"(,"run":"r","step":"work","attempt":2,)" + OfStep().substr(OfStep().find(R"("trace)"));
  EXPECT_EQ(Last(), R"({"level":"warn","message":"step retry","type":"agent","delay_ms":250,)"
                    R"("code":"EXECUTION.AGENT.FAILED","error":"no")" +
                        of_second);
  StepEnd end;
  end.duration = std::chrono::milliseconds(5120);
  end.usage = {910, 210, 1120, false, {}};
  recorder_.StepEnded(step_, end);
  EXPECT_EQ(Last(), R"({"level":"info","message":"step completed","type":"agent","status":"success",)"
                    R"("duration_ms":5120,"tokens_input":910,"tokens_output":210,"exit_code":0)" +
                        OfStep());
  step_.kind = StepKind::kCommand;
  end.status = StepStatus::kFailure;
  end.exit_code = 2;
  end.error = Error{"EXECUTION.COMMAND.FAILED", "the command exited with code 2", "", {}, "", ""};
  recorder_.StepEnded(step_, end);
  EXPECT_EQ(Last(), R"({"level":"error","message":"step failed","type":"step","status":"failure","duration_ms":5120,)"
                    R"("exit_code":2,"code":"EXECUTION.COMMAND.FAILED","error":"the command exited with code 2")" +
                        OfStep());
  RunEnd over;
  over.status = "completed";
  over.duration = std::chrono::milliseconds(6000);
  recorder_.RunEnded(over);
  EXPECT_EQ(Last(), R"({"level":"info","message":"workflow completed","workflow":"review","status":"completed",)"
                    R"("exit_code":0,"duration_ms":6000)" +
                        OfRun());
  over.status = "cancelled";
  over.exit_code = 130;
  over.error = Error{"EXECUTION.RUN.CANCELLED", "the run was interrupted", "", {}, "", ""};
  recorder_.RunEnded(over);
  EXPECT_EQ(Last(), R"({"level":"warn","message":"workflow completed","workflow":"review","status":"cancelled",)"
                    R"("exit_code":130,"duration_ms":6000,"code":"EXECUTION.RUN.CANCELLED",)"
                    R"("error":"the run was interrupted")" +
                        OfRun());
}

TEST_F(LogRowsTest, NoLineIsLongerThanItMayBe) {
  call_.tool = std::string(200'000, 't');
  const std::string line = LineOf(Ended(CallOutcome::kError, std::string(200'000, 'e')));
  EXPECT_LT(line.size(), kLongestLine);
  EXPECT_GT(line.size(), kLongestLine - 10);
  EXPECT_TRUE(line.starts_with(R"({"level":"error","message":"tool call","tool":"tttt)"));
  EXPECT_NE(line.find(R"("call":"9f02c4d17be6a038","cut":true,"error":"eeee)"), std::string::npos);
  EXPECT_TRUE(line.ends_with(OfCall()));
}

}  // namespace
}  // namespace awf::telemetry
