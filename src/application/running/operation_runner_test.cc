#include "application/running/operation_runner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "application/running/run_fixture_for_tests.h"
#include "application/running/test_operations.h"

namespace awf {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using Ending = OperationResult::Ending;

OperationResult Answer(std::string output, json::object data = {}) {
  OperationResult result;
  result.success = true;
  result.output = std::move(output);
  result.data = std::move(data);
  return result;
}

OperationResult Refusal(std::string error, json::object data = {}, Ending ending = Ending::kAnswered) {
  OperationResult result;
  result.ending = ending;
  result.error = std::move(error);
  result.data = std::move(data);
  return result;
}

OperationInput Input(std::string name, std::string type, bool required = false) {
  OperationInput input;
  input.name = std::move(name);
  input.type = std::move(type);
  input.required = required;
  return input;
}

class OperationRunnerTest : public RunFixture {
 protected:
  OperationRunnerTest() {
    Operation add{"add", "adds", {Input("a", "integer", true), Input("b", "integer"), Input("note", "string")}, {}};
    Operation anything{"anything", "takes what comes", {}, {}};
    demo_ = std::make_shared<FakeOperations>("demo", std::vector{std::move(add), std::move(anything)});
    providers_.providers["demo"] = demo_;
    operations_ = &providers_;
  }

  // `texts`: inputs that are templates, by path; they stand in `inputs` as well.
  State& Operate(const std::string& name, const std::string& operation, json::object inputs = {},
                 const std::map<std::string, std::string>& texts = {}, const std::string& next = "done") {
    OperationState body;
    body.plugin = "demo";
    body.operation = operation;
    body.position = {"f.yaml", 7, 3};
    body.inputs = std::move(inputs);
    for (const auto& [path, text] : texts) {
      body.input_templates[path] = Text(text);
      if (path.find_first_of(".[") == std::string::npos) body.inputs[path] = text;
    }
    return Onward(Add(name, std::move(body)), next);
  }

  std::string Asked(std::size_t index) const { return json::serialize(demo_->asked.at(index).inputs); }

