#include "application/validation/containment.h"

#include <gtest/gtest.h>

#include "application/validation/test_workflows.h"

namespace awf {
namespace {

using Way = Containment::Way;

class ContainmentTest : public testing::Test {
 protected:
  const Containment& Build() {
    index_.emplace(builder_.workflow());
    containment_.emplace(builder_.workflow(), *index_);
    return *containment_;
  }
  std::size_t At(const char* state) const { return *index_->Find(state); }

  WorkflowBuilder builder_;
  std::optional<StateIndex> index_;
  std::optional<Containment> containment_;
};

TEST_F(ContainmentTest, KnowsContainerRankAndLoopsAround) {
  builder_.Loop("outer", {"a", "p"}, "z");
  builder_.Parallel("p", {"b", "inner"});
  builder_.Loop("inner", {"c"});
  for (const char* name : {"a", "b", "c"}) builder_.Step(name);
  builder_.Terminal("z");
  const Containment& containment = Build();
  EXPECT_TRUE(containment.findings().empty());
  EXPECT_EQ(containment.ContainerOf(At("c")), At("inner"));
  EXPECT_EQ(containment.ContainerOf(At("outer")), std::nullopt);
  EXPECT_EQ(containment.RankOf(At("p")), 1U);
  EXPECT_EQ(containment.LoopsAround(At("outer")), 0U);
  EXPECT_EQ(containment.LoopsAround(At("b")), 1U);
  EXPECT_EQ(containment.LoopsAround(At("c")), 2U);
  EXPECT_TRUE(containment.IsBranch(At("inner")));
  EXPECT_FALSE(containment.IsBranch(At("c")));
  EXPECT_EQ(containment.ParallelBetween(At("c"), At("b")), At("p"));
  EXPECT_EQ(containment.ParallelBetween(At("c"), At("inner")), std::nullopt);
  EXPECT_EQ(containment.ParallelBetween(At("a"), At("b")), std::nullopt);
}

TEST_F(ContainmentTest, WaysLeadOutwardsButNotIntoContainersNorOutOfBranches) {
  builder_.Loop("outer", {"a", "inner"}, "z");
  builder_.Loop("inner", {"b"});
  builder_.Parallel("p", {"branch", "loop"}, "z");
  builder_.Loop("loop", {"c", "d"});
  for (const char* name : {"a", "b", "branch", "c", "d", "top"}) builder_.Step(name);
  builder_.Terminal("z");
  const Containment& containment = Build();
  const auto way = [&](const char* from, const char* to) { return containment.WayTo(At(from), At(to)); };
  for (const char* to : {"b", "inner", "a", "outer", "top", "z", "p"}) EXPECT_EQ(way("b", to), Way::kOpen) << to;
  for (const char* to : {"c", "d", "loop"}) EXPECT_EQ(way("c", to), Way::kOpen) << to;
  EXPECT_EQ(way("top", "a"), Way::kIntoContainer);
  EXPECT_EQ(way("a", "b"), Way::kIntoContainer);
  EXPECT_EQ(way("c", "branch"), Way::kIntoContainer);
  EXPECT_EQ(way("c", "z"), Way::kOutOfParallel);
  EXPECT_EQ(way("c", "p"), Way::kOutOfParallel);
}

TEST_F(ContainmentTest, TellsACircleOnceAndCutsIt) {
  builder_.Loop("a", {"b"});
  builder_.Loop("b", {"c", "d"});
  builder_.Loop("c", {"a"});
  builder_.Step("d");
  const Containment& containment = Build();
  ASSERT_EQ(containment.findings().size(), 1U);
  const Error& error = containment.findings()[0].error;
  EXPECT_EQ(error.code, "WORKFLOW.VALIDATION.INVALID_TRANSITION");
  EXPECT_EQ(error.message, "state 'a' would be part of itself, through 'c'");
  EXPECT_EQ(error.position.line, 3U);
  EXPECT_EQ(error.step, "c");
  EXPECT_EQ(containment.LoopsAround(At("d")), 2U);
}

TEST_F(ContainmentTest, TellsTheSecondContainerAndKeepsTheFirst) {
  builder_.Loop("l", {"a"});
  builder_.Parallel("p", {"a"});
  builder_.Step("a");
  const Containment& containment = Build();
  ASSERT_EQ(containment.findings().size(), 1U);
  EXPECT_EQ(containment.findings()[0].error.message, "state 'a' is already part of 'l'");
  EXPECT_EQ(containment.findings()[0].error.position.line, 2U);
  EXPECT_EQ(containment.ContainerOf(At("a")), At("l"));
}

TEST_F(ContainmentTest, MeasuresAVeryDeepNestInOneGo) {
  constexpr int kDepth = 5'000;
  for (int i = 0; i < kDepth; ++i) builder_.Loop("l" + std::to_string(i), {"l" + std::to_string(i + 1)});
  builder_.Step("l" + std::to_string(kDepth));
  const Containment& containment = Build();
  ASSERT_EQ(containment.findings().size(), 1U);
  EXPECT_EQ(containment.findings()[0].error.message, "loops are nested more than 10 deep");
  EXPECT_EQ(containment.findings()[0].error.position.line, 11U);
  EXPECT_EQ(containment.LoopsAround(kDepth), static_cast<std::size_t>(kDepth));
}

}  // namespace
}  // namespace awf
