#include "application/running/dry_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "domain/test_files.h"

namespace awf {
namespace {

class NoCommands final : public CommandExecutor {
 public:
  StepResult Run(const CommandRequest&, RunObserver&) override {
    ADD_FAILURE() << "a dry run started a command";
    return {};
  }
};

class NoAgents final : public AgentExecutor {
 public:
  StepResult Run(const AgentRequest&, RunObserver&) override {
    ADD_FAILURE() << "a dry run started an agent";
    return {};
  }
};

TemplateText Text(const std::string& text) { return {text, {"w.yaml", 1, 1}, {}}; }

State Step(const std::string& name, const std::string& command, const std::string& next) {
  State state;
  state.name = name;
  CommandState body;
  body.command = Text(command);
  state.body = body;
  if (!next.empty()) state.on_success = StateTarget{next, {}};
  return state;
}

State Terminal(const std::string& name, const std::string& message) {
  State state;
  state.name = name;
  TerminalState body;
  body.message = Text(message);
  state.body = body;
  return state;
}

// An agent that goes on with the session of another state, unless that is "".
State Agent(const std::string& name, const std::string& provider, const std::string& continue_from,
            const std::string& next) {
  AgentState agent;
  agent.provider = Text(provider);
  agent.prompt = Text("hi");
  if (!continue_from.empty()) agent.continue_from = StateTarget{continue_from, {}};
  State state;
  state.name = name;
  state.body = std::move(agent);
  state.on_success = StateTarget{next, {}};
  return state;
}

class DryRunTest : public testing::Test {
 protected:
  DryRunTest() {
    workflow_.name = "w";
    workflow_.file = "flows/w.yaml";
    request_.working_dir = "/";
    request_.inputs = {{"word", "fine"}};
    ports_.files = &files_;
  }

  RunPlan Plan() {
    workflow_.initial.state = workflow_.states.front().name;
    return PlanRun(
        workflow_, request_, ports_,
        [this](const AgentRequest& request) -> std::expected<AgentPreview, Error> {
          asked_.push_back(request);
          AgentPreview preview;
          preview.provider = request.provider;
          return preview;
        },
        operations_);
  }
  static std::string Names(const RunPlan& plan) {
    std::string names;
    for (const PlannedState& state : plan.states) names += state.path + " ";
    return names;
  }
  static const PlannedState& At(const RunPlan& plan, const std::string& path) {
    return *std::ranges::find(plan.states, path, &PlannedState::path);
  }
  static std::string TextAt(const PlannedState& state, const std::string& field) {
    const auto found = std::ranges::find(state.texts, field, &PlannedText::field);
    return found == state.texts.end() ? "none" : found->text + (found->fault.empty() ? "" : " (" + found->fault + ")");
  }

