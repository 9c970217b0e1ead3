#include "application/running/workflow_runner.h"

#include <gtest/gtest.h>

#include "application/running/run_fixture_for_tests.h"

namespace awf {
namespace {

namespace fs = std::filesystem;

using RunnerTest = RunFixture;

TEST_F(RunnerTest, RunsStatesInTurnAndTellsEachStep) {
  request_.inputs = {{"who", "Ann"}, {"count", 3}, {"none", nullptr}};
  Command("build", "make {{.inputs.who}} {{.inputs.count}}", "ask");
  Agent("ask", "Look at {{.states.build.Output}}", "done");
  Terminal("done", true, "said {{.states.ask.Output}}");
  const RunResult result = Run();
  EXPECT_EQ(events_.lines,
            (std::vector<std::string>{"run flow 1 count=3 none=null who=Ann", "start build step", "end build success 0",
                                      "start ask agent provider=claude model=", "end ask success 0",
                                      "start done terminal", "end done success 0", "over completed 0"}));
  EXPECT_EQ(commands_.requests[0].command, "make Ann 3");
  EXPECT_EQ(commands_.requests[0].working_dir, folder_);
  EXPECT_EQ(agents_.requests[0].prompt, "Look at out");
  EXPECT_EQ(agents_.requests[0].proxy.has_value(), false);
  EXPECT_EQ(result.end.status, "completed");
  EXPECT_EQ(result.end.exit_code, 0);
  EXPECT_EQ(result.end.message, "said done");
  EXPECT_EQ(result.end.error, std::nullopt);
  ASSERT_EQ(result.states.size(), 2U);
  EXPECT_EQ(result.states[0].first, "build");
  EXPECT_EQ(json::serialize(result.states[0].second),
            R"({"Output":"out","Stderr":"","ExitCode":0,"Status":"success","Error":"","ErrorCode":"",)"
            R"("Duration":"1.5s","Attempts":1})");
}

TEST_F(RunnerTest, ContextsNameRunStepAndSpan) {
  Command("one", "x", "done");
  Terminal("done");
  Run();
  ASSERT_EQ(events_.contexts.size(), 2U);
  const StepContext& context = commands_.requests[0].step;
  EXPECT_EQ(context.run_id, "id");
  EXPECT_EQ(context.step, "one");
  EXPECT_EQ(context.attempt, 1);
  EXPECT_EQ(context.trace_id, request_.trace_id);
  EXPECT_EQ(context.span_id.size(), 16U);
  EXPECT_NE(events_.contexts[0].span_id, events_.contexts[1].span_id);
}

TEST_F(RunnerTest, CommandsGetTheirEnvironment) {
  request_.inputs = {{"who", "Ann"}, {"flag", true}, {"unset", nullptr}, {"big", std::string(200'000, 'x')}};
  Command("one", "x", "done");
  Terminal("done");
  Run();
  using Variables = std::vector<std::pair<std::string, std::string>>;
  const Variables expected = {
      {"AWF_RUN_ID", "id"}, {"AWF_STEP", "one"}, {"AWF_INPUT_WHO", "Ann"}, {"AWF_INPUT_FLAG", "true"}};
  EXPECT_EQ(commands_.requests[0].set_env, expected);
}

TEST_F(RunnerTest, CommandsHooksAndScriptsGetTheTraceContextOfTheirStep) {
  request_.tracing.spans = true;
  request_.tracing.trace_state = "vendor=1";
  Command("one", "x", "done").hooks.pre = {{Hook::Kind::kCommand, Text("prepare")}};
  Terminal("done");
  Run();
  request_.tracing.sampled = false;
  request_.tracing.trace_state.clear();
  Run();
  using Variables = std::vector<std::pair<std::string, std::string>>;
  ASSERT_EQ(commands_.requests.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const CommandRequest& request = commands_.requests[i];
    const std::string parent = "00-" + request_.trace_id + "-" + request.step.span_id;
    const Variables expected = i < 2 ? Variables{{"TRACEPARENT", parent + "-01"}, {"TRACESTATE", "vendor=1"}}
                                     : Variables{{"TRACEPARENT", parent + "-00"}};
    EXPECT_EQ(Variables(request.set_env.begin() + 2, request.set_env.end()), expected) << i;
  }
}

TEST_F(RunnerTest, AgentResultsHaveTokensAndResponse) {
  agents_.result = Success(" {\"verdict\": {\"ok\": true}} \n");
  agents_.result.end.usage = {10, 5, 15, true, {}};
  Agent("ask", "hi", "use");
  Command("use", "{{.states.ask.Response.verdict.ok}} {{.states.ask.TokensUsed}}", "done");
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(commands_.requests[0].command, "true 15");
  EXPECT_EQ(json::serialize(result.states[0].second),
            R"({"Output":" {\"verdict\": {\"ok\": true}} \n","Stderr":"","ExitCode":0,"Status":"success","Error":"",)"
            R"("ErrorCode":"","Duration":"1.5s","Attempts":1,"TokensInput":10,"TokensOutput":5,"TokensUsed":15,)"
            R"("TokensEstimated":true,"Response":{"verdict":{"ok":true}}})");
}

TEST_F(RunnerTest, TextThatIsNoObjectGivesNoResponse) {
  for (const char* text : {"[1]", "{broken}", "text {\"a\":1}", "{\"a\":1} {\"b\":2}"}) {
    agents_.result = Success(text);
    workflow_.states.clear();
    Agent("ask", "hi", "done");
    Terminal("done");
    EXPECT_FALSE(Run().states[0].second.contains("Response")) << text;
  }
}

TEST_F(RunnerTest, FailuresAreRouted) {
  commands_.results = {Failure("EXECUTION.COMMAND.FAILED", 7)};
  Command("test", "x", "done").on_failure = To("fix");
  Command("fix", "{{.states.test.ExitCode}} {{.states.test.Error}} {{.states.test.Stderr}}", "done");
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(commands_.requests[1].command, "7 it went wrong stderr");
  EXPECT_EQ(result.end.status, "completed");
  EXPECT_EQ(events_.lines[2], "end test failure 7 EXECUTION.COMMAND.FAILED");
}

TEST_F(RunnerTest, WithoutOnFailureTheRunFailsWithTheStatesOwnError) {
  commands_.results = {Failure("EXECUTION.COMMAND.TIMEOUT", 143, StepStatus::kTimeout)};
  Command("test", "x", "done");
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(result.end.status, "failed");
  EXPECT_EQ(result.end.exit_code, 3);
  EXPECT_EQ(result.end.error->code, "EXECUTION.COMMAND.TIMEOUT");
  EXPECT_EQ(result.end.error->step, "test");
  EXPECT_EQ(events_.lines.back(), "over failed 3 EXECUTION.COMMAND.TIMEOUT");
  EXPECT_EQ(result.states[0].second.at("Status"), "timeout");
}

TEST_F(RunnerTest, InlineFailureEndsWithItsStatusAndMessage) {
  agents_.result = Failure("EXECUTION.AGENT.FAILED", 0);
  Agent("ask", "hi", "done").on_failure = InlineFailure{Text("no: {{.states.ask.ErrorCode}}"), 42, {"f.yaml", 9, 1}};
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(result.end.exit_code, 42);
  EXPECT_EQ(result.end.status, "failed");
  EXPECT_EQ(result.end.message, "no: EXECUTION.AGENT.FAILED");
  EXPECT_EQ(result.end.error->code, "EXECUTION.WORKFLOW.FAILED");
  EXPECT_EQ(result.end.error->message, "no: EXECUTION.AGENT.FAILED");
  // An agent whose CLI exited 0 has failed nevertheless.
  EXPECT_EQ(result.states[0].second.at("ExitCode"), 1);
}

TEST_F(RunnerTest, FailureTerminalFailsTheRun) {
  Terminal("bad", false, "because");
  const RunResult result = Run();
  EXPECT_EQ(events_.lines,
            (std::vector<std::string>{"run flow 1", "start bad terminal", "end bad failure 1 EXECUTION.WORKFLOW.FAILED",
                                      "over failed 3 EXECUTION.WORKFLOW.FAILED"}));
  EXPECT_EQ(result.end.error->message, "because");
  EXPECT_EQ(result.end.exit_code, 3);
  EXPECT_TRUE(result.states.empty());
}

TEST_F(RunnerTest, SystemErrorsAreNotRouted) {
  commands_.results = {Failure("SYSTEM.IO.WRITE_FAILED", 1)};
  Command("test", "x", "done").on_failure = To("done");
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(result.end.status, "failed");
  EXPECT_EQ(result.end.exit_code, 4);
}

TEST_F(RunnerTest, MissingValuesFailTheStateWithAPosition) {
  Command("a", "x", "b").on_failure = To("c");
  Command("b", "{{.states.a.Nothing}}", "done").on_failure = To("c");
  std::get<CommandState>(workflow_.states[1].body).command.marks = {{0, 7, 12}};
  Command("c", "{{.states.b.ErrorCode}}", "done");
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(events_.lines[4], "end b failure 1 EXECUTION.TEMPLATE.UNDEFINED");
  EXPECT_EQ(commands_.requests[1].command, "EXECUTION.TEMPLATE.UNDEFINED");
  EXPECT_EQ(result.states[1].second.at("Error"), "'states.a.Nothing' has no value");
  EXPECT_EQ(result.end.status, "completed");
  workflow_.states[1].on_failure.reset();
  EXPECT_EQ(Run().end.error->position, (Position{"f.yaml", 7, 14}));
}

TEST_F(RunnerTest, WorkingDirectoryIsRelativeToAwfsAndMustExist) {
  fs::create_directory(folder_ / "sub");
  request_.inputs = {{"dir", "sub/../sub"}};
  Command("a", "x", "b").dir = Text("{{.inputs.dir}}");
  Command("b", "x", "done").dir = Text("nowhere");
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(commands_.requests[0].working_dir, folder_ / "sub");
  EXPECT_EQ(result.end.error->code, "EXECUTION.COMMAND.SPAWN_FAILED");
  EXPECT_EQ(result.end.error->field, "dir");
  EXPECT_EQ(result.end.error->message, "the working directory " + (folder_ / "nowhere").string() + " does not exist");
}

TEST_F(RunnerTest, TimeoutsBecomeDeadlines) {
  Command("none", "x", "zero");
  Command("zero", "x", "some").timeout = TimeoutSetting{std::chrono::milliseconds(0), {}, {}};
  Command("some", "x", "text").timeout = TimeoutSetting{std::chrono::minutes(5), {}, {}};
  Command("text", "x", "agent").timeout = TimeoutSetting{{}, Text("{{.inputs.t}}s"), {}};
  Agent("agent", "hi", "wrong");
  Command("wrong", "x", "done").timeout = TimeoutSetting{{}, Text("{{.inputs.t}} parsecs"), {}};
  Terminal("done");
  request_.inputs = {{"t", 600}};
  const auto before = SteadyClock::now();
  const RunResult result = Run();
  const auto after = SteadyClock::now();
  EXPECT_EQ(commands_.requests[0].deadline, std::nullopt);
  EXPECT_EQ(commands_.requests[1].deadline, std::nullopt);
  EXPECT_EQ(events_.lines[4], "log zero info timeout is 0: the state has no time limit");
  const auto is_between = [&](const Deadline& deadline, std::chrono::seconds limit) {
    return deadline && *deadline >= before + limit && *deadline <= after + limit;
  };
  EXPECT_TRUE(is_between(commands_.requests[2].deadline, std::chrono::minutes(5)));
  EXPECT_TRUE(is_between(commands_.requests[3].deadline, std::chrono::minutes(10)));
  EXPECT_TRUE(is_between(agents_.requests[0].deadline, std::chrono::hours(1)));
  EXPECT_EQ(result.end.error->message, "timeout '600 parsecs' is not a duration: write seconds, or as 1h2m3.5s, 500ms");
}

TEST_F(RunnerTest, AgentsGetRenderedAndCheckedOptions) {
  State& state = Agent("ask", "{{.inputs.p}}", "done");
  BodyOf(state).provider = Text("{{.inputs.provider}}");
  BodyOf(state).system_prompt = Text("Be {{.inputs.p}}");
  BodyOf(state).options = {{"base_url", "{{.inputs.url}}"}, {"model", 4.1}, {"maxTurns", "{{.inputs.n}}"}};
  BodyOf(state).option_templates = {{"base_url", Text("{{.inputs.url}}")}, {"maxTurns", Text("{{.inputs.n}}")}};
  BodyOf(state).option_sources = {{"model", "4.10"}};
  Terminal("done");
  request_.inputs = {{"p", "terse"}, {"provider", "openai-compatible"}, {"url", "http://x"}, {"n", 3}};
  Run();
  const AgentRequest& request = agents_.requests[0];
  EXPECT_EQ(request.provider, "openai_compatible");
  EXPECT_EQ(request.provider_as_written, "openai-compatible");
  EXPECT_EQ(request.prompt, "terse");
  EXPECT_EQ(request.system_prompt, "Be terse");
  EXPECT_EQ(json::serialize(request.options), R"({"base_url":"http://x","model":"4.10","max_turns":3})");
  EXPECT_EQ(events_.lines[1], "start ask agent provider=openai_compatible model=4.10");
}

TEST_F(RunnerTest, WhatIsWrongWithAnAgentOnlyNowFailsItsState) {
  request_.inputs = {{"provider", "cloude"}, {"blank", " \n"}, {"n", "many"}};
  State& provider = Agent("provider", "hi", "done");
  BodyOf(provider).provider = Text("{{.inputs.provider}}");
  Terminal("done");
  EXPECT_EQ(Run().end.error->code, "USER.PROVIDER.UNKNOWN");

  workflow_.states.clear();
  Agent("prompt", "{{.inputs.blank}}", "done");
  const Error blank = *Run().end.error;
  EXPECT_EQ(blank.code + " " + blank.field + ": " + blank.message,
            "WORKFLOW.PARSE.INVALID_VALUE prompt: the prompt is empty");

  workflow_.states.clear();
  State& options = Agent("options", "hi", "done");
  BodyOf(options).options = {{"max_turns", "{{.inputs.n}}"}};
  BodyOf(options).option_templates = {{"max_turns", Text("{{.inputs.n}}")}};
  BodyOf(options).option_positions = {{"max_turns", {"f.yaml", 5, 6}}};
  const RunResult result = Run();
  EXPECT_EQ(result.end.error->code, "WORKFLOW.PARSE.INVALID_VALUE");
  EXPECT_EQ(result.end.error->position, (Position{"f.yaml", 5, 6}));
  EXPECT_EQ(result.end.error->field, "options.max_turns");
  EXPECT_TRUE(agents_.requests.empty());
}

TEST_F(RunnerTest, ProxySettingsReachTheAgent) {
  State& state = Agent("ask", "hi", "done");
  McpProxySettings proxy;
  proxy.enable = true;
  proxy.isolation_required = true;
  proxy.sandbox.write = {"build", "/abs", "~/cache", "~"};
  BodyOf(state).mcp_proxy = proxy;
  Terminal("done");
  Run();
  EXPECT_EQ(events_.lines[1], "start ask agent provider=claude model= proxy intercept workspace-write");
  ASSERT_TRUE(agents_.requests[0].proxy.has_value());
  EXPECT_TRUE(agents_.requests[0].proxy->isolation_required);
  EXPECT_EQ(agents_.requests[0].proxy->sandbox.write,
            (std::vector<fs::path>{folder_ / "build", "/abs", "/home/ann/cache", "/home/ann"}));
  BodyOf(workflow_.states[0]).mcp_proxy->enable = false;
  Run();
  EXPECT_FALSE(agents_.requests[1].proxy.has_value());
}

TEST_F(RunnerTest, SandboxThatCannotBeEnforcedFailsTheStateBeforeTheAgentStarts) {
  State& state = Agent("ask", "hi", "done");
  BodyOf(state).mcp_proxy = McpProxySettings();
  Terminal("done");
  McpProxySettings& proxy = *BodyOf(workflow_.states[0]).mcp_proxy;
  proxy.enable = true;
  proxy.sandbox.explicit_mode = true;
  for (const SandboxMode mode : {SandboxMode::kWorkspaceWrite, SandboxMode::kReadOnly, SandboxMode::kStrict}) {
    proxy.sandbox.mode = mode;
    const RunResult result = Run();
    EXPECT_EQ(result.end.error->code, "USER.MCP_PROXY.UNSUPPORTED_PROVIDER");
    EXPECT_EQ(result.end.exit_code, 1);
  }
  proxy.sandbox.explicit_mode = false;
  proxy.sandbox.network = false;
  EXPECT_EQ(Run().end.error->message, "network: false cannot be enforced: this build cannot confine commands");
  EXPECT_TRUE(agents_.requests.empty());
  proxy.sandbox = {SandboxMode::kOff, true, {}, {}, true};
  EXPECT_EQ(Run().end.status, "completed");
}

TEST_F(RunnerTest, CancelledBeforeAStateNoneIsEntered) {
  Command("a", "x", "b");
  Command("b", "x", "done");
  Terminal("done");
  commands_.on_run = [this](const CommandRequest& request) {
    stop_.request_stop();
    EXPECT_TRUE(request.cancelled.stop_requested());
  };
  const RunResult result = Run();
  EXPECT_EQ(commands_.requests.size(), 1U);
  EXPECT_EQ(result.end.status, "cancelled");
  EXPECT_EQ(result.end.error->code, "EXECUTION.RUN.CANCELLED");
  EXPECT_EQ(result.end.exit_code, 3);
  EXPECT_EQ(events_.lines, (std::vector<std::string>{"run flow 1", "start a step", "end a success 0",
                                                     "over cancelled 3 EXECUTION.RUN.CANCELLED"}));
}

TEST_F(RunnerTest, CancelledStatesAreNotRouted) {
  commands_.results = {Failure("EXECUTION.RUN.CANCELLED", 143, StepStatus::kCancelled)};
  Command("a", "x", "done").on_failure = To("done");
  Terminal("done");
  EXPECT_EQ(Run().end.status, "cancelled");
  EXPECT_EQ(events_.lines[2], "end a cancelled 143 EXECUTION.RUN.CANCELLED");
}

TEST_F(RunnerTest, EndlessRunsAreStopped) {
  used_journal_ = nullptr;
  Command("a", "x", "b");
  Command("b", "x", "a");
  const RunResult result = Run();
  EXPECT_EQ(commands_.requests.size(), 10'000U);
  EXPECT_EQ(result.end.error->code, "EXECUTION.RUN.STEP_LIMIT");
  EXPECT_EQ(result.end.status, "failed");
}

TEST_F(RunnerTest, ResultsOfTheLastVisitCount) {
  commands_.results = {Success("first"), Failure("EXECUTION.COMMAND.FAILED", 1), Success("second")};
  Command("a", "x", "b");
  Command("b", "{{.states.a.Output}}", "done").on_failure = To("a");
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(commands_.requests[1].command, "first");
  EXPECT_EQ(commands_.requests[3].command, "second");
  ASSERT_EQ(result.states.size(), 2U);
  EXPECT_EQ(result.states[0].second.at("Output"), "second");
}

TEST_F(RunnerTest, NulBytesDoNotReachAShell) {
  Command("a", std::string("echo a\0; rm b", 13), "done");
  Terminal("done");
  EXPECT_EQ(Run().end.error->code, "EXECUTION.COMMAND.SPAWN_FAILED");
  EXPECT_TRUE(commands_.requests.empty());
}

TEST_F(RunnerTest, EveryNamespaceIsThere) {
  request_.user = "ann";
  request_.hostname = "box";
  request_.run_dir = "/runs/id";
  request_.folders.prompts = {"/prompts"};
  request_.inputs = {{"who", "Ann"}};
  Command("a",
          "{{.workflow.ID}} {{.workflow.Name}} {{.workflow.Version}} {{.workflow.CurrentState}} "
          "{{len .workflow.StartedAt}} {{.context.User}}@{{.context.Hostname}} {{.context.WorkingDir}} "
          "{{.awf.prompts_dir}} {{.awf.run_dir}} {{.env.HOME}} {{inputs.who}}",
          "done");
  Terminal("done", true, "{{.workflow.CurrentState}}");
  EXPECT_EQ(Run().end.message, "done");
  EXPECT_EQ(commands_.requests[0].command,
            "id flow 1 a 24 ann@box " + folder_.string() + " /prompts /runs/id /home/ann Ann");
  Command("b", "{{.workflow.Duration}}", "done").transitions = {When("env.HOME == '/home/ann'", "done")};
  workflow_.initial = To("b");
  EXPECT_EQ(Run().end.status, "completed");
  EXPECT_TRUE(commands_.requests[1].command.ends_with("s"));
}

TEST_F(RunnerTest, TheJournalHasAStateBeforeItsEndIsTold) {
  Command("a", "x", "done");
  Terminal("done");
  std::vector<std::string> seen;
  events_.on_ended = [&](const StepContext& step) {
    const json::object& record = journal_.records.back();
    seen.push_back(step.path + ": " + std::string(record.at("type").get_string()) + " " +
                   std::string(record.at("path").get_string()) + " → " + std::string(record.at("next").get_string()));
  };
  Run();
  EXPECT_EQ(seen, (std::vector<std::string>{"a: ended a → done", "done: ended done → "}));
}

TEST_F(RunnerTest, AJournalThatFailsEndsTheRunWhereverItStands) {
  Command("a", "x", "par");
  Parallel("par", {"left", "right"}, "done").on_failure = To("done");
  Command("left", "left").retry.max_attempts = 3;
  Command("right", "right");
  Terminal("done");
  Run();
  const std::size_t all = journal_.records.size();
  for (std::size_t room = 0; room < all; ++room) {
    journal_.records.clear();
    journal_.room = room;
    const RunResult result = Run();  // every state that was entered must have ended: the observer sees to it
    EXPECT_EQ(result.end.status, "failed") << room;
    EXPECT_EQ(result.end.error->code, "SYSTEM.IO.WRITE_FAILED") << room;
    EXPECT_EQ(result.end.exit_code, 4) << room;
    EXPECT_EQ(journal_.records.size(), room);
  }
}

TEST_F(RunnerTest, OnlyOneStateRunsWithItsMocks) {
  Command("a", "a", "b");
  Command("b", "b {{.states.a.Output}}", "never").transitions = {When("", "never")};
  Command("never", "never", "done");
  Loop("loop", json::array{1, 2}, {"body"}, "never");
  Command("body", "body");
  Terminal("done");
  Terminal("bad", false, "why");
  request_.mocks["a"] = std::make_shared<const json::object>(json::object{{"Output", "mocked"}});
  request_.only_state = "b";
  RunResult result = Run();
  EXPECT_EQ(commands_.Commands(), (std::vector<std::string>{"b mocked"}));
  EXPECT_EQ(result.end.status, "completed");
  ASSERT_EQ(result.states.size(), 1U);  // mocks are no results
  commands_.results = {Failure("EXECUTION.COMMAND.FAILED", 5)};
  result = Run();
  EXPECT_EQ(result.end.status, "failed");
  EXPECT_EQ(result.end.error->code, "EXECUTION.COMMAND.FAILED");
  request_.only_state = "loop";
  EXPECT_EQ(Run().end.status, "completed");
  EXPECT_EQ(commands_.requests.size(), 4U);
  request_.only_state = "bad";
  EXPECT_EQ(Run().end.error->message, "why");
  request_.only_state = "lop";
  result = Run();
  EXPECT_EQ(result.end.error->code, "USER.INPUT.INVALID_FORMAT");
  EXPECT_EQ(result.end.error->hint, "did you mean 'loop'?");
  EXPECT_EQ(result.end.exit_code, 1);
}

}  // namespace
}  // namespace awf
