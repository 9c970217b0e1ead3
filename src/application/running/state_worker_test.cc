#include "application/running/state_worker.h"

#include <gtest/gtest.h>

#include <thread>

#include "application/running/run_fixture_for_tests.h"

namespace awf {
namespace {

using std::chrono::milliseconds;

class WorkerTest : public RunFixture {
 protected:
  static RetryPolicy Retry(int attempts) {
    RetryPolicy policy;
    policy.max_attempts = attempts;
    return policy;
  }
};

TEST_F(WorkerTest, AttemptsRunUntilSuccessWithinOneStep) {
  commands_.results = {Failure("EXECUTION.COMMAND.FAILED", 1), Failure("EXECUTION.COMMAND.TIMEOUT", 143),
                       Success("ok")};
  State& a = Command("a", "x", "done");
  a.retry = Retry(5);
  a.retry.backoff = Backoff::kLinear;
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(events_.lines,
            (std::vector<std::string>{"run flow 1", "start a step", "retry a 2 after 1000 EXECUTION.COMMAND.FAILED",
                                      "retry a 3 after 2000 EXECUTION.COMMAND.TIMEOUT", "end a success 0",
                                      "start done terminal", "end done success 0", "over completed 0"}));
  EXPECT_EQ(events_.EndOf("a").attempts, 3);
  EXPECT_EQ(Field(result, "a", "Attempts"), "3");
  ASSERT_EQ(commands_.requests.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(commands_.requests[i].step.attempt, static_cast<int>(i) + 1);
    EXPECT_EQ(commands_.requests[i].step.span_id, commands_.requests[0].step.span_id);
  }
}

TEST_F(WorkerTest, TheLastAttemptsFailureIsTheStates) {
  commands_.results = {Failure("EXECUTION.COMMAND.FAILED", 1), Failure("EXECUTION.COMMAND.FAILED", 2)};
  Command("a", "x", "done").retry = Retry(2);
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(commands_.requests.size(), 2U);
  EXPECT_EQ(Field(result, "a", "ExitCode"), "2");
  EXPECT_EQ(result.end.exit_code, 3);
}

TEST_F(WorkerTest, WhatCannotGetBetterIsNotTriedAgain) {
  Command("a", "x", "done").retry = Retry(3);
  Terminal("done");
  for (const char* code : {"USER.INPUT.MISSING_FILE", "USER.PROVIDER.UNKNOWN", "EXECUTION.AGENT.AUTH",
                           "EXECUTION.AGENT.NOT_INSTALLED", "EXECUTION.MCP_PROXY.BYPASS"}) {
    commands_.requests.clear();
    commands_.results = {Failure(code, 1)};
    EXPECT_EQ(Run().end.error->code, code);
    EXPECT_EQ(commands_.requests.size(), 1U) << code;
  }
  commands_.requests.clear();
  commands_.results = {Cancelled()};
  EXPECT_EQ(Run().end.status, "cancelled");
  EXPECT_EQ(commands_.requests.size(), 1U);
}

TEST_F(WorkerTest, OnlyTheListedExitCodesAreTriedAgain) {
  State& a = Command("a", "x", "done");
  a.retry = Retry(5);
  a.retry.retryable_exit_codes = {75, 7};
  Terminal("done");
  commands_.results = {Failure("EXECUTION.COMMAND.FAILED", 7), Failure("EXECUTION.COMMAND.FAILED", 75),
                       Failure("EXECUTION.COMMAND.FAILED", 1)};
  EXPECT_EQ(Run().end.status, "failed");
  EXPECT_EQ(commands_.requests.size(), 3U);
}

TEST_F(WorkerTest, CancellationEndsTheWaitAndTheState) {
  commands_.results = {Failure("EXECUTION.COMMAND.FAILED", 1)};
  Command("a", "x", "done").retry = Retry(3);
  Terminal("done");
  wait_ = [this](milliseconds, const std::stop_token& cancelled) {
    stop_.request_stop();
    return !cancelled.stop_requested();
  };
  const RunResult result = Run();
  EXPECT_EQ(events_.lines[3], "end a cancelled 1 EXECUTION.RUN.CANCELLED");
  EXPECT_EQ(result.end.status, "cancelled");
  EXPECT_EQ(Field(result, "a", "Stderr"), R"("stderr")");
}

TEST_F(WorkerTest, TheRealWaitEndsAtOnce) {
  std::stop_source stop;
  EXPECT_TRUE(WaitOrCancelled(milliseconds(1), stop.get_token()));
  std::jthread other([&] { stop.request_stop(); });
  EXPECT_FALSE(WaitOrCancelled(std::chrono::hours(1), stop.get_token()));
}

TEST_F(WorkerTest, EachAttemptIsRenderedAnewWithAFreshDeadline) {
  State& a = Command("a", "{{readFile \"n\"}}", "done");
  a.retry = Retry(2);
  a.timeout = TimeoutSetting{std::chrono::minutes(5), {}, {}};
  Terminal("done");
  const std::string path = (folder_ / "n").string();
  files_.texts[path] = "one";
  commands_.run = [&](const CommandRequest& request) {
    files_.texts[path] = "two";
    return request.step.attempt == 1 ? Failure("EXECUTION.COMMAND.FAILED", 1) : Success("");
  };
  Run();
  EXPECT_EQ(commands_.Commands(), (std::vector<std::string>{"one", "two"}));
  EXPECT_LT(*commands_.requests[0].deadline, *commands_.requests[1].deadline);
}

TEST_F(WorkerTest, AgentsAreTriedAgainAndTheirTokensSummed) {
  StepResult first = Failure("EXECUTION.AGENT.RATE_LIMITED", 0), second = Success("ok");
  first.end.usage = {10, 1, 11, true, 0.5};
  second.end.usage = {20, 2, 22, false, 0.25};
  first.end.tool_calls = second.end.tool_calls = 2;
  agents_.results = {first, second};
  Agent("a", "hi", "done").retry = Retry(2);
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(Field(result, "a", "TokensInput"), "30");
  EXPECT_EQ(Field(result, "a", "TokensOutput"), "3");
  EXPECT_EQ(Field(result, "a", "TokensUsed"), "33");
  EXPECT_EQ(Field(result, "a", "TokensEstimated"), "true");
  EXPECT_EQ(events_.EndOf("a").usage.cost_usd, 0.75);
  EXPECT_EQ(events_.EndOf("a").tool_calls, 4);
}

TEST_F(WorkerTest, LoopsAndParallelStatesAreTriedAgainFromTheStart) {
  Loop("loop", json::array{1, 2}, {"body"}, "par").retry = Retry(2);
  Command("body", "{{.loop.Item}}");
  Parallel("par", {"left", "right"}, "done").retry = Retry(2);
  Command("left", "left");
  Command("right", "right");
  Terminal("done");
  std::map<std::string, int> runs;
  commands_.run = [&](const CommandRequest& request) {
    const std::lock_guard lock(commands_.mutex);
    const bool fails = ++runs[request.command] == 1 && (request.command == "2" || request.command == "right");
    return fails ? Failure("EXECUTION.COMMAND.FAILED", 1) : Success("");
  };
  EXPECT_EQ(Run().end.status, "completed");
  EXPECT_EQ(runs["1"], 2);
  EXPECT_EQ(runs["2"], 2);
  EXPECT_EQ(runs["right"], 2);
  EXPECT_EQ(events_.EndOf("par").attempts, 2);
}

TEST_F(WorkerTest, HooksRunAroundAllAttempts) {
  State& a = Command("a", "work", "done");
  a.retry = Retry(2);
  a.dir = Text("sub");
  std::filesystem::create_directory(folder_ / "sub");
  a.hooks.pre = {{Hook::Kind::kLog, Text("before {{.workflow.CurrentState}}")},
                 {Hook::Kind::kCommand, Text("prepare")}};
  a.hooks.post = {{Hook::Kind::kCommand, Text("clean {{.states.a.Status}} {{.states.a.ExitCode}}")},
                  {Hook::Kind::kLog, Text("after {{.states.a.Output}}")}};
  Terminal("done");
  commands_.results = {Success(""), Failure("EXECUTION.COMMAND.FAILED", 1), Failure("EXECUTION.COMMAND.FAILED", 4)};
  const auto before = SteadyClock::now();
  Run();
  EXPECT_EQ(commands_.Commands(), (std::vector<std::string>{"prepare", "work", "work", "clean failure 4"}));
  EXPECT_EQ(events_.outputs, (std::vector<std::string>{"a: work", "a: work"}));
  EXPECT_EQ(commands_.requests[0].working_dir, folder_ / "sub");
  EXPECT_GE(*commands_.requests[0].deadline, before + std::chrono::seconds(60));
  EXPECT_LE(*commands_.requests[0].deadline, SteadyClock::now() + std::chrono::seconds(60));
  EXPECT_EQ(events_.lines,
            (std::vector<std::string>{
                "run flow 1", "start a step", R"(log a info hook {"hook":"pre","text":"before a"})",
                "retry a 2 after 1000 EXECUTION.COMMAND.FAILED", R"(log a info hook {"hook":"post","text":"after "})",
                "end a failure 4 EXECUTION.COMMAND.FAILED", "over failed 3 EXECUTION.COMMAND.FAILED"}));
}

TEST_F(WorkerTest, HooksThatFailOnlyWarnAndTheOthersRun) {
  State& a = Command("a", "work", "done");
  a.hooks.pre = {{Hook::Kind::kCommand, Text("bad")},
                 {Hook::Kind::kLog, Text("{{.inputs.none}}")},
                 {Hook::Kind::kLog, Text("still")}};
  Terminal("done");
  commands_.results = {Failure("EXECUTION.COMMAND.FAILED", 2)};
  const RunResult result = Run();
  EXPECT_EQ(events_.lines[2],
            R"(log a warn hook {"hook":"pre","code":"EXECUTION.COMMAND.FAILED","error":"it went wrong"})");
  EXPECT_EQ(events_.lines[3].substr(0, 72),
            R"(log a warn hook {"hook":"pre","code":"EXECUTION.TEMPLATE.UNDEFINED","err)");
  EXPECT_EQ(events_.lines[4], R"(log a info hook {"hook":"pre","text":"still"})");
  EXPECT_EQ(Field(result, "a", "Output"), R"("out")");
  EXPECT_EQ(result.end.status, "completed");
}

TEST_F(WorkerTest, CapturesAreNamedAndLimited) {
  State& a = Command("a", "x", "b");
  a.capture.stdout_name = "text";
  a.capture.stderr_name = "noise";
  a.capture.max_size = 1000;
  a.capture.encoding = CaptureEncoding::kBase64;
  a.transitions = {When("captures.text == 'listing'", "b")};
  commands_.results = {Success("listing")};
  commands_.results[0].error_output = "warnings";
  Command("b", "{{.captures.text}} {{.captures.noise}}", "done");
  Terminal("done");
  Run();
  EXPECT_EQ(commands_.requests[0].max_output, 1000U);
  EXPECT_EQ(commands_.requests[0].encoding, CaptureEncoding::kBase64);
  EXPECT_EQ(commands_.requests[1].command, "listing warnings");
  EXPECT_EQ(commands_.requests[1].max_output, 10U << 20);
}

TEST_F(WorkerTest, ScriptsAreReadAsTheyArePromptsAreTemplates) {
  workflow_.file = "flows/f.yaml";
  request_.folders.scripts = {"/project/scripts", "/user/scripts"};
  files_.texts[(folder_ / "flows/ask.md").string()] = "Hello\n{{.inputs.who}}";
  files_.texts["/user/scripts/build.sh"] = "#!/bin/sh\necho {{.not.a.template}}";
  request_.inputs = {{"who", "Ann"}, {"name", "build"}};
  Add("a", CommandState{{}, Text("{{.awf.scripts_dir}}/{{.inputs.name}}.sh")}).on_success = To("b");
  BodyOf(Agent("b", "", "done")).prompt_file = Text("ask.md");
  Terminal("done");
  EXPECT_EQ(Run().end.status, "completed");
  EXPECT_EQ(commands_.requests[0].script, "#!/bin/sh\necho {{.not.a.template}}");
  EXPECT_EQ(commands_.requests[0].command, "");
  EXPECT_EQ(agents_.requests[0].prompt, "Hello\nAnn");

  files_.texts[(folder_ / "flows/ask.md").string()] = "Hello\n  {{.inputs.nobody}}";
  RunResult result = Run();
  EXPECT_EQ(result.end.error->code, "EXECUTION.TEMPLATE.UNDEFINED");
  EXPECT_EQ(result.end.error->position.file, (folder_ / "flows/ask.md").string());
  EXPECT_EQ(result.end.error->position.line, 2U);
  files_.texts.clear();
  result = Run();
  EXPECT_EQ(result.end.error->code, "USER.INPUT.MISSING_FILE");
  EXPECT_EQ(result.end.error->field, "script_file");
}

TEST_F(WorkerTest, AnswersInJsonAreReadOrFailTheStateAndMayBeTriedAgain) {
  State& a = Agent("a", "hi", "b");
  BodyOf(a).output_format = AgentOutputFormat::kJson;
  a.retry = Retry(2);
  agents_.results = {Success("I cannot"), Success("Sure:\n```json\n{\"files\": [\"a.cc\"]}\n```")};
  Command("b", "{{index .states.a.JSON.files 0}}", "done");
  Terminal("done");
  const RunResult result = Run();
  EXPECT_EQ(events_.lines[2], "retry a 2 after 1000 EXECUTION.AGENT.OUTPUT_FORMAT");
  EXPECT_EQ(commands_.requests[0].command, "a.cc");
  EXPECT_EQ(Field(result, "a", "JSON"), R"({"files":["a.cc"]})");
  EXPECT_EQ(Field(result, "a", "Response"), "none");

  agents_.result = Success("no");
  a.retry = Retry(1);
  const RunResult failed = Run();
  EXPECT_EQ(failed.end.error->code, "EXECUTION.AGENT.OUTPUT_FORMAT");
  EXPECT_EQ(failed.end.error->message, "the answer is not JSON: no");
  EXPECT_EQ(Field(failed, "a", "ExitCode"), "1");
  EXPECT_EQ(Field(failed, "a", "Output"), R"("no")");
}

TEST_F(WorkerTest, ConfiguredTimeoutsAndOptionsStandUnderTheStatesOwn) {
  request_.step_timeout = std::chrono::minutes(2);
  request_.agent_timeout = milliseconds(0);
  request_.providers["claude"].options = {{"model", "small"}, {"max_turns", 9}};
  Command("a", "x", "b");
  BodyOf(Agent("b", "hi", "c")).options = {{"max_turns", 3}};
  Loop("c", json::array{1}, {"body"}, "done");
  Command("body", "x").timeout = TimeoutSetting{milliseconds(0), {}, {}};
  Terminal("done");
  const auto before = SteadyClock::now();
  Run();
  EXPECT_GE(*commands_.requests[0].deadline, before + std::chrono::minutes(2));
  EXPECT_EQ(commands_.requests[1].deadline, std::nullopt);
  EXPECT_EQ(agents_.requests[0].deadline, std::nullopt);
  EXPECT_EQ(json::serialize(agents_.requests[0].options), R"({"max_turns":3,"model":"small"})");
  EXPECT_EQ(events_.lines[3], "start b agent provider=claude model=small");
}

TEST_F(WorkerTest, ExceptionsOfExecutorsBecomeErrors) {
  Command("a", "x", "done");
  Terminal("done");
  commands_.run = [](const CommandRequest&) -> StepResult { throw std::runtime_error("boom"); };
  const RunResult result = Run();
  EXPECT_EQ(result.end.error->code, "SYSTEM.INTERNAL.UNMAPPED");
  EXPECT_EQ(result.end.exit_code, 4);
  EXPECT_EQ(events_.lines[2], "end a failure 1 SYSTEM.INTERNAL.UNMAPPED");
}

TEST_F(WorkerTest, BadBytesDoNotReachResults) {
  commands_.results = {Success("a\xFF")};
  Command("a", "x", "done");
  Terminal("done");
  EXPECT_EQ(Field(Run(), "a", "Output"), "\"a\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace awf