  FakeProviders providers_;
  std::shared_ptr<FakeOperations> demo_;
};

TEST_F(OperationRunnerTest, WhatItAnswersIsOutputAndResponse) {
  demo_->execute = [](const OperationCall&) { return Answer("the sum\n\n", {{"sum", 3}, {"list", json::array{1}}}); };
  Operate("calc", "add", {{"a", 1}, {"b", 2}}, {}, "show");
  Command("show", "echo {{.states.calc.Output}} {{.states.calc.Response.sum}}", "done");
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(events_.lines, (std::vector<std::string>{"run flow 1", "start calc operation demo.add",
                                                     "end calc success 0", "start show step", "end show success 0",
                                                     "start done terminal", "end done success 0", "over completed 0"}));
  EXPECT_EQ(providers_.starts, std::vector<std::string>{"calc demo"});
  EXPECT_EQ(Asked(0), R"({"a":1,"b":2})");
  EXPECT_EQ(demo_->asked[0].operation, "add");
  EXPECT_EQ(commands_.Commands(), std::vector<std::string>{"echo the sum\n 3"});
  EXPECT_EQ(Field(result, "calc", "Output"), R"("the sum\n")");
  EXPECT_EQ(Field(result, "calc", "Response"), R"({"sum":3,"list":[1]})");
  EXPECT_EQ(Field(result, "calc", "ExitCode"), "0");
  EXPECT_EQ(Field(result, "calc", "Status"), R"("success")");
  EXPECT_EQ(Field(result, "calc", "TokensInput"), "none");
}

TEST_F(OperationRunnerTest, ATemplateThatIsASingleActionKeepsItsType) {
  request_.inputs = {{"n", 4}, {"who", "ann"}, {"deep", true}};
  Operate("x", "anything",
          {{"list", {"{{.inputs.who}}", 2}}, {"map", {{"k", "{{.inputs.deep}}"}}}, {"plain", "{ }"}, {"real", 1.5}},
          {{"n", "{{.inputs.n}}"},
           {"text", "n is {{.inputs.n}}"},
           {"list[0]", "{{.inputs.who}}"},
           {"map.k", "{{.inputs.deep}}"}});
  Terminal("done");
  EXPECT_EQ(Run().end.status, "completed");
  ASSERT_EQ(demo_->asked.size(), 1U);
  EXPECT_EQ(demo_->asked[0].inputs, (json::object{{"list", {"ann", 2}},
                                                  {"map", {{"k", true}}},
                                                  {"plain", "{ }"},
                                                  {"real", 1.5},
                                                  {"n", 4},
                                                  {"text", "n is 4"}}));
}

TEST_F(OperationRunnerTest, RenderedTextStandsForTheDeclaredType) {
  commands_.results = {Success("42")};
  Command("count", "wc -l", "x");
  State& x = Operate("x", "add", {{"note", 1.10}}, {{"a", "{{.states.count.Output}}"}, {"b", "-{{.inputs.n}}"}});
  std::get<OperationState>(x.body).input_sources["note"] = "1.10";
  request_.inputs = {{"n", 7}};
  Terminal("done");
  EXPECT_EQ(Run().end.status, "completed");
  ASSERT_EQ(demo_->asked.size(), 1U);
  EXPECT_EQ(demo_->asked[0].inputs, (json::object{{"note", "1.10"}, {"a", 42}, {"b", -7}}));
}

TEST_F(OperationRunnerTest, InputsThatDoNotFitAreRefusedBeforeAnythingIsSent) {
  Operate("x", "add", {{"b", 1}, {"a", "one"}});
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(result.end.status, "failed");
  EXPECT_EQ(result.end.exit_code, 1);
  ASSERT_TRUE(result.end.error);
  EXPECT_EQ(result.end.error->code, "USER.INPUT.VALIDATION_FAILED");  // which is not retried
  EXPECT_EQ(result.end.error->message.substr(0, 28), "demo.add: invalid arguments:");
  EXPECT_EQ(result.end.error->field, "inputs");
  EXPECT_EQ(result.end.error->position, (Position{"f.yaml", 7, 3}));
  EXPECT_TRUE(demo_->asked.empty());
}

TEST_F(OperationRunnerTest, AMissingValueIsAnErrorOfTheTemplateAndStartsNothing) {
  Operate("x", "add", {}, {{"a", "{{.states.never.Output}}"}});
  Terminal("done");
  const RunResult result = Run();
  ASSERT_TRUE(result.end.error);
  EXPECT_EQ(result.end.error->code, "EXECUTION.TEMPLATE.UNDEFINED");
  EXPECT_EQ(result.end.error->field, "inputs.a");
  EXPECT_TRUE(providers_.starts.empty());
}

TEST_F(OperationRunnerTest, AFailureKeepsWhatWasAnsweredAndIsRoutable) {
  demo_->execute = [](const OperationCall&) {
    OperationResult result = Refusal("status 503", {{"status_code", 503}});
    result.output = "busy";
    return result;
  };
  State& x = Operate("x", "anything");
  x.transitions = {When("{{.states.x.Response.status_code}} == 503", "later")};
  Terminal("done");
  Terminal("later", true, "{{.states.x.Output}}: {{.states.x.Error}} ({{.states.x.ErrorCode}})");
  const RunResult result = Run();
  EXPECT_EQ(result.end.status, "completed");
  EXPECT_EQ(result.end.message, "busy: status 503 (EXECUTION.OPERATION.FAILED)");
  EXPECT_EQ(Field(result, "x", "ExitCode"), "1");
  EXPECT_EQ(Field(result, "x", "Status"), R"("failure")");
}

TEST_F(OperationRunnerTest, AnErrorTextIsAFailureAndSoIsSilence) {
  Operate("x", "anything");
  Terminal("done");
  demo_->execute = [](const OperationCall&) {
    OperationResult result = Answer("fine");
    result.error = "but not quite";
    return result;
  };
  EXPECT_EQ(Run().end.error->message, "but not quite");
  demo_->execute = [](const OperationCall&) { return OperationResult{}; };
  EXPECT_EQ(Run().end.error->message, "demo.anything failed without saying why");
  demo_->execute = [](const OperationCall&) {
    OperationResult result;
    result.output = "it was the disk";
    return result;
  };
  EXPECT_EQ(Run().end.error->message, "it was the disk");
}

TEST_F(OperationRunnerTest, RetryActsUntilItSucceeds) {
  int calls = 0;
  demo_->execute = [&](const OperationCall&) {
    return ++calls < 3 ? Refusal("demo: plugin process ended during the call (exit status 3)", {}, Ending::kFailed)
                       : Answer("there");
  };
  State& x = Operate("x", "anything");
  x.retry.max_attempts = 5;
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(result.end.status, "completed");
  EXPECT_EQ(events_.EndOf("x").attempts, 3);
  EXPECT_EQ(Field(result, "x", "Output"), R"("there")");
  EXPECT_EQ(providers_.starts.size(), 3U);
  EXPECT_EQ(demo_->asked[0].id, demo_->asked[2].id);
}

TEST_F(OperationRunnerTest, ATimeoutHasItsOwnCodeAndStatus) {
  demo_->execute = [](const OperationCall& call) {
    EXPECT_TRUE(call.deadline);
    return Refusal("demo: no answer within 20 ms", {}, Ending::kTimeout);
  };
  State& x = Operate("x", "anything");
  x.timeout = TimeoutSetting{std::chrono::hours(1), {}, {}};
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(result.end.error->code, "EXECUTION.OPERATION.TIMEOUT");
  EXPECT_EQ(result.end.error->message, "demo: no answer within 20 ms");
  EXPECT_EQ(events_.EndOf("x").status, StepStatus::kTimeout);
}

TEST_F(OperationRunnerTest, TheDefaultTimeoutIsThatOfCommands) {
  Operate("x", "anything");
  Terminal("done");
  Run();
  EXPECT_FALSE(demo_->asked[0].deadline);
  request_.step_timeout = std::chrono::hours(2);
  const auto before = SteadyClock::now();
  Run();
  ASSERT_TRUE(demo_->asked[1].deadline);
  EXPECT_GE(*demo_->asked[1].deadline, before + std::chrono::hours(2));
  EXPECT_LE(*demo_->asked[1].deadline, SteadyClock::now() + std::chrono::hours(2));
}

TEST_F(OperationRunnerTest, AStartThatOutlastsTheStepIsItsTimeout) {
  providers_.faults["demo"] = Error{"EXECUTION.PLUGIN.START_TIMEOUT", "demo: no handshake in time", {}, {}, {}, {}};
  providers_.on_start = [](const Deadline& deadline, const std::stop_token&) {
    while (!Passed(deadline)) std::this_thread::sleep_until(*deadline);
  };
  State& x = Operate("x", "anything");
  x.timeout = TimeoutSetting{milliseconds(1), {}, {}};
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(result.end.error->code, "EXECUTION.OPERATION.TIMEOUT");
  EXPECT_EQ(result.end.error->message, "demo: no handshake in time");
}

TEST_F(OperationRunnerTest, APluginThatDoesNotStartFailsTheStepAndIsNotTriedAgain) {
  providers_.faults["demo"] = Error{"EXECUTION.PLUGIN.HANDSHAKE", "no handshake", "look at it", {}, {}, {}};
  State& x = Operate("x", "anything");
  x.retry.max_attempts = 4;
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(result.end.exit_code, 3);
  EXPECT_EQ(result.end.error->code, "EXECUTION.PLUGIN.HANDSHAKE");
  EXPECT_EQ(result.end.error->hint, "look at it");
  EXPECT_EQ(result.end.error->position, (Position{"f.yaml", 7, 3}));
  EXPECT_EQ(providers_.starts.size(), 1U);
}

TEST_F(OperationRunnerTest, AnOperationThatThePluginLacksIsNamedWithItsNearest) {
  Operate("x", "ad").retry.max_attempts = 3;
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(result.end.exit_code, 1);
  EXPECT_EQ(result.end.error->code, "USER.MCP_PROXY.UNKNOWN_OPERATION");
  EXPECT_EQ(result.end.error->message, "plugin 'demo' has no operation 'ad'; it has add, anything");
  EXPECT_EQ(result.end.error->hint, "did you mean 'add'?");
  EXPECT_EQ(providers_.starts.size(), 1U);
}

TEST_F(OperationRunnerTest, CancellationEndsTheCallAndTheRun) {
  demo_->execute = [this](const OperationCall& call) {
    stop_.request_stop();
    EXPECT_TRUE(call.cancelled.stop_requested());
    return Refusal("", {}, Ending::kCancelled);
  };
  Operate("x", "anything").retry.max_attempts = 3;
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(result.end.status, "cancelled");
  EXPECT_EQ(events_.EndOf("x").status, StepStatus::kCancelled);
  EXPECT_EQ(events_.EndOf("x").error->code, "EXECUTION.RUN.CANCELLED");
  EXPECT_EQ(demo_->asked.size(), 1U);
}

TEST_F(OperationRunnerTest, CancellationDuringTheStartIsNoFailureOfThePlugin) {
  providers_.faults["demo"] = Error{"EXECUTION.PLUGIN.START", "given up", {}, {}, {}, {}};
  providers_.on_start = [this](const Deadline&, const std::stop_token&) { stop_.request_stop(); };
  Operate("x", "anything");
  Terminal("done");
  EXPECT_EQ(Run().end.status, "cancelled");
  EXPECT_EQ(events_.EndOf("x").error->code, "EXECUTION.RUN.CANCELLED");
}

TEST_F(OperationRunnerTest, TheRpcIsOfTheStepAndItsBeginCountsFromItsStart) {
  demo_->execute = [](const OperationCall&) {
    OperationResult result = Answer("");
    result.rpc = RpcRecord{"plugin.v1.OperationService", "Execute", 0, microseconds(40), microseconds(900)};
    return result;
  };
  Operate("x", "anything");
  Terminal("done");
  Run();
  const auto& rpc = events_.EndOf("x").rpc;
  ASSERT_TRUE(rpc);
  EXPECT_EQ(rpc->method, "Execute");
  EXPECT_EQ(rpc->duration, microseconds(900));
  EXPECT_GE(rpc->begin, microseconds(40));
  EXPECT_EQ(demo_->asked[0].id, events_.contexts[0].span_id);
}

TEST_F(OperationRunnerTest, ThePluginHangsItsSpansUnderTheStep) {
  Operate("x", "anything");
  Terminal("done");
  request_.traceparent = "of the environment";
  Run();
  EXPECT_EQ(demo_->asked[0].traceparent, "of the environment");
  request_.tracing.spans = true;
  request_.tracing.trace_state = "a=b";
  Run();
  EXPECT_EQ(demo_->asked[1].traceparent, "00-" + std::string(32, 'a') + "-" + demo_->asked[1].id + "-01");
  EXPECT_EQ(demo_->asked[1].tracestate, "a=b");
}

TEST_F(OperationRunnerTest, OutputCanBeCaptured) {
  demo_->execute = [](const OperationCall&) { return Answer("kept"); };
  Operate("x", "anything", {}, {}, "show").capture.stdout_name = "said";
  Command("show", "echo {{.captures.said}}", "done");
  Terminal("done");
  Run();
  EXPECT_EQ(commands_.Commands(), std::vector<std::string>{"echo kept"});
}

TEST_F(OperationRunnerTest, BytesThatAreNoTextAreRepairedForTheStateFile) {
  demo_->execute = [](const OperationCall&) { return Answer("\xFF", {{"list", {"a\xC3", "b"}}}); };
  Operate("x", "anything");
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(Field(result, "x", "Output"), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(Field(result, "x", "Response"), "{\"list\":[\"a\xEF\xBF\xBD\",\"b\"]}");
}

// Both calls are in flight at once: each waits for the other.
TEST_F(OperationRunnerTest, BranchesCallAtTheSameTime) {
  std::atomic<int> inside = 0;
  demo_->execute = [&](const OperationCall&) {
    ++inside;
    const auto give_up = SteadyClock::now() + std::chrono::seconds(60);
    while (inside < 2 && SteadyClock::now() < give_up) std::this_thread::yield();
    return Answer(inside == 2 ? "together" : "alone");
  };
  Parallel("both", {"one", "two"}, "done");
  Operate("one", "anything", {}, {}, "");
  Operate("two", "anything", {}, {}, "");
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(result.end.status, "completed");
  EXPECT_EQ(Field(result, "one", "Output"), R"("together")");
  EXPECT_EQ(Field(result, "two", "Output"), R"("together")");
}

TEST_F(OperationRunnerTest, ALoopCallsOnceForEachItem) {
  demo_->execute = [](const OperationCall& call) { return Answer(json::serialize(call.inputs.at("n"))); };
  Loop("each", json::array{1, "two", json::object{{"k", 3}}}, {"x"}, "done");
  Operate("x", "anything", {}, {{"n", "{{.loop.Item}}"}}, "");
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(Field(result, "each", "Response"),
            R"({"iterations":3,"limit_reached":false,"results":["1","\"two\"","{\"k\":3}"]})");
}

