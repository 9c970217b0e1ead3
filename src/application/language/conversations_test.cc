#include "application/language/conversations.h"

#include <gtest/gtest.h>

namespace awf {
namespace {

// "a b<a": states in file order, each with the one that it goes on from.
Workflow WorkflowOf(const std::vector<std::pair<std::string, std::string>>& states) {
  Workflow workflow;
  for (const auto& [name, from] : states) {
    AgentState agent;
    if (!from.empty()) agent.continue_from = StateTarget{from, {}};
    State& state = workflow.states.emplace_back();
    state.name = name;
    state.body = std::move(agent);
  }
  return workflow;
}

std::string Names(const Workflow& workflow) {
  std::string names;
  for (const State& state : workflow.states) names += state.name + ":" + ConversationOf(workflow, state) + " ";
  return names;
}

TEST(Conversations, AllStepsThatGoOnFromOneAnotherHaveTheNameOfTheFirst) {
  EXPECT_EQ(Names(WorkflowOf({{"d", "c"}, {"a", ""}, {"b", "a"}, {"c", "a"}, {"alone", ""}})),
            "d:a a:a b:a c:a alone: ");
}

TEST(Conversations, ACircleHasTheNameOfItsFirstStateInTheFile) {
  EXPECT_EQ(Names(WorkflowOf({{"x", "b"}, {"c", "a"}, {"a", "b"}, {"b", "c"}, {"self", "self"}})),
            "x:c c:c a:c b:c self:self ");
  EXPECT_EQ(Names(WorkflowOf({{"b", "a"}, {"a", "b"}, {"late", "b"}, {"later", "late"}})), "b:b a:b late:b later:b ");
}

TEST(Conversations, AStateThatIsMissingBeginsNone) { EXPECT_EQ(Names(WorkflowOf({{"b", "gone"}})), "b: "); }

TEST(Conversations, OnlySomeProvidersLeaveASessionAsItIs) {
  for (const char* provider : {"claude", "openai_compatible"}) {
    EXPECT_TRUE(LeavesSessionsAsTheyAre(provider)) << provider;
  }
  for (const char* provider : {"gemini", "codex", "opencode", "github_copilot", "mistral_vibe"}) {
    EXPECT_FALSE(LeavesSessionsAsTheyAre(provider)) << provider;
  }
}

}  // namespace
}  // namespace awf
