#include "cli/audited_states.h"
#include "cli/test_runs.h"

namespace awf::cli {
namespace {

using telemetry::RunManifest;
using telemetry::RunOwner;

class StatusTest : public StoredRunsTest {
 protected:
  StatusTest() { options_.global = global_; }
  Printed Status(const std::string& id) {
    options_.run_id = id;
    return PrintedBy([&] { return StatusCommand(options_); });
  }
  // Records of the audit, without the chain.
  void Audit(const std::string& id, const std::vector<json::object>& records) {
    std::string text;
    for (const json::object& record : records) text += json::serialize(record) + "\n";
    PutText(id, "audit.jsonl", text);
  }
  static json::object Started(const std::string& step, int attempt = 1, const std::string& kind = "step") {
    return {{"type", "step.started"}, {"step", step}, {"kind", kind}, {"attempt", attempt}};
  }
  static json::object Completed(const std::string& step, int ms, int attempt = 1) {
    return {{"type", "step.completed"}, {"step", step},   {"attempt", attempt},
            {"status", "success"},      {"exit_code", 0}, {"duration_ms", ms}};
  }
  static json::object Failed(const std::string& step, int ms, int attempt = 1) {
    return {{"type", "step.completed"}, {"step", step},     {"attempt", attempt},
            {"status", "failure"},      {"exit_code", 2},   {"code", "EXECUTION.COMMAND.FAILED"},
            {"error", "it broke"},      {"duration_ms", ms}};
  }
  // The failed run that the tests look at.
  void PutFailed() {
    RunManifest manifest = Manifest("review", "failed", 1793700910000, 61'000);
    manifest.version = "1.2";
    manifest.working_dir = "/w";
    manifest.inputs = {{"pin", "x"}, {"text", "hello"}};
    manifest.secret_inputs = {"pin"};
    manifest.exit_code = 3;
    manifest.error = Error{"EXECUTION.COMMAND.FAILED", "it broke", "", {}, "fix", ""};
    manifest.counts.steps = 3;
    manifest.counts.tool_calls = 1;
    manifest.counts.tokens_input = 910;
    manifest.counts.tokens_output = 210;
    manifest.audit = {7, "ff"};
    manifest.resumes = 1;
    Put("r-failed", manifest);
    Audit("r-failed", {{{"type", "run.started"}},
                       Started("plan", 1, "agent"),
                       Completed("plan", 1500),
                       Started("fix"),
                       Failed("fix", 20, 2)});
    PutText("r-failed", "state.json", "unmasked-secret\n");
  }
  StatusOptions options_;
};

TEST_F(StatusTest, TellsTheRunAndItsStates) {
  PutFailed();
  const Printed printed = Status("r-f");
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_EQ(printed.err, "");
  EXPECT_EQ(printed.out,
            "run       r-failed\n"
            "workflow  review 1.2 (review.yaml)\n"
            "status    failed, exit code 3\n"
            "started   2026-11-03 10:15:10\n"
            "ended     2026-11-03 10:16:11\n"
            "duration  1m01s\n"
            "resumed   1 time\n"
            "error     EXECUTION.COMMAND.FAILED in fix: it broke\n"
            "counts    3 states, 1 tool call, 910 tokens in, 210 out\n"
            "folder    " +
                Folder("r-failed").string() +
                "\n"
                "audit     7 ff\n"
                "\n"
                "state  type   status   runs  attempts  duration  error\n"
                "plan   agent  success     1         1     1.5 s\n"
                "fix    step   failure     1         2     20 ms  it broke\n"
                "\n"
                "awf resume r-failed takes it up again\n");
}

TEST_F(StatusTest, TellsJsonTableAndQuiet) {
  PutFailed();
  options_.global.format = OutputFormat::kJson;
  const std::string out = Status("r-failed").out;
  const json::value status = json::parse(out);
  EXPECT_EQ(status.at("status"), "failed");
  EXPECT_EQ(status.at("working_dir"), "/w");
  EXPECT_EQ(json::serialize(status.at("inputs")), R"({"pin":"***","text":"hello"})");
  EXPECT_EQ(json::serialize(status.at("audit")), R"({"seq":7,"hash":"ff"})");
  EXPECT_EQ(json::serialize(status.at("states").at(1)),
            R"({"name":"fix","type":"step","status":"failure","runs":1,"attempts":2,"exit_code":2,"duration_ms":20,)"
            R"("error":{"code":"EXECUTION.COMMAND.FAILED","message":"it broke"}})");
  EXPECT_EQ(out.find("unmasked-secret"), std::string::npos);
  options_.global.format = OutputFormat::kTable;
  EXPECT_TRUE(Status("r-failed").out.starts_with("state  type"));
  options_.global.format = OutputFormat::kQuiet;
  EXPECT_EQ(Status("r-failed").out, "failed\n");
}

TEST_F(StatusTest, ALiveRunTellsItsProcessAndAnInterruptedOneWhereItStood) {
  Put("live", Manifest("w", "running", 1793700910000), RunOwner::ThisProcess());
  Put("dead", Manifest("w", "running", 1793700910000));
  for (const char* id : {"live", "dead"}) Audit(id, {{{"type", "run.started"}}, Started("a")});
  std::string out = Status("live").out;
  EXPECT_NE(out.find("status    running, process " + std::to_string(::getpid()) + "\n"), std::string::npos) << out;
  EXPECT_NE(out.find("a      step  running     1         -         -\n"), std::string::npos) << out;
  EXPECT_EQ(out.find("awf resume"), std::string::npos) << out;
  out = Status("dead").out;
  EXPECT_NE(out.find("status    interrupted\n"), std::string::npos) << out;
  EXPECT_NE(out.find("a      step  interrupted     1         -         -\n"), std::string::npos) << out;
}

TEST_F(StatusTest, UnknownAndDamagedRuns) {
  EXPECT_EQ(Status("none").exit_code, 1);
  EXPECT_EQ(Status("none").err, "Error: USER.RUN.NOT_FOUND\nDetails: there is no run 'none' in " +
                                    (storage_ / "runs").string() + "\nHint: awf history lists the runs.\n");
  PutText("bad", "run.json", "[]");
  const Printed printed = Status("bad");
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_EQ(printed.out, "run       bad\nstatus    damaged: " + (Folder("bad") / "run.json").string() +
                             " is damaged: it is no JSON object\nfolder    " + Folder("bad").string() + "\n");
}

TEST_F(StatusTest, StatesAddUpOverLoopsAndOwners) {
  Audit("r", {{{"type", "run.started"}},
              Started("loop", 1, "for_each"),
              Started("fix"),
              Failed("fix", 10),
              Started("fix"),
              Completed("fix", 30),
              Started("fix"),
              // killed and taken up
              {{"type", "run.started"}, {"resumed", true}},
              Started("loop", 1, "for_each"),
              Started("fix"),
              Completed("fix", 5),
              Completed("loop", 100)});
  PutText("r", "x", "");
  std::ofstream(Folder("r") / "audit.jsonl", std::ios::app) << "{\"cut";
  const auto states = ReadAuditedStates(Folder("r") / "audit.jsonl", false);
  ASSERT_TRUE(states);
  ASSERT_EQ(states->size(), 2U);
  const AuditedState& loop = (*states)[0];
  const AuditedState& fix = (*states)[1];
  EXPECT_EQ(loop.type, "for_each");
  EXPECT_EQ(loop.status, "success");
  EXPECT_EQ(loop.runs, 2);
  EXPECT_EQ(fix.runs, 4);
  EXPECT_EQ(fix.attempts, 3);
  EXPECT_EQ(fix.duration, std::chrono::milliseconds(45));
  EXPECT_EQ(fix.status, "success");
  EXPECT_EQ(fix.error, "");
  EXPECT_TRUE(ReadAuditedStates(storage_ / "none", false)->empty());
  EXPECT_EQ(ReadAuditedStates(storage_, false).error().code, "SYSTEM.IO.READ_FAILED");
}

}  // namespace
}  // namespace awf::cli
