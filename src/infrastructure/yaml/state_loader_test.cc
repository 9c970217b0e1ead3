// The model of states, key by key. What is refused stands in tests/fixtures/workflows/parse_*.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "infrastructure/yaml/workflow_loader.h"

namespace awf {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

ValidationContext Offline() {
  ValidationContext context;
  context.environment = [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
  return context;
}

// A workflow of the state `a`, written in flow style, and the states it may go to.
LoadedWorkflow LoadState(std::string_view inner) {
  return LoadWorkflowText("name: x\nstates:\n  initial: a\n  a: {" + std::string(inner) +
                              "}\n  b: {type: step, command: ls}\n  c: {type: step, command: ls}\n"
                              "  z: {type: terminal}\n",
                          "f.yaml", Offline());
}

State StateOf(std::string_view inner) { return LoadState(inner).workflow.value().states.at(0); }

// Hint and message of the only finding of that field.
std::string HintOf(std::string_view inner, std::string_view field) {
  const LoadedWorkflow loaded = LoadState(inner);
  const auto found =
      std::ranges::find(loaded.findings, field, [](const Finding& finding) { return finding.error.field; });
  if (found == loaded.findings.end()) return "no finding";
  return found->error.hint;
}

TEST(StateLoader, Transitions) {
  const State state = StateOf(
      "type: step, command: ls, transitions: [{when: 'inputs.n > 1', goto: b}, {when: true, "
      "goto: c}, {goto: z}]");
  ASSERT_EQ(state.transitions.size(), 3U);
  EXPECT_EQ(state.transitions[0].when.text, "inputs.n > 1");
  EXPECT_EQ(state.transitions[0].target.state, "b");
  EXPECT_EQ(state.transitions[0].position, (Position{"f.yaml", 4, 46}));
  EXPECT_EQ(state.transitions[0].target.position, (Position{"f.yaml", 4, 75}));
  EXPECT_EQ(state.transitions[1].when.text, "true");
  EXPECT_TRUE(state.transitions[2].when.empty());
  EXPECT_FALSE(state.partial);
}

// Places inside of expressions are told too, so their text has marks although there is no template in it.
TEST(StateLoader, ExpressionsKnowThePlaceOfEachCharacter) {
  const State state = StateOf("type: step, command: ls, transitions: [{when: 'a == b', goto: b}]");
  EXPECT_EQ(state.transitions.at(0).when.At(0), (Position{"f.yaml", 4, 54}));
  EXPECT_EQ(state.transitions.at(0).when.At(5), (Position{"f.yaml", 4, 59}));
  const auto loop = std::get<ForEachState>(
      StateOf("type: for_each, items: a.b, body: [b], break_when: \"x\", max_iterations: n * 2").body);
  EXPECT_EQ(std::get<TemplateText>(loop.items).At(2), (Position{"f.yaml", 4, 32}));
  EXPECT_EQ(loop.break_when.At(0), (Position{"f.yaml", 4, 59}));
  EXPECT_EQ(std::get<TemplateText>(loop.max_iterations).At(4), (Position{"f.yaml", 4, 83}));
}

TEST(StateLoader, RetryWithAllFields) {
  const RetryPolicy retry =
      StateOf(
          "type: step, command: ls, retry: {max_attempts: 5, initial_delay: 0.5, max_delay: 1m, backoff: "
          "exponential, multiplier: 1.5, jitter: 0.25, retryable_exit_codes: [1, 75]}")
          .retry;
  EXPECT_EQ(retry.max_attempts, 5);
  EXPECT_EQ(retry.initial_delay, milliseconds(500));
  EXPECT_EQ(retry.max_delay, milliseconds(60'000));
  EXPECT_EQ(retry.backoff, Backoff::kExponential);
  EXPECT_EQ(retry.multiplier, 1.5);
  EXPECT_EQ(retry.jitter, 0.25);
  EXPECT_THAT(retry.retryable_exit_codes, ElementsAre(1, 75));
}

TEST(StateLoader, RetryByDefault) {
  const RetryPolicy retry = StateOf("type: step, command: ls, retry: {backoff: linear, initial_delay: 2}").retry;
  EXPECT_EQ(retry.max_attempts, 1);
  EXPECT_EQ(retry.initial_delay, milliseconds(2000));  // bare numbers are seconds
  EXPECT_EQ(retry.max_delay, std::nullopt);
  EXPECT_EQ(retry.backoff, Backoff::kLinear);
  EXPECT_EQ(retry.multiplier, 2);
  EXPECT_EQ(retry.jitter, 0);
  EXPECT_EQ(StateOf("type: step, command: ls").retry.initial_delay, milliseconds(1000));
}

TEST(StateLoader, Hooks) {
  const StateHooks hooks =
      StateOf("type: step, command: ls, hooks: {pre: [{log: hello}, {command: true}], post: [{log: 7}]}").hooks;
  ASSERT_EQ(hooks.pre.size(), 2U);
  EXPECT_EQ(hooks.pre[0].kind, Hook::Kind::kLog);
  EXPECT_EQ(hooks.pre[0].text.text, "hello");
  EXPECT_EQ(hooks.pre[1].kind, Hook::Kind::kCommand);
  EXPECT_EQ(hooks.pre[1].text.text, "true");
  ASSERT_EQ(hooks.post.size(), 1U);
  EXPECT_EQ(hooks.post[0].text.text, "7");
}

TEST(StateLoader, Capture) {
  const CaptureSettings capture =
      StateOf("type: step, command: ls, capture: {stdout: out, stderr: err, max_size: 64KB, encoding: base64}").capture;
  EXPECT_EQ(capture.stdout_name, "out");
  EXPECT_EQ(capture.stderr_name, "err");
  EXPECT_EQ(capture.max_size, 64'000U);
  EXPECT_EQ(capture.encoding, CaptureEncoding::kBase64);
  EXPECT_EQ(capture.stdout_position, (Position{"f.yaml", 4, 50}));
  EXPECT_EQ(StateOf("type: step, command: ls").capture.max_size, 10U << 20);
}

TEST(StateLoader, CaptureSizes) {
  const auto size = [](const std::string& text) {
    return StateOf("type: step, command: ls, capture: {max_size: " + text + "}").capture.max_size;
  };
  EXPECT_EQ(size("1"), 1U);
  EXPECT_EQ(size("12B"), 12U);
  EXPECT_EQ(size("10MB"), 10'000'000U);
  EXPECT_EQ(size("10MiB"), 10U << 20);
  EXPECT_EQ(size("3KiB"), 3072U);
  EXPECT_EQ(size("256MiB"), 256U << 20);
  EXPECT_EQ(size("268435456"), 256U << 20);
}

TEST(StateLoader, OtherCommonKeys) {
  const State state = StateOf("type: step, command: ls, continue_on_error: true, dir: '{{.inputs.d}}', timeout: 250ms");
  EXPECT_TRUE(state.continue_on_error);
  EXPECT_EQ(state.dir.text, "{{.inputs.d}}");
  EXPECT_EQ(state.timeout->value, milliseconds(250));
}

TEST(StateLoader, ScriptsAndPromptFiles) {
  const auto command = std::get<CommandState>(StateOf("type: step, script_file: run.sh").body);
  EXPECT_EQ(command.script_file.text, "run.sh");
  EXPECT_TRUE(command.command.empty());
  const auto agent =
      std::get<AgentState>(StateOf("type: agent, provider: claude, prompt_file: p.md, output_format: json").body);
  EXPECT_EQ(agent.prompt_file.text, "p.md");
  EXPECT_TRUE(agent.prompt.empty());
  EXPECT_EQ(agent.output_format, AgentOutputFormat::kJson);
  const auto plain = std::get<AgentState>(StateOf("type: agent, provider: claude, prompt: hi").body);
  EXPECT_EQ(plain.output_format, AgentOutputFormat::kText);
}

TEST(StateLoader, Parallel) {
  const State state = StateOf("type: parallel, parallel: [b, c], strategy: any_succeed, max_concurrent: 2");
  const auto& parallel = std::get<ParallelState>(state.body);
  ASSERT_EQ(parallel.branches.size(), 2U);
  EXPECT_EQ(parallel.branches[1].state, "c");
  EXPECT_EQ(parallel.branches[1].position, (Position{"f.yaml", 4, 37}));
  EXPECT_EQ(parallel.strategy, ParallelStrategy::kAnySucceed);
  EXPECT_EQ(parallel.max_concurrent, 2);
  const auto plain = std::get<ParallelState>(StateOf("type: parallel, parallel: [b]").body);
  EXPECT_EQ(plain.strategy, ParallelStrategy::kAllSucceed);
  EXPECT_EQ(plain.max_concurrent, 0);
}

TEST(StateLoader, LoopsOverAListKeepTypesAndTemplates) {
  const State state = StateOf(
      "type: for_each, items: [1, 1.5, true, ~, '7', '{{.inputs.x}}', {n: ['{{.inputs.y}}']}], "
      "body: [b, c], max_iterations: 20, on_complete: z");
  const auto& loop = std::get<ForEachState>(state.body);
  EXPECT_EQ(json::serialize(std::get<json::array>(loop.items)),
            R"([1,1.5E0,true,null,"7","{{.inputs.x}}",{"n":["{{.inputs.y}}"]}])");
  ASSERT_EQ(loop.item_templates.size(), 2U);
  EXPECT_EQ(loop.item_templates.at("[5]").text, "{{.inputs.x}}");
  EXPECT_EQ(loop.item_templates.at("[6].n[0]").position, (Position{"f.yaml", 4, 75}));
  EXPECT_EQ(loop.items_position, (Position{"f.yaml", 4, 30}));
  EXPECT_EQ(loop.body.at(1).state, "c");
  EXPECT_EQ(std::get<int>(loop.max_iterations), 20);
  EXPECT_EQ(state.on_success->state, "z");
}

TEST(StateLoader, LoopsOverATextByDefault) {
  const auto loop = std::get<ForEachState>(StateOf("type: for_each, items: '{{.inputs.x}}', body: [b]").body);
  EXPECT_EQ(std::get<TemplateText>(loop.items).text, "{{.inputs.x}}");
  EXPECT_EQ(std::get<int>(loop.max_iterations), 100);
  EXPECT_TRUE(loop.break_when.empty());
  const auto text = std::get<ForEachState>(StateOf("type: for_each, items: [1], body: [b], max_iterations: '30'").body);
  EXPECT_EQ(std::get<int>(text.max_iterations), 30);
}

TEST(StateLoader, WhatHidesTheWayOnMakesAStatePartial) {
  for (const char* inner :
       {"type: step, command: ls, transitions: b", "type: step, command: ls, transitions: [{when: x}]",
        "type: step, command: ls, transitions: [{if: x, goto: b}]", "type: step, command: ls, on_success: [b]",
        "type: step, command: ls, on_failure: [b]", "type: step, command: ls, on_sucess: b",
        "type: step, command: ls, onFailure: b", "type: step, command: ls, next: b",
        "type: step, command: ls, continue_on_error: yes, on_success: b", "type: stpe, command: ls, on_success: b",
        "type: while, body: [b], on_success: c", "type: step, command: ls, use_template: t",
        "type: parallel, parallel: b, on_success: c", "type: for_each, items: [1], body: [[b]], on_success: c"}) {
    EXPECT_TRUE(StateOf(inner).partial) << inner;
  }
  for (const char* inner :
       {"type: step, command: ls, on_success: b", "type: step, comand: ls, on_success: b",
        "type: step, operation: a.b, on_success: b", "type: operation, operation: ab, on_success: b",
        "type: step, command: ls, retry: x, on_success: b", "type: step, command: ls, when: x, on_success: b"}) {
    EXPECT_FALSE(StateOf(inner).partial) << inner;
  }
}

// The hint that each kind of unknown key gets: the first that fits.
TEST(StateLoader, HintsForUnknownKeys) {
  const struct {
    const char* inner;
    const char* field;
    const char* hint;
  } cases[] = {
      {"type: step, command: ls, depends_on: [b]", "depends_on", "not supported yet"},
      {"type: step, command: ls, dependsOn: [b]", "dependsOn", "'depends_on' is not supported yet"},
      {"type: step, command: ls, x-note: 1", "x-note", "not supported yet"},
      {"type: step, command: ls, <<: {a: b}", "<<", "not supported yet"},
      {"type: step, command: ls, when: x", "when", "conditions stand in 'transitions', as '- {when: …, goto: …}'"},
      {"type: step, command: ls, next: b", "next", "use 'on_success'"},
      {"type: step, operation: a.b", "operation", "write 'type: operation'"},
      {"type: step, operation: a.b, command: ls", "operation", "only a state of type operation has it"},
      {"type: step, command: ls, inputs: {}", "inputs", "only a state of type operation has it"},
      {"type: operation, operation: a.b, command: ls", "command", "only a state of type step has it"},
      {"type: operation, operation: a.b, input: {}", "input", "did you mean 'inputs'?"},
      {"type: step, command: ls, prompt: hi", "prompt", "only a state of type agent has it"},
      {"type: step, command: ls, promptFile: hi", "promptFile", "only a state of type agent has it"},
      {"type: step, command: ls, on_complete: b", "on_complete", "only loops have it; use 'on_success'"},
      {"type: terminal, items: [1]", "items", "only a state of type for_each has it"},
      {"type: agent, provider: claude, prompt: hi, command: ls", "command", "only a state of type step has it"},
      {"type: step, command: ls, onSuccess: b", "onSuccess", "keys are written in snake_case: 'on_success'"},
      {"type: step, command: ls, on-success: b", "on-success", "did you mean 'on_success'?"},
      {"type: step, command: ls, tiemout: 3", "tiemout", "did you mean 'timeout'?"},
      {"type: step, command: ls, dri: x", "dri", "did you mean 'dir'?"},
      {"type: step, command: ls, d1rr: x", "d1rr", ""},
      {"type: step, command: ls, colour: red", "colour", ""},
  };
  for (const auto& test : cases) EXPECT_EQ(HintOf(test.inner, test.field), test.hint) << test.inner;
}

TEST(StateLoader, OperationsAreReadWithTheirPlaces) {
  for (const char* type : {"operation", "step", "command"}) {
    const LoadedWorkflow loaded =
        LoadState("type: " + std::string(type) +
                  ", on_success: z, operation: forge.issues.create, inputs: {title: "
                  "'{{.inputs.t}}', labels: [a, '{{.inputs.l}}'], number: 0x10, \"null\": ~}");
    const State& state = loaded.workflow.value().states.at(0);
    const auto* operation = std::get_if<OperationState>(&state.body);
    ASSERT_NE(operation, nullptr) << type;
    EXPECT_FALSE(state.partial);
    EXPECT_EQ(operation->plugin, "forge");
    EXPECT_EQ(operation->operation, "issues.create");
    EXPECT_EQ(json::serialize(operation->inputs),
              R"({"title":"{{.inputs.t}}","labels":["a","{{.inputs.l}}"],"number":16,"null":null})");
    EXPECT_EQ(operation->input_sources.at("number"), "0x10");
    EXPECT_EQ(operation->input_templates.at("title").text, "{{.inputs.t}}");
    const Position& label = operation->input_templates.at("labels[1]").position;
    EXPECT_EQ(label, operation->input_positions.at("labels[1]"));
    const std::size_t shift = std::string_view(type).size();
    EXPECT_EQ(operation->position.column, 41 + shift);
    EXPECT_EQ(operation->input_positions.at("labels").line, operation->position.line);
    EXPECT_LT(operation->input_positions.at("labels").column, label.column);
    const bool alias = std::string_view(type) != "operation";
    const auto warned = [](const Finding& finding) {
      return finding.severity == Severity::kWarning && finding.error.code == "WORKFLOW.PARSE.UNKNOWN_FIELD" &&
             finding.error.message == "'operation' makes this a state of type operation, not step";
    };
    EXPECT_EQ(std::ranges::count_if(loaded.findings, warned), alias ? 1 : 0) << type;
  }
}

TEST(StateLoader, NamesOfOperationsAreWrittenOut) {
  const auto message = [](const std::string& inner) {
    const LoadedWorkflow loaded = LoadState("type: operation, on_success: z" + inner);
    return loaded.findings.empty() ? "" : loaded.findings.at(0).error.message;
  };
  EXPECT_EQ(message(""), "state 'a' has no operation");
  const std::string form = "operation must be PLUGIN.OPERATION, as in github.create_issue";
  for (const char* name : {"create", ".create", "github.", "'.'"})
    EXPECT_EQ(message(", operation: " + std::string(name)), form) << name;
  const std::string written = "operation must be written out: what runs has to be known before the run";
  for (const char* name : {"'{{.inputs.p}}.create'", "'github.{{.inputs.o}}'"})
    EXPECT_EQ(message(", operation: " + std::string(name)), written) << name;
  EXPECT_NE(message(", operation: [a.b]"), "");
  EXPECT_NE(message(", operation: a.b, inputs: [x]"), "");
}

TEST(StateLoader, LongNamesAndKeysAreRefusedOnce) {
  const std::string text = "name: x\nstates:\n  initial: z\n  z: {type: terminal}\n  " + std::string(129, 'n') +
                           ": {type: step, command: ls, on_success: z, a: 1, b: 2}\n";
  const LoadedWorkflow loaded = LoadWorkflowText(text, "f.yaml", Offline());
  EXPECT_EQ(loaded.findings.at(0).error.hint,
            "names are at most 128 letters, digits, '_' and '-', and begin with a letter or '_'");
  const auto unknown = std::ranges::find(loaded.findings, "WORKFLOW.PARSE.UNKNOWN_FIELD",
                                         [](const Finding& finding) { return finding.error.code; });
  ASSERT_NE(unknown, loaded.findings.end());
  EXPECT_EQ(unknown->error.step, "");
  const LoadedWorkflow deep = LoadState("type: agent, provider: claude, prompt: hi, on_success: b, options: {env: {? " +
                                        std::string(1100, 'k') + " : [1, 2, 3]}}");
  EXPECT_EQ(std::ranges::count(deep.findings, "the keys that lead here are longer than 1024 bytes",
                               [](const Finding& finding) { return finding.error.message; }),
            1);
}

TEST(StateLoader, HintsForTypes) {
  EXPECT_EQ(HintOf("type: for_eac, items: [1]", "type"), "did you mean 'for_each'?");
  EXPECT_EQ(HintOf("command: ls", "type"), "one of step, agent, parallel, for_each, operation, terminal");
  const LoadedWorkflow loaded = LoadState("type: forge.issue, on_success: z");
  EXPECT_EQ(loaded.findings.at(0).error.message, "type 'forge.issue' is not supported yet");
}

}  // namespace
}  // namespace awf
