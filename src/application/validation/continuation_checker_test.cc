// What findings about conversation.continue_from say, and that big workflows are checked in time; which findings there
// are is told by tests/fixtures/workflows/conversation_*.
#include "application/validation/continuation_checker.h"

#include <gtest/gtest.h>

#include "application/validation/test_workflows.h"

namespace awf {
namespace {

State& Agent(WorkflowBuilder& builder, const std::string& name, const std::string& provider, const std::string& from,
             const std::string& next = {}) {
  State& state = builder.Step(name, next);
  AgentState agent;
  agent.provider = builder.Text(provider);
  agent.prompt = builder.Text("hi");
  if (!from.empty()) agent.continue_from = builder.Target(from);
  state.body = std::move(agent);
  return state;
}

std::vector<Finding> Check(WorkflowBuilder& builder) {
  std::vector<Finding> findings;
  const Workflow& workflow = builder.workflow();
  const StateGraph graph(workflow);
  ContinuationChecker(workflow, graph, findings).Check();
  for (const Finding& finding : findings) EXPECT_EQ(finding.error.field, "conversation.continue_from");
  return findings;
}

std::string Said(const Finding& finding) {
  return std::string(finding.severity == Severity::kError ? "E " : "W ") + finding.error.step + " " +
         std::to_string(finding.error.position.line) + ": " + finding.error.message +
         (finding.error.hint.empty() ? "" : " (" + finding.error.hint + ")");
}

TEST(ContinuationChecker, SaysWhatIsWrongAndWhatToDo) {
  WorkflowBuilder builder;
  Agent(builder, "plan", "copilot", "", "run");
  builder.Step("run", "both");
  builder.Parallel("both", {"one", "two"}, "after");
  Agent(builder, "one", "github_copilot", "plan");
  Agent(builder, "two", "github_copilot", "plan");
  Agent(builder, "after", "claude", "two", "alone");
  Agent(builder, "alone", "{{.inputs.p}}", "alone", "last");
  Agent(builder, "last", "claude", "run", "z");
  builder.Terminal("z");
  std::vector<std::string> said;
  for (const Finding& finding : Check(builder)) said.push_back(Said(finding));
  EXPECT_EQ(
      said,
      (std::vector<std::string>{
          "E two 5: 'one' and 'two' run at the same time in 'both' and go on with the same conversation, of which "
          "github_copilot keeps one only (set max_concurrent: 1, or let them run one after the other)",
          "E after 6: the provider of 'after' is claude, that of 'two' is github_copilot: it cannot go on with that "
          "conversation (give both the same provider, or put what the first one said into the prompt)",
          "E alone 7: state 'alone' goes on from itself, but runs only once (put it into a loop, or leave "
          "'conversation' out)",
          "E last 8: state 'run' is no agent step, so it has no conversation to go on with (name a state of type "
          "agent)"}));
}

std::string NameOf(std::size_t i) { return "s" + std::to_string(i); }

TEST(ContinuationChecker, TenThousandStepsOfOneConversationAreCheckedInTime) {
  constexpr std::size_t kStates = 10'000;
  WorkflowBuilder builder;
  for (std::size_t i = 0; i < kStates; ++i) {
    Agent(builder, NameOf(i), "codex", i == 0 ? "" : NameOf(i - 1), i + 1 < kStates ? NameOf(i + 1) : "z");
  }
  builder.Terminal("z");
  EXPECT_TRUE(Check(builder).empty());
}

TEST(ContinuationChecker, EachBranchIsToldOfOnce) {
  constexpr std::size_t kStates = 1000;
  WorkflowBuilder builder;
  Agent(builder, "plan", "codex", "", "all");
  std::vector<std::string> branches;
  for (std::size_t i = 0; i < kStates; ++i) branches.push_back(NameOf(i));
  builder.Parallel("all", branches, "z");
  for (const std::string& branch : branches) Agent(builder, branch, "codex", "plan");
  builder.Terminal("z");
  EXPECT_EQ(Check(builder).size(), kStates - 1);
}

}  // namespace
}  // namespace awf
