// A run that was killed after any record of its journal is taken up and comes to the same end.
#include <gtest/gtest.h>

#include <set>

#include "application/running/run_fixture_for_tests.h"

namespace awf {
namespace {

using Records = std::vector<json::object>;

class ResumeTest : public RunFixture {
 protected:
  ResumeTest() {
    request_.inputs = {{"who", "Ann"}};
    State& first = Command("first", "first {{.inputs.who}}", "outer");
    first.capture.stdout_name = "text";
    Loop("outer", json::array{"A", "B"}, {"prepare", "inner", "checks", "skipped"}, "join");
    Command("prepare", "prepare {{.loop.Item}}");
    State& inner = Loop("inner", json::array{1, 2, 3}, {"one", "two"});
    LoopOf(inner).break_when = Text("loop.Index == 1");
    Command("one", "one {{.loop.Parent.Item}}{{.loop.Item}} {{.captures.text}}").transitions = {
        When("loop.Item == 2 and states.one.Status == 'success'", "inner")};
    Command("two", "two {{.states.one.Output}}");
    Parallel("checks", {"lint", "each"}, "", ParallelStrategy::kAllSucceed, 1).transitions = {
        When("states.checks.Status == 'success' and loop.Item == 'A'", "outer"),
        When("states.checks.Status == 'success'", "join")};
    Command("lint", "lint {{.states.two.Output}}");
    Loop("each", json::array{"x", "y"}, {"check"});
    Command("check", "check {{.loop.Parent.Item}}{{.loop.Item}}");
    Command("skipped", "skipped");
    Command("join", "join {{.states.outer.Response.iterations}} {{.states.each.Response.results}}", "done");
    Terminal("done", true, "{{.states.join.Output}}");
    commands_.run = [this](const CommandRequest& request) { return Execute(request); };
  }

  StepResult Execute(const CommandRequest& request) {
    const std::lock_guard lock(commands_.mutex);
    ran_.push_back(request.step.path);
    if (fails_.contains(request.step.path)) return Failure("EXECUTION.COMMAND.FAILED", 1);
    return Success("<" + request.command + ">");
  }

  static std::string Status(const json::object& record) {
    const json::value* status = record.at("fields").get_object().if_contains("Status");
    return status == nullptr ? "" : std::string(status->get_string());
  }

  static std::set<std::string> Succeeded(const Records& records) {
    std::set<std::string> paths;
    for (const json::object& record : records) {
      if (record.at("type") == "ended" && Status(record) == "success") paths.emplace(record.at("path").get_string());
    }
    return paths;
  }

  RunState Replay(const Records& records) {
    RunState state;
    for (const json::object& record : records) {
      const auto applied = state.Apply(record);
      EXPECT_TRUE(applied) << applied.error() << ": " << json::serialize(record);
    }
    return state;
  }

  // Runs on from what the records say; the journal goes on with them.
  RunResult TakeUp(const Records& records) {
    auto prepared = PrepareResume(Replay(records), workflow_, "");
    EXPECT_TRUE(prepared);
    request_.resume = std::move(*prepared);
    journal_.records = records;
    ran_.clear();
    RunResult result = Run();
    const std::set<std::string> before = Succeeded(records);
    for (const std::string& path : ran_) EXPECT_FALSE(before.contains(path)) << path << " ran again";
    return result;
  }

  // All results but for what depends on the clock and on which attempt it was.
  static std::map<std::string, std::string> Comparable(const RunResult& result) {
    std::map<std::string, std::string> all;
    for (auto [name, fields] : result.states) {
      fields.erase("Duration");
      all[name] = json::serialize(fields);
    }
    all["*"] = result.end.status + ": " + result.end.message;
    return all;
  }

  static Records Prefix(const Records& records, std::size_t count) {
    return {records.begin(), records.begin() + static_cast<std::ptrdiff_t>(count)};
  }

  std::vector<std::string> ran_;  // paths of the commands
  std::set<std::string> fails_;
};

TEST_F(ResumeTest, TheScriptedWorkflowDoesWhatItSays) {
  EXPECT_EQ(Run().end.message, R"(<join 2 ["<check Bx>","<check By>"]>)");
  EXPECT_EQ(ran_, (std::vector<std::string>{"first", "outer:0/prepare", "outer:0/inner:0/one", "outer:0/inner:0/two",
                                            "outer:0/inner:1/one", "outer:0/checks/lint", "outer:0/checks/each:0/check",
                                            "outer:0/checks/each:1/check", "outer:1/prepare", "outer:1/inner:0/one",
                                            "outer:1/inner:0/two", "outer:1/inner:1/one", "outer:1/checks/lint",
                                            "outer:1/checks/each:0/check", "outer:1/checks/each:1/check", "join"}));
}

TEST_F(ResumeTest, ARunCutAfterAnyRecordComesToTheSameEnd) {
  const auto expected = Comparable(Run());
  const Records whole = journal_.records;
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    SCOPED_TRACE("cut after " + std::to_string(cut));
    ASSERT_EQ(Comparable(TakeUp(Prefix(whole, cut))), expected);
    EXPECT_TRUE(events_.start.resumed);
    // And once more, from somewhere in the second journal.
    const Records second = journal_.records;
    const std::size_t again = cut + (second.size() - cut) * (cut % 7) / 7;
    if (again == 0) continue;
    ASSERT_EQ(Comparable(TakeUp(Prefix(second, again))), expected);
  }
}

TEST_F(ResumeTest, ARunCutAfterItsLastRecordRepeatsNothing) {
  const auto expected = Comparable(Run());
  EXPECT_EQ(Comparable(TakeUp(Records(journal_.records))), expected);
  EXPECT_TRUE(ran_.empty());
}

TEST_F(ResumeTest, BranchesThatRunAtOnceAreTakenUpToo) {
  std::get<ParallelState>(workflow_.states[6].body).max_concurrent = 0;
  const auto expected = Comparable(Run());
  const Records whole = journal_.records;
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    SCOPED_TRACE("cut after " + std::to_string(cut));
    ASSERT_EQ(Comparable(TakeUp(Prefix(whole, cut))), expected);
  }
}

