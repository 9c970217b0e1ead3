#include "infrastructure/agents/isolation.h"

#include <gtest/gtest.h>

namespace awf::agents {
namespace {

TEST(IsolationTest, Versions) {
  EXPECT_TRUE(VersionAtLeast("2.1.197", "2.1.197"));
  EXPECT_TRUE(VersionAtLeast("2.1.332", "2.1.197"));
  EXPECT_TRUE(VersionAtLeast("10.0.0", "9.9.9"));
  EXPECT_FALSE(VersionAtLeast("2.1.99", "2.1.197"));
  EXPECT_FALSE(VersionAtLeast("", "2.1.197"));
  EXPECT_FALSE(VersionAtLeast("2.1", "2.1.0"));
}

TEST(IsolationTest, AnAnnouncementProvesOrNamesWhatIsForeign) {
  EXPECT_EQ(JudgeAnnouncement({"a"}, {"a"}).level, IsolationLevel::kProven);
  const IsolationReport more = JudgeAnnouncement({"a", "X", "Y"}, {"a"});
  EXPECT_EQ(more.level, IsolationLevel::kCoexisting);
  EXPECT_EQ(more.foreign, (std::vector<std::string>{"X", "Y"}));
  EXPECT_EQ(more.reason, "native tools: X, Y");
  EXPECT_EQ(JudgeAnnouncement({"a"}, {"a", "b"}).reason, "tools missing: b");
}

TEST(IsolationTest, WhatAVersionPromises) {
  static constexpr std::string_view kVerified[] = {"1.2.0", "1.10.0"};
  const auto claim = [](std::string_view version, IsolationLevel newer = IsolationLevel::kCoexisting) {
    const IsolationClaim its = ClaimOfVersion(version, {.verified = kVerified, .newer = newer});
    return std::string(ToString(its.level)) + ": " + its.reason;
  };
  EXPECT_EQ(claim("1.2.0"), "flags: not proven");
  EXPECT_EQ(claim("1.10.0"), "flags: not proven");
  EXPECT_EQ(claim("1.10.1"), "coexisting: not proven");
  EXPECT_EQ(claim("1.10.1", IsolationLevel::kFlags), "flags: not proven");
  EXPECT_EQ(claim("1.9.0", IsolationLevel::kFlags), "coexisting: older than verified");
  EXPECT_EQ(claim("", IsolationLevel::kFlags), "coexisting: version unknown");
}

}  // namespace
}  // namespace awf::agents
