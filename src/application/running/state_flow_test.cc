#include "application/running/state_flow.h"

#include <gtest/gtest.h>

#include "application/running/run_fixture_for_tests.h"

namespace awf {
namespace {

class FlowTest : public RunFixture {
 protected:
  // "a" (command, fails when `fails`), then whatever it was routed to; every other state is a command that ends in
  // done.
  std::vector<std::string> Route(State& a, bool fails) {
    a.name = "a";
    commands_.run = [fails](const CommandRequest& request) {
      return request.step.step == "a" && fails ? Failure("EXECUTION.COMMAND.FAILED", 7) : Success("text");
    };
    events_.ends.clear();
    result_ = Run();
    return events_.Ended();
  }
  RunResult result_;
};

TEST_F(FlowTest, TransitionsComeFirstOnSuccessAndFailureAndTheFirstTrueOneWins) {
  State& a = Command("a", "x", "by_success");
  a.on_failure = To("by_failure");
  a.transitions = {When("states.a.Status == 'failure' and states.a.ExitCode == 7", "seven"),
                   When("states.a.Output == 'text'", "text"), When("true", "never")};
  for (const char* name : {"by_success", "by_failure", "seven", "text", "never"}) Command(name, "x", "done");
  Terminal("done");
  EXPECT_EQ(Route(a, true), (std::vector<std::string>{"a failure", "seven success", "done success"}));
  EXPECT_EQ(Route(a, false), (std::vector<std::string>{"a success", "text success", "done success"}));
  a.transitions = {When("false", "never")};
  EXPECT_EQ(Route(a, true)[1], "by_failure success");
  EXPECT_EQ(Route(a, false)[1], "by_success success");
  a.transitions = {When("", "text"), When("true", "never")};
  EXPECT_EQ(Route(a, true)[1], "text success");
  EXPECT_EQ(Route(a, false)[1], "text success");
}

TEST_F(FlowTest, ContinueOnErrorFollowsSuccessAndTheFailureStaysVisible) {
  State& a = Command("a", "x", "next");
  a.continue_on_error = true;
  a.on_failure = To("never");
  Command("next", "{{.states.a.Status}} {{.states.a.Error}} {{.states.a.ErrorCode}}", "done");
  Command("never", "x", "done");
  Terminal("done");
  EXPECT_EQ(Route(a, true), (std::vector<std::string>{"a failure", "next success", "done success"}));
  EXPECT_EQ(commands_.requests[1].command, "failure it went wrong EXECUTION.COMMAND.FAILED");
  EXPECT_EQ(result_.end.status, "completed");
}

TEST_F(FlowTest, ATransitionThatCannotBeToldFailsTheStateOnceAndIsRoutedByOnFailure) {
  State& a = Command("a", "x", "by_success");
  a.transitions = {When("states.a.Output < 3", "never"), When("", "never")};
  a.on_failure = To("by_failure");
  Command("by_failure", "{{.states.a.ErrorCode}} {{.states.a.Status}} {{.states.a.Output}}", "done");
  for (const char* name : {"by_success", "never"}) Command(name, "x", "done");
  Terminal("done");
  EXPECT_EQ(Route(a, false), (std::vector<std::string>{"a failure", "by_failure success", "done success"}));
  EXPECT_EQ(commands_.requests[1].command, "EXECUTION.EXPRESSION.FAILED failure text");
  a.on_failure.reset();
  Route(a, true);
  EXPECT_EQ(result_.end.error->code, "EXECUTION.EXPRESSION.FAILED");
  EXPECT_NE(result_.end.error->message.find("'when: states.a.Output < 3' failed"), std::string::npos);
  EXPECT_NE(result_.end.error->message.find("before that the state had failed: it went wrong"), std::string::npos);
  EXPECT_EQ(result_.end.error->position.line, 1U);
  EXPECT_EQ(result_.end.error->step, "a");
  EXPECT_EQ(result_.end.exit_code, 3);
}

TEST_F(FlowTest, SystemErrorsAndCancellationAreRoutedByNothing) {
  State& a = Command("a", "x", "never");
  a.transitions = {When("", "never")};
  a.on_failure = To("never");
  a.continue_on_error = true;
  Command("never", "x", "never");
  for (const StepResult& result : {Failure("SYSTEM.IO.WRITE_FAILED", 1), Cancelled()}) {
    commands_.results = {result};
    events_.ends.clear();
    const RunResult run = Run();
    EXPECT_EQ(run.end.error->code, result.end.error->code);
    EXPECT_EQ(events_.ends.size(), 1U);
  }
}

TEST_F(FlowTest, TheMessageOfAnInlineFailureKnowsTheError) {
  commands_.results = {Failure("EXECUTION.COMMAND.TIMEOUT", 143, StepStatus::kTimeout)};
  Command("a", "x", "done").on_failure = InlineFailure{
      Text("{{.error.State}} {{.error.Code}} {{.error.Type}} {{.error.ExitCode}} {{.error.Message}}"), 9, {}};
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(result.end.message, "a EXECUTION.COMMAND.TIMEOUT EXECUTION 143 it went wrong");
  EXPECT_EQ(result.end.exit_code, 9);
  EXPECT_EQ(result.end.status, "failed");
}

TEST_F(FlowTest, AgentsLoopsAndParallelStatesHaveTransitionsToo) {
  Agent("a", "hi").transitions = {When("states.a.TokensUsed == 15", "b")};
  agents_.result.end.usage = {10, 5, 15, false, {}};
  Loop("b", json::array{1, 2}, {"body"}).transitions = {When("states.b.Response.iterations == 2", "c")};
  Command("body", "x");
  Parallel("c", {"left", "right"}, "").transitions = {When("states.c.Response.left == 'success'", "done")};
  Command("left", "x");
  Command("right", "x");
  Terminal("done");
  EXPECT_EQ(Run().end.status, "completed");
}

}  // namespace
}  // namespace awf