TEST_F(OperationRunnerTest, AStepThatHasEndedIsNotRepeatedWhenTheRunIsTakenUp) {
  int calls = 0;
  demo_->execute = [&](const OperationCall&) {
    ++calls;
    return Answer("", {{"n", calls}});
  };
  commands_.results = {Failure("EXECUTION.COMMAND.FAILED", 1), Success("ok")};
  Operate("x", "anything", {}, {}, "show");
  Command("show", "echo {{.states.x.Response.n}}", "done");
  Terminal("done");
  EXPECT_EQ(Run().end.status, "failed");
  RunState state;
  for (const json::object& record : journal_.records) ASSERT_TRUE(state.Apply(record));
  auto prepared = PrepareResume(std::move(state), workflow_, "");
  ASSERT_TRUE(prepared);
  request_.resume = std::move(*prepared);
  EXPECT_EQ(Run().end.status, "completed");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(commands_.Commands(), (std::vector<std::string>{"echo 1", "echo 1"}));
}

TEST_F(OperationRunnerTest, WithoutAccessToOperationsTheStepFailsByADefect) {
  operations_ = nullptr;
  Operate("x", "anything");
  Terminal("done");
  EXPECT_EQ(Run().end.exit_code, 4);
}

}  // namespace
}  // namespace awf