  NoCommands commands_;
  NoAgents agents_;
  RunObserver observer_;
  FilesInMemory files_;
  RunPorts ports_{commands_, agents_, observer_};
  RunRequest request_;
  Workflow workflow_;
  std::vector<AgentRequest> asked_;
  OperationCatalogue* operations_ = nullptr;
};

// One plugin each for what can be known.
class SomeOperations final : public OperationCatalogue {
 public:
  std::expected<KnownOperations, Error> Find(std::string_view plugin) override {
    using Source = KnownOperations::Source;
    if (plugin == "locked") return KnownOperations{Source::kLock, {Operation{"op", "", {}, {}}}, {}};
    if (plugin == "off") return Fail("EXECUTION.PLUGIN.DISABLED", "plugin off is disabled");
    return KnownOperations{Source::kUnknown, {}, "it is not in .awf/plugins.lock"};
  }
};

State Operation(const std::string& name, const std::string& plugin, const std::string& next) {
  OperationState body;
  body.plugin = plugin;
  body.operation = "op";
  body.inputs = {{"text", "n {{.inputs.word}}"}, {"id", "{{.states.build.Response.id}}"}, {"count", 3}};
  body.input_templates = {{"text", Text("n {{.inputs.word}}")}, {"id", Text("{{.states.build.Response.id}}")}};
  State state;
  state.name = name;
  state.body = std::move(body);
  state.on_success = StateTarget{next, {}};
  return state;
}

TEST_F(DryRunTest, OperationsShowTheirInputsAndWhetherTheyAreKnown) {
  SomeOperations operations;
  operations_ = &operations;
  workflow_.states = {Step("build", "make", "a"), Operation("a", "locked", "b"), Operation("b", "foreign", "c"),
                      Operation("c", "off", "end"), Terminal("end", "")};
  RunPlan plan = Plan();
  EXPECT_EQ(Names(plan), "build a b c end ");
  const PlannedState& a = At(plan, "a");
  EXPECT_EQ(TextAt(a, "operation"), "locked.op");
  EXPECT_EQ(TextAt(a, "inputs.text"), "n fine");
  EXPECT_EQ(TextAt(a, "inputs.id"), "<states.build.Response.id>");
  EXPECT_EQ(TextAt(a, "inputs.count"), "3");
  EXPECT_TRUE(a.notes.empty());
  EXPECT_EQ(At(plan, "b").notes,
            std::vector<std::string>{"the operation is not verified: it is not in .awf/plugins.lock"});
  EXPECT_EQ(At(plan, "c").notes, std::vector<std::string>{"EXECUTION.PLUGIN.DISABLED: plugin off is disabled"});
  operations_ = nullptr;
  plan = Plan();
  EXPECT_EQ(At(plan, "a").notes, std::vector<std::string>{"the operation is not verified: plugins are skipped"});
}

TEST_F(DryRunTest, WhatOnlyARunKnowsStandsAsAPlaceholder) {
  workflow_.states = {
      Step("build", "make {{.inputs.word}}", "use"),
      Step("use",
           "x {{.states.build.Output}} {{.states.build.Response.a.b}} {{.states.build.Status}} "
           "{{.captures.log}}{{if eq .states.build.ExitCode 0}} ok{{end}} {{.workflow.Name}} {{.workflow.ID}}",
           "done"),
      Terminal("done", "{{range fromJson .states.use.Output}}{{.}}{{end}}")};
  const RunPlan plan = Plan();
  EXPECT_EQ(Names(plan), "build use done ");
  EXPECT_EQ(TextAt(At(plan, "build"), "command"), "make fine");
  EXPECT_EQ(TextAt(At(plan, "use"), "command"),
            "x <states.build.Output> <states.build.Response.a.b> success <captures.log> ok w <workflow.ID>");
  // What cannot be rendered with a placeholder is shown as it is written, and why.
  EXPECT_TRUE(TextAt(At(plan, "done"), "message").starts_with("{{range fromJson .states.use.Output}}{{.}}{{end}} ("))
      << TextAt(At(plan, "done"), "message");
}

TEST_F(DryRunTest, EachStateIsWalkedOnceAndAllWaysOfASuccess) {
  State choose = Step("choose", "true", "right");
  Transition left;
  left.when = Text("inputs.word == 'x'");
  left.target.state = "left";
  choose.transitions = {left};
  choose.on_failure = InlineFailure{Text("no"), 7, {}};
  State left_state = Step("left", "true", "choose");
  left_state.on_failure = StateTarget{"repair", {}};
  workflow_.states = {choose, left_state, Step("right", "true", "done"), Step("repair", "true", "done"),
                      Terminal("done", "")};
  const RunPlan plan = Plan();
  EXPECT_EQ(Names(plan), "choose left right done ");
  EXPECT_EQ(plan.not_walked, std::vector<std::string>{"repair"});
  const std::vector<PlannedTarget>& targets = plan.states[0].targets;
  ASSERT_EQ(targets.size(), 3U);
  EXPECT_EQ(targets[0].when + " → " + targets[0].goes, "inputs.word == 'x' → left");
  EXPECT_EQ(targets[1].when + " → " + targets[1].goes, "on_success → right");
  EXPECT_EQ(targets[2].when + " → " + targets[2].goes, "on_failure → the run fails with exit code 7");
}

TEST_F(DryRunTest, AProviderThatLooksForTheSessionIsShownAsIfItBegan) {
  workflow_.states = {Agent("first", "codex", "", "work"), Agent("work", "codex", "first", "done"),
                      Terminal("done", "")};
  workflow_.initial.state = "first";
  const RunPlan plan =
      PlanRun(workflow_, request_, ports_, [](const AgentRequest& request) -> std::expected<AgentPreview, Error> {
        if (request.continued) return Fail("EXECUTION.AGENT.SESSION_LOST", "not there");
        return AgentPreview{};
      });
  EXPECT_TRUE(At(plan, "work").agent);
  EXPECT_EQ(At(plan, "work").notes,
            std::vector<std::string>{"shown as if the conversation began here: its session is known in a run only"});
}

TEST_F(DryRunTest, AConversationStandsWithAPlaceholderForItsSession) {
  workflow_.states = {Agent("plan", "claude", "", "work"), Agent("work", "claude", "plan", "again"),
                      Agent("again", "claude", "again", "done"), Terminal("done", "")};
  const RunPlan plan = Plan();
  ASSERT_EQ(asked_.size(), 3U);
  EXPECT_EQ(asked_[0].conversation, "plan");
  EXPECT_FALSE(asked_[0].continued);
  EXPECT_EQ(asked_[1].conversation, "plan");
  EXPECT_EQ(asked_[1].continued->id, "<session of plan>");
  EXPECT_EQ(TextAt(At(plan, "work"), "conversation"), "goes on from plan");
  EXPECT_TRUE(At(plan, "work").notes.empty());
  // The first time it begins by itself.
  EXPECT_EQ(asked_[2].conversation, "again");
  EXPECT_FALSE(asked_[2].continued);

  request_.only_state = "work";
  EXPECT_EQ(At(Plan(), "work").notes,
            std::vector<std::string>{"EXECUTION.AGENT.SESSION_LOST: alone it has no conversation to go on with"});
}

TEST_F(DryRunTest, LoopsAreShownWithTheirFirstPassAndParallelStatesWithAllBranches) {
  State loop, checks;
  loop.name = "each";
  ForEachState each;
  each.items = json::array{"a {{.inputs.word}}", "b"};
  each.body = {{"fix", {}}, {"checks", {}}};
  loop.body = each;
  loop.on_success = StateTarget{"done", {}};
  checks.name = "checks";
  ParallelState parallel;
  parallel.branches = {{"lint", {}}, {"test", {}}};
  checks.body = parallel;
  workflow_.states = {loop,
                      Step("fix", "fix {{.loop.Item}} {{.loop.Index1}}/{{.loop.Length}}", ""),
                      checks,
                      Step("lint", "lint {{.loop.Item}}", ""),
                      Step("test", "test", ""),
                      Terminal("done", "")};
  const RunPlan plan = Plan();
  EXPECT_EQ(Names(plan), "each each:0/fix each:0/checks each:0/checks/lint each:0/checks/test done ");
  EXPECT_EQ(TextAt(plan.states[0], "items"), R"(["a fine","b"])");
  EXPECT_EQ(plan.states[0].holds, (std::vector<std::string>{"fix", "checks"}));
  EXPECT_EQ(TextAt(plan.states[1], "command"), "fix a fine 1/2");
  EXPECT_EQ(TextAt(plan.states[3], "command"), "lint a fine");
  EXPECT_TRUE(plan.not_walked.empty());
}

TEST_F(DryRunTest, ItemsThatOnlyARunKnowsStayAsWritten) {
  State loop;
  loop.name = "each";
  ForEachState each;
  each.items = Text("states.list.JSON");
  each.body = {{"fix", {}}};
  loop.body = each;
  workflow_.states = {Step("list", "ls", "each"), loop, Step("fix", "fix {{.loop.Item.file}}", "")};
  const RunPlan plan = Plan();
  EXPECT_EQ(TextAt(At(plan, "each"), "items"), "states.list.JSON (they are known when the loop begins)");
  EXPECT_EQ(TextAt(At(plan, "each:0/fix"), "command"), "fix <loop.Item.file>");
}

TEST_F(DryRunTest, AnAgentIsPreviewedWithItsWholeRequest) {
  files_.texts["/flows/ask.md"] = "about {{.states.list.Response.name}}";
  State ask;
  ask.name = "ask";
  AgentState agent;
  agent.provider = Text("{{.inputs.who}}");
  agent.prompt_file = Text("ask.md");
  ask.body = agent;
  ask.dir = Text("/not/there/yet");
  ask.timeout = TimeoutSetting{std::chrono::seconds(90), {}, {}};
  request_.inputs["who"] = "claude";
  workflow_.states = {Step("list", "ls", "ask"), ask};
  const RunPlan plan = Plan();
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].provider, "claude");
  EXPECT_EQ(asked_[0].prompt, "about <states.list.Response.name>");
  const PlannedState& state = At(plan, "ask");
  EXPECT_EQ(TextAt(state, "prompt"), "about <states.list.Response.name>");
  EXPECT_EQ(state.agent->provider, "claude");
  EXPECT_EQ(state.timeout, "1m30s");
  ASSERT_EQ(state.notes.size(), 1U);
  EXPECT_NE(state.notes[0].find("/not/there/yet does not exist"), std::string::npos);
}

