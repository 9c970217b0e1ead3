#include "application/records/use_matcher.h"

#include <gtest/gtest.h>

namespace awf {
namespace {

AgentUse Use(std::string id, std::string tool, bool native = false) {
  return {std::move(id), std::move(tool), native, {}, 0, {}};
}

std::string Ids(const std::vector<AgentUse>& uses) {
  std::string ids;
  for (const AgentUse& use : uses) ids += (ids.empty() ? "" : " ") + use.id;
  return ids;
}

TEST(UseMatcher, UseAndCallWithOneIdAreOneWhicheverComesFirst) {
  UseMatcher matcher;
  EXPECT_EQ(Ids(matcher.Used(Use("a", "Read"))), "");
  EXPECT_EQ(matcher.Called("a", "Read"), "a");
  EXPECT_FALSE(matcher.Ended("a"));

  EXPECT_EQ(matcher.Called("b", "Read"), "b");
  EXPECT_EQ(Ids(matcher.Used(Use("b", "Read"))), "");
  EXPECT_FALSE(matcher.Ended("b"));
  EXPECT_EQ(Ids(matcher.Finish()), "");
}

TEST(UseMatcher, CallWithoutIdBelongsToTheFirstUseOfItsTool) {
  UseMatcher matcher;
  matcher.Used(Use("a", "Read"));
  matcher.Used(Use("b", "Grep"));
  matcher.Used(Use("c", "Read"));
  EXPECT_EQ(matcher.Called("", "Read"), "a");
  EXPECT_EQ(matcher.Called("", "Read"), "c");
  EXPECT_EQ(matcher.Called("", "Read"), "");
  matcher.Used(Use("d", "Read"));
  EXPECT_EQ(Ids(matcher.Finish()), "b");
}

TEST(UseMatcher, NameAndOrderDecideWhereTheIdsAreOfTwoKinds) {
  UseMatcher matcher;
  matcher.Used(Use("item_1", "Read"));
  EXPECT_EQ(matcher.Called("call_x", "Read"), "call_x");
  EXPECT_FALSE(matcher.Ended("item_1"));
  EXPECT_EQ(Ids(matcher.Finish()), "");
}

TEST(UseMatcher, WhereIdsAgreeARefusedUseTakesNobodysCall) {
  UseMatcher matcher;
  matcher.Used(Use("a", "Read"));
  matcher.Called("a", "Read");
  matcher.Used(Use("refused", "Read"));
  matcher.Called("b", "Read");  // its use has not been read yet
  const auto claim = matcher.Ended("refused");
  ASSERT_TRUE(claim);
  EXPECT_FALSE(claim->told);
  EXPECT_EQ(Ids(matcher.Used(Use("b", "Read"))), "");
  EXPECT_FALSE(matcher.Ended("b"));
  EXPECT_EQ(Ids(matcher.Finish()), "");
}

TEST(UseMatcher, NativeUsesAreClaimsAtOnceAndTakeNoCall) {
  UseMatcher matcher;
  matcher.Called("", "Bash");
  EXPECT_EQ(Ids(matcher.Used(Use("n", "Bash", true))), "n");
  EXPECT_NE(matcher.OpenNative("n"), nullptr);
  const auto ended = matcher.Ended("n");
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->told);
  EXPECT_EQ(matcher.OpenNative("n"), nullptr);
  EXPECT_FALSE(matcher.Ended("n"));
}

TEST(UseMatcher, OnlySoManyWait) {
  UseMatcher matcher;
  for (std::size_t i = 0; i < UseMatcher::kMostUses; ++i) {
    EXPECT_EQ(Ids(matcher.Used(Use("u" + std::to_string(i), "Read"))), "");
  }
  EXPECT_EQ(Ids(matcher.Used(Use("last", "Read"))), "u0");
  EXPECT_EQ(matcher.Finish().size(), UseMatcher::kMostUses);

  for (std::size_t i = 0; i <= UseMatcher::kMostCalls; ++i) matcher.Called("c" + std::to_string(i), "Read");
  EXPECT_EQ(Ids(matcher.Used(Use("c0", "Read"))), "");  // forgotten: held as if it were to come
  EXPECT_EQ(Ids(matcher.Used(Use("c1", "Read"))), "");
  EXPECT_FALSE(matcher.Ended("c1"));
}

TEST(UseMatcher, AnAttemptLeavesNothingBehind) {
  UseMatcher matcher;
  matcher.Called("", "Read");
  matcher.Finish();
  matcher.Used(Use("a", "Read"));
  EXPECT_EQ(Ids(matcher.Finish()), "a");
}

}  // namespace
}  // namespace awf
