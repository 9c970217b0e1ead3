#include "application/running/loop_runner.h"

#include <gtest/gtest.h>

#include "application/running/run_fixture_for_tests.h"

namespace awf {
namespace {

class LoopTest : public RunFixture {
 protected:
  LoopTest() {
    // A command yields its own text; "fail…" fails.
    commands_.run = [](const CommandRequest& request) {
      StepResult result =
          request.command.starts_with("fail") ? Failure("EXECUTION.COMMAND.FAILED", 1) : Success(request.command);
      result.output = request.command;
      return result;
    };
  }
};

TEST_F(LoopTest, GoesThroughTheBodyForEachItem) {
  Loop("loop", json::array{"x", json::object{{"name", "y"}}}, {"one", "two"}, "done");
  Command("one", "{{.loop.Item}} {{.loop.Index}} {{.loop.Index1}} {{.loop.First}} {{.loop.Last}} {{.loop.Length}}");
  Command("two", "two of {{.states.one.Output}}");
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(commands_.Commands(),
            (std::vector<std::string>{"x 0 1 true false 2", "two of x 0 1 true false 2",
                                      R"({"name":"y"} 1 2 false true 2)", R"(two of {"name":"y"} 1 2 false true 2)"}));
  EXPECT_EQ(Field(result, "loop", "Response"),
            R"({"iterations":2,"limit_reached":false,"results":["two of x 0 1 true false 2",)"
            R"("two of {\"name\":\"y\"} 1 2 false true 2"]})");
  EXPECT_EQ(Field(result, "one", "Output"), R"("{\"name\":\"y\"} 1 2 false true 2")");
  EXPECT_EQ(events_.Ended(), (std::vector<std::string>{"loop:0/one success", "loop:0/two success", "loop:1/one success",
                                                       "loop:1/two success", "loop success", "done success"}));
  EXPECT_EQ(events_.contexts[1].loop_index, 0);
  EXPECT_EQ(events_.contexts[3].loop_index, 1);
  EXPECT_EQ(events_.contexts[1].parent_span_id, events_.contexts[0].span_id);
  EXPECT_EQ(events_.contexts[0].parent_span_id, "");
  EXPECT_EQ(result.end.status, "completed");
}

TEST_F(LoopTest, ItemsAreAListATemplateOrAnExpression) {
  request_.inputs = {{"text", " [1, 2] "}, {"word", "w"}};
  State& loop = Loop("loop", json::array{}, {"body"}, "done");
  Command("body", "{{.loop.Item}}");
  Terminal("done");
  const auto ran = [&](decltype(ForEachState::items) items) {
    LoopOf(loop).items = std::move(items);
    commands_.requests.clear();
    const RunResult result = Run();
    return result.end.error ? std::vector<std::string>{result.end.error->code, result.end.error->message}
                            : commands_.Commands();
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(ran(json::array{}), Texts{});
  EXPECT_EQ(ran(Text("{{.inputs.text}}")), (Texts{"1", "2"}));
  EXPECT_EQ(ran(Text("[inputs.word, 3]")), (Texts{"w", "3"}));
  LoopOf(loop).item_templates = {{"[0].name", Text("{{.inputs.word}}!")}, {"[1]", Text("{{.inputs.word}}")}};
  EXPECT_EQ(ran(json::array{json::object{{"name", "{{…}}"}}, "{{…}}", "{{kept}}"}),
            (Texts{R"({"name":"w!"})", "w", "{{kept}}"}));
  EXPECT_EQ(ran(Text("{{.inputs.word}}")), (Texts{"EXECUTION.EXPRESSION.FAILED", "items is no list: w"}));
  EXPECT_EQ(ran(Text("{{.inputs.none}}"))[0], "EXECUTION.TEMPLATE.UNDEFINED");
  EXPECT_EQ(ran(Text("1 + 1")), (Texts{"EXECUTION.EXPRESSION.FAILED", "items is no list: 2"}));
}

TEST_F(LoopTest, MoreItemsThanPassesFailBeforeTheFirstPass) {
  request_.inputs = {{"n", 2}};
  State& loop = Loop("loop", json::array{1, 2, 3}, {"body"}, "done");
  Command("body", "x");
  Terminal("done");
  LoopOf(loop).max_iterations = Text("inputs.n * 1");
  RunResult result = Run();
  EXPECT_EQ(result.end.error->code, "EXECUTION.LOOP.LIMIT");
  EXPECT_EQ(result.end.error->message, "the loop has 3 items and may make at most 2 passes");
  EXPECT_TRUE(commands_.requests.empty());
  LoopOf(loop).max_iterations = Text("{{.inputs.n}} + 1");
  EXPECT_EQ(Run().end.status, "completed");
  for (const char* wrong : {"0", "10001", "'many'", "1.5"}) {
    LoopOf(loop).max_iterations = Text(wrong);
    result = Run();
    EXPECT_EQ(result.end.error->code, "EXECUTION.EXPRESSION.FAILED") << wrong;
    EXPECT_EQ(result.end.error->field, "max_iterations");
  }
}

TEST_F(LoopTest, BreakWhenIsAskedAfterEachPass) {
  State& loop = Loop("loop", json::array{1, 2, 3}, {"body"}, "done");
  LoopOf(loop).break_when = Text("states.body.Output == '2' and loop.Index == 1");
  Command("body", "{{.loop.Item}}");
  Terminal("done");
  EXPECT_EQ(Field(Run(), "loop", "Response"), R"({"iterations":2,"limit_reached":false,"results":["1","2"]})");
  LoopOf(loop).break_when = Text("loop.Item");
  const RunResult result = Run();
  EXPECT_EQ(result.end.error->code, "EXECUTION.EXPRESSION.FAILED");
  EXPECT_EQ(result.end.error->field, "break_when");
}

TEST_F(LoopTest, BodyTransitionsSkipRepeatAndLeave) {
  Loop("loop", json::array{"skip", "next", "leave", "never"}, {"a", "b", "c"}, "done");
  State& a = Command("a", "a {{.loop.Item}}");
  a.transitions = {When("loop.Item == 'skip'", "c"), When("loop.Item == 'next'", "loop"),
                   When("loop.Item == 'leave'", "outside")};
  Command("b", "b");
  Command("c", "c");
  Command("outside", "outside", "done");
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(commands_.Commands(), (std::vector<std::string>{"a skip", "c", "a next", "a leave", "outside"}));
  EXPECT_EQ(Field(result, "loop", "Status"), R"("success")");
  EXPECT_EQ(Field(result, "loop", "Response"),
            R"({"iterations":3,"limit_reached":false,"results":["c","a next","a leave"]})");
}

TEST_F(LoopTest, ALoopThatIsLeftFollowsNoTransitionOfItsOwn) {
  Loop("loop", json::array{1}, {"a"}, "done").transitions = {When("", "done")};
  Command("a", "a").transitions = {When("", "bad")};
  Terminal("done");
  Terminal("bad", false, "left");
  EXPECT_EQ(Run().end.error->message, "left");
}

TEST_F(LoopTest, AnUnroutedFailureOfTheBodyFailsTheLoop) {
  Loop("loop", json::array{"x", "y", "z"}, {"a", "b"}, "done");
  State& a = Command("a", "fail {{.loop.Item}}");
  Command("b", "b");
  Terminal("done");
  RunResult result = Run();
  EXPECT_EQ(events_.Ended(), (std::vector<std::string>{"loop:0/a failure", "loop failure"}));
  EXPECT_EQ(result.end.error->code, "EXECUTION.COMMAND.FAILED");
  EXPECT_EQ(result.end.error->message, "pass 1, state 'a': it went wrong");
  EXPECT_EQ(result.end.error->step, "a");
  EXPECT_EQ(Field(result, "loop", "Response"), R"({"iterations":0,"limit_reached":false,"results":[]})");
  a.continue_on_error = true;
  result = Run();
  EXPECT_EQ(Field(result, "loop", "Response"), R"({"iterations":3,"limit_reached":false,"results":["b","b","b"]})");
  EXPECT_EQ(result.end.status, "completed");
  a.continue_on_error = false;
  a.on_failure = To("loop");
  EXPECT_EQ(Field(Run(), "loop", "Response"),
            R"({"iterations":3,"limit_reached":false,"results":["fail x","fail y","fail z"]})");
}

TEST_F(LoopTest, AnInlineFailureWithinEndsTheRun) {
  Loop("outer", json::array{1, 2}, {"inner"}, "done").retry.max_attempts = 3;
  Loop("inner", json::array{1}, {"a"}).on_failure = To("done");
  Command("a", "fail").on_failure = InlineFailure{Text("gave up at {{.loop.Index}}"), 42, {}};
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(result.end.exit_code, 42);
  EXPECT_EQ(result.end.message, "gave up at 0");
  EXPECT_EQ(events_.Ended(),
            (std::vector<std::string>{"outer:0/inner:0/a failure", "outer:0/inner failure", "outer failure"}));
}

TEST_F(LoopTest, LoopsNestAndLeaveAsFarAsTheTargetIs) {
  Loop("outer", json::array{"A", "B"}, {"inner", "after"}, "done");
  State& inner = Loop("inner", json::array{1, 2}, {"body"});
  State& body = Command("body", "{{.loop.Parent.Item}}{{.loop.Item}}");
  Command("after", "after {{.loop.Item}}");
  Command("outside", "outside", "done");
  Terminal("done");
  Run();
  EXPECT_EQ(commands_.Commands(), (std::vector<std::string>{"A1", "A2", "after A", "B1", "B2", "after B"}));
  EXPECT_EQ(events_.contexts[2].path, "outer:0/inner:0/body");
  EXPECT_EQ(events_.contexts[2].parent_span_id, events_.contexts[1].span_id);
  const auto commands_when_body_goes_to = [&](const std::string& target) {
    body.transitions = {When("", target)};
    commands_.requests.clear();
    Run();
    return commands_.Commands();
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(commands_when_body_goes_to("after"), (Texts{"A1", "after A", "B1", "after B"}));
  EXPECT_EQ(commands_when_body_goes_to("outer"), (Texts{"A1", "B1"}));
  EXPECT_EQ(commands_when_body_goes_to("outside"), (Texts{"A1", "outside"}));
  EXPECT_EQ(commands_when_body_goes_to("done"), (Texts{"A1"}));
  inner.body = ForEachState{json::array{1}, {}, {}, ToAll({"body"}), 100, {}};
  EXPECT_EQ(commands_when_body_goes_to("inner"), (Texts{"A1", "after A", "B1", "after B"}));
}

TEST_F(LoopTest, LoopsNestToDepthTen) {
  const auto nest = [&](int depth) {
    workflow_.states.clear();
    for (int i = 0; i < depth; ++i) {
      const std::string next = i == 0 ? "done" : "";
      Loop("l" + std::to_string(i), json::array{1}, {i + 1 < depth ? "l" + std::to_string(i + 1) : "body"}, next);
    }
    Command("body", "x");
    Terminal("done");
    return Run();
  };
  EXPECT_EQ(nest(10).end.status, "completed");
  EXPECT_EQ(nest(11).end.error->code, "EXECUTION.LOOP.LIMIT");
}

TEST_F(LoopTest, TenThousandPassesAreNoStepLimitButCyclesWithinAPassAre) {
  used_journal_ = nullptr;
  json::array items;
  for (int i = 0; i < 10'000; ++i) items.emplace_back(i);
  State& loop = Loop("loop", items, {"a"}, "done");
  LoopOf(loop).max_iterations = 10'000;
  State& a = Command("a", "x");
  Terminal("done");
  EXPECT_EQ(Run().end.status, "completed");
  EXPECT_EQ(commands_.requests.size(), 10'000U);
  LoopOf(loop).items = json::array{1};
  a.transitions = {When("", "a")};
  commands_.requests.clear();
  EXPECT_EQ(Run().end.error->code, "EXECUTION.RUN.STEP_LIMIT");
  EXPECT_EQ(commands_.requests.size(), 10'000U);
}

TEST_F(LoopTest, TheTimeoutOfALoopBoundsItsBody) {
  State& loop = Loop("loop", json::array{1, 2}, {"a"}, "done");
  loop.timeout = TimeoutSetting{std::chrono::milliseconds(1), {}, {}};
  State& a = Command("a", "x");
  a.timeout = TimeoutSetting{std::chrono::hours(1), {}, {}};
  a.retry.max_attempts = 5;
  Terminal("done");
  commands_.run = [](const CommandRequest& request) {
    while (!Passed(request.deadline)) {
    }
    return Failure("EXECUTION.COMMAND.TIMEOUT", 143, StepStatus::kTimeout);
  };
  RunResult result = Run();
  EXPECT_LE(commands_.requests.size(), 1U);  // no further attempt, no further pass
  EXPECT_EQ(Field(result, "loop", "Status"), R"("timeout")");
  EXPECT_EQ(result.end.error->code, "EXECUTION.COMMAND.TIMEOUT");
  EXPECT_EQ(result.end.error->step, "loop");
  loop.timeout.reset();
  a.timeout = TimeoutSetting{std::chrono::milliseconds(1), {}, {}};
  a.retry.max_attempts = 1;
  result = Run();
  EXPECT_EQ(Field(result, "loop", "Status"), R"("failure")");
  EXPECT_EQ(result.end.error->message, "pass 1, state 'a': it went wrong");
}

TEST_F(LoopTest, CancellationEndsLoopAndRun) {
  Loop("loop", json::array{1, 2}, {"a", "b"}, "done").on_failure = To("done");
  Command("a", "a");
  Command("b", "b");
  Terminal("done");
  commands_.on_run = [&](const CommandRequest&) { stop_.request_stop(); };
  const RunResult result = Run();
  EXPECT_EQ(events_.Ended(), (std::vector<std::string>{"loop:0/a success", "loop cancelled"}));
  EXPECT_EQ(result.end.status, "cancelled");
}

}  // namespace
}  // namespace awf