TEST_F(ResumeTest, AFailedRunGoesOnWhereItFailedWhicheverCommandThatWas) {
  const auto expected = Comparable(Run());
  const std::vector<std::string> all = ran_;
  for (const std::string& path : all) {
    SCOPED_TRACE(path);
    request_.resume.reset();
    journal_.records.clear();
    fails_ = {path};
    EXPECT_EQ(Run().end.status, "failed");
    fails_.clear();
    const Records failed = journal_.records;
    ASSERT_EQ(Comparable(TakeUp(failed)), expected);
    EXPECT_EQ(ran_.front(), path);
  }
}

TEST_F(ResumeTest, ARunThatEndedInAFailureTerminalRepeatsTheLastWorkingState) {
  Terminal("bad", false);
  workflow_.states[1].on_failure = To("bad");
  const auto expected = Comparable(Run());
  fails_ = {"outer:1/inner:0/two"};
  journal_.records.clear();
  EXPECT_EQ(Run().end.error->code, "EXECUTION.WORKFLOW.FAILED");
  fails_.clear();
  EXPECT_EQ(Comparable(TakeUp(Records(journal_.records))), expected);
  EXPECT_EQ(ran_.front(), "outer:1/inner:0/two");

  workflow_.states[1].on_failure = InlineFailure{Text("x"), 9, {}};
  request_.resume.reset();
  journal_.records.clear();
  fails_ = {"outer:1/inner:0/two"};
  EXPECT_EQ(Run().end.exit_code, 9);
  fails_.clear();
  EXPECT_EQ(Comparable(TakeUp(Records(journal_.records))), expected);
  EXPECT_EQ(ran_.front(), "outer:1/inner:0/two");
}

TEST_F(ResumeTest, ACancelledRunGoesOnToo) {
  const auto expected = Comparable(Run());
  journal_.records.clear();
  commands_.on_run = [this](const CommandRequest& request) {
    if (request.step.path == "outer:1/checks/each:0/check") stop_.request_stop();
  };
  EXPECT_EQ(Run().end.status, "cancelled");
  commands_.on_run = nullptr;
  request_.cancelled = {};
  EXPECT_EQ(Comparable(TakeUp(Records(journal_.records))), expected);
  EXPECT_EQ(ran_, (std::vector<std::string>{"outer:1/checks/each:1/check", "join"}));
}

TEST_F(ResumeTest, InputsAreOverlaidAndTheFormerRootIsNamed) {
  Run();
  const Records records = Prefix(journal_.records, 1);
  request_.inputs = {{"who", "Bob"}, {"more", "x"}};
  request_.resumed_trace_id = "t";
  request_.resumed_span_id = "s";
  TakeUp(records);
  EXPECT_EQ(commands_.requests[16].command, "first Bob");
  EXPECT_EQ(events_.start.inputs.at("more"), "x");
  EXPECT_EQ(events_.start.resumed_trace_id, "t");
  EXPECT_EQ(events_.start.resumed_span_id, "s");
  EXPECT_EQ(Replay(journal_.records).inputs, (json::object{{"who", "Bob"}, {"more", "x"}}));
}

TEST_F(ResumeTest, ALoopThatIsEnteredAgainBeginsAnew) {
  // The run fails in the loop; taken up, it ends the loop and comes back to it.
  workflow_.states.clear();
  Loop("loop", json::array{1, 2}, {"body"}, "back");
  workflow_.initial = To("loop");
  Command("body", "body");
  Command("back", "back", "done").transitions = {When("states.again == null", "again")};
  Command("again", "again", "loop");
  Terminal("done");
  fails_ = {"loop:1/body"};
  Run();
  fails_.clear();
  request_.resume = *PrepareResume(Replay(journal_.records), workflow_, "");
  ran_.clear();
  EXPECT_EQ(Run().end.status, "completed");
  EXPECT_EQ(ran_, (std::vector<std::string>{"loop:1/body", "back", "again", "loop:0/body", "loop:1/body", "back"}));
}

}  // namespace
}  // namespace awf
