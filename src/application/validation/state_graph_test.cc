#include "application/validation/state_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "application/validation/test_workflows.h"

namespace awf {
namespace {

using testing::ElementsAre;

class StateGraphTest : public testing::Test {
 protected:
  const StateGraph& Build() { return graph_.emplace(builder_.workflow()); }
  std::size_t At(const char* state) const { return *graph_->index().Find(state); }
  bool Reached(const std::vector<bool>& reached, const char* state, Moment moment = Moment::kBefore) const {
    const auto nodes = graph_->NodesAt(At(state), moment);
    return std::ranges::any_of(nodes, [&](StateGraph::Node node) { return reached[node]; });
  }
  // Whether `reader` can begin without `state` having ended.
  bool Avoidable(const char* state, const char* reader) const {
    return Reached(graph_->ReachedFromInitial(graph_->NodesAt(At(state), Moment::kAfter)), reader);
  }

  WorkflowBuilder builder_;
  std::optional<StateGraph> graph_;
};

TEST_F(StateGraphTest, IsIncompleteWithoutTargetInitialOrWholeStates) {
  builder_.Step("a", "b");
  EXPECT_FALSE(Build().Complete());
  builder_.Terminal("b");
  EXPECT_TRUE(Build().Complete());
  builder_.Step("c", "b").partial = true;
  EXPECT_FALSE(Build().Complete());
  EXPECT_FALSE(StateGraph(Workflow{}).Complete());
}

TEST_F(StateGraphTest, AnEntryWithoutConditionHidesWhatFollows) {
  State& a = builder_.Step("a", "success");
  a.on_failure = builder_.Target("failure");
  a.transitions = {{builder_.Text("true"), builder_.Target("first"), {}},
                   {{}, builder_.Target("second"), {}},
                   {{}, builder_.Target("third"), {}}};
  for (const char* name : {"first", "second", "third", "success", "failure"}) builder_.Terminal(name);
  const auto reached = Build().ReachedFromInitial();
  EXPECT_TRUE(Reached(reached, "first"));
  EXPECT_TRUE(Reached(reached, "second"));
  for (const char* name : {"third", "success", "failure"}) EXPECT_FALSE(Reached(reached, name)) << name;
}

TEST_F(StateGraphTest, ContinueOnErrorHidesOnFailureOnlyWhereSomethingFollows) {
  State& a = builder_.Step("a", "z");
  a.continue_on_error = true;
  a.on_failure = builder_.Target("b");
  State& b = builder_.Step("b");
  b.continue_on_error = true;
  b.on_failure = builder_.Target("z");
  builder_.Terminal("z");
  EXPECT_FALSE(Reached(Build().ReachedFromInitial(), "b"));
  EXPECT_TRUE(Reached(graph_->ReachedFrom(graph_->NodesAt(At("b"), Moment::kAfter)[0]), "z"));
}

TEST_F(StateGraphTest, AListAsWrittenRunsTheBodyATextMayNot) {
  builder_.Loop("l", {"a"}, "z");
  builder_.Step("a");
  builder_.Terminal("z");
  Build();
  EXPECT_TRUE(Avoidable("a", "z"));
  ForEachState& loop = std::get<ForEachState>(builder_.At(0).body);
  loop.items = json::array{1, 2};
  Build();
  EXPECT_FALSE(Avoidable("a", "z"));
  loop.max_iterations = 1;  // more items than that: no pass is run
  Build();
  EXPECT_TRUE(Avoidable("a", "z"));
}

TEST_F(StateGraphTest, TheFailureOfABodyStateFailsTheLoop) {
  builder_.Loop("l", {"a", "b"}, "y").on_failure = builder_.Target("z");
  builder_.Step("a");
  builder_.Step("b");
  builder_.Terminal("y");
  builder_.Terminal("z");
  std::get<ForEachState>(builder_.At(0).body).items = json::array{1};
  Build();
  EXPECT_FALSE(Avoidable("b", "y"));
  EXPECT_TRUE(Avoidable("b", "z"));
}

TEST_F(StateGraphTest, AllBranchesHaveRunWhenTheParallelStateEnds) {
  builder_.Parallel("p", {"a", "b"}, "z");
  builder_.Step("a");
  builder_.Step("b");
  builder_.Terminal("z");
  Build();
  EXPECT_FALSE(Avoidable("a", "z"));
  EXPECT_FALSE(Avoidable("b", "z"));
}

TEST_F(StateGraphTest, ACycleOfContainersNamesThemAndNotTheirInsides) {
  builder_.Loop("l", {"a"}, "p");
  builder_.Step("a");
  builder_.Parallel("p", {"b"}, "l");
  builder_.Step("b");
  builder_.Terminal("z");
  const auto cycles = Build().EndlessCycles();
  ASSERT_EQ(cycles.size(), 1U);
  EXPECT_THAT(cycles[0].states, ElementsAre(At("l"), At("p")));
  EXPECT_FALSE(cycles[0].left_by_failure);
}

TEST_F(StateGraphTest, CyclesThatASuccessLeavesOrThatAreNeverReachedAreNone) {
  builder_.Step("a", "z");
  builder_.Step("b", "c");
  builder_.Step("c", "b");
  builder_.Terminal("z");
  EXPECT_TRUE(Build().EndlessCycles().empty());
}

}  // namespace
}  // namespace awf
