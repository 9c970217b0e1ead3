#include "infrastructure/plugin_registry/version_rule.h"

#include <gtest/gtest.h>

#include <vector>

namespace awf::plugin_registry {
namespace {

bool Allows(std::string_view rule, std::string_view version) {
  const auto parsed = VersionRule::Parse(rule);
  EXPECT_TRUE(parsed) << rule;
  const auto given = ParseVersion(version);
  EXPECT_TRUE(given) << version;
  return parsed && given && parsed->Allows(*given);
}

TEST(Version, TakesThreeNumbersAndAnAddition) {
  for (const char* good : {"0.0.0", "1.2.3", "10.20.4294967295", "1.0.0-alpha", "1.0.0-alpha.1-x.0"}) {
    EXPECT_TRUE(ParseVersion(good)) << good;
  }
  for (const char* bad : {"", "1", "1.2", "1.2.3.4", "v1.2.3", "01.2.3", "1.2.4294967296", "1.2.x", "1..3", "1.2.3-",
                          "1.2.3-a..b", "1.2.3-a.", "1.2.3-ä", "1.2.3+b", " 1.2.3", "1.2.3 ", "-1.2.3"}) {
    EXPECT_FALSE(ParseVersion(bad)) << bad;
  }
}

TEST(Version, IsOrderedAsSemanticVersioningSays) {
  const std::vector<const char*> ascending = {
      "0.9.9",        "1.0.0-1",       "1.0.0-2", "1.0.0-10", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta",
      "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0",   "1.0.1",    "1.1.0",       "2.0.0"};
  for (std::size_t a = 0; a < ascending.size(); ++a) {
    for (std::size_t b = 0; b < ascending.size(); ++b) {
      EXPECT_EQ(*ParseVersion(ascending[a]) <=> *ParseVersion(ascending[b]), a <=> b)
          << ascending[a] << " " << ascending[b];
    }
  }
}

TEST(VersionRule, KnowsEveryOperator) {
  EXPECT_TRUE(Allows("1.2.3", "1.2.3"));
  EXPECT_TRUE(Allows("=1.2.3", "1.2.3"));
  EXPECT_FALSE(Allows("==1.2.3", "1.2.4"));
  EXPECT_TRUE(Allows("!=1.2.3", "1.2.4"));
  EXPECT_FALSE(Allows("!=1.2.3", "1.2.3"));
  EXPECT_TRUE(Allows(">=1.2.3", "1.2.3"));
  EXPECT_FALSE(Allows(">1.2.3", "1.2.3"));
  EXPECT_TRUE(Allows(">1.2.3", "1.10.0"));
  EXPECT_TRUE(Allows("<=1.2.3", "1.2.3"));
  EXPECT_FALSE(Allows("<1.2.3", "1.2.3"));
  EXPECT_TRUE(Allows("<1.2.3", "1.2.3-rc"));
  EXPECT_TRUE(Allows("~1.2.3", "1.2.9"));
  EXPECT_FALSE(Allows("~1.2.3", "1.2.2"));
  EXPECT_FALSE(Allows("~1.2.3", "1.3.0"));
  EXPECT_TRUE(Allows("^1.2.3", "1.9.0"));
  EXPECT_FALSE(Allows("^1.2.3", "1.2.2"));
  EXPECT_FALSE(Allows("^1.2.3", "2.0.0"));
  EXPECT_TRUE(Allows("^0.2.3", "0.2.4"));
  EXPECT_FALSE(Allows("^0.2.3", "0.3.0"));
}

TEST(VersionRule, AllPartsMustHold) {
  EXPECT_TRUE(Allows(">=0.5.0 <1.0.0", "0.11.0"));
  EXPECT_FALSE(Allows(">=0.5.0 <1.0.0", "1.0.0"));
  EXPECT_TRUE(Allows("  >= 0.5.0 ,  < 1.0.0 ", "0.11.0"));
  EXPECT_FALSE(Allows(">=0.5.0,!=0.11.0", "0.11.0"));
}

TEST(VersionRule, SaysWhichPartIsNoRule) {
  const auto fault = [](std::string_view text) {
    const auto rule = VersionRule::Parse(text);
    return rule ? std::string("it is one") : rule.error();
  };
  EXPECT_EQ(fault(""), "no rule for a version");
  EXPECT_EQ(fault(" , "), "no rule for a version");
  EXPECT_EQ(fault(">=1.0.0 >> 2.0.0"), "'>>' is no rule for a version");
  EXPECT_EQ(fault(">= 1.0"), "'>= 1.0' is no rule for a version");
  EXPECT_EQ(fault(">="), "'>=' is no rule for a version");
  EXPECT_EQ(fault("latest <1.0.0"), "'latest' is no rule for a version");
}

}  // namespace
}  // namespace awf::plugin_registry