TEST_F(DryRunTest, AnAgentThatIsNotKnownYetIsShownAsWritten) {
  State ask;
  ask.name = "ask";
  AgentState agent;
  agent.provider = Text("{{.states.pick.Output}}");
  agent.prompt = Text("hi {{.inputs.word}}");
  ask.body = agent;
  workflow_.states = {Step("pick", "echo claude", "ask"), ask};
  const RunPlan plan = Plan();
  EXPECT_TRUE(asked_.empty());
  const PlannedState& state = At(plan, "ask");
  EXPECT_FALSE(state.agent);
  EXPECT_EQ(TextAt(state, "provider") + "|" + TextAt(state, "prompt"), "<states.pick.Output>|hi fine");
  ASSERT_EQ(state.notes.size(), 1U);
  EXPECT_TRUE(state.notes[0].starts_with("USER.PROVIDER.UNKNOWN: ")) << state.notes[0];
}

TEST_F(DryRunTest, ASingleStateIsPlannedWithItsMocks) {
  workflow_.states = {Step("build", "make", "use"), Step("use", "x {{.states.build.Output}}", "done"),
                      Terminal("done", "")};
  request_.only_state = "use";
  request_.mocks["build"] = std::make_shared<const json::object>(json::object{{"Output", "2 warnings"}});
  const RunPlan plan = Plan();
  EXPECT_EQ(Names(plan), "use ");
  EXPECT_EQ(TextAt(plan.states[0], "command"), "x 2 warnings");
}

}  // namespace
}  // namespace awf
