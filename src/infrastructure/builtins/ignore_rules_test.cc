#include "infrastructure/builtins/ignore_rules.h"

#include <gtest/gtest.h>

namespace awf::builtins {
namespace {

IgnoreRules Rules(std::string_view text) {
  IgnoreRules rules;
  rules.Add(text, IgnoreSource::kGitignore);
  return rules;
}

bool Ignores(std::string_view text, std::string_view path, bool is_folder = false) {
  return Rules(text).Judge(path, is_folder).verdict == IgnoreVerdict::kIgnore;
}

TEST(IgnoreRules, NamesHoldAtAnyDepth) {
  EXPECT_TRUE(Ignores("build\n", "build"));
  EXPECT_TRUE(Ignores("build\n", "a/b/build"));
  EXPECT_FALSE(Ignores("build\n", "builds"));
  EXPECT_TRUE(Ignores("*.log", "a/x.log"));
  EXPECT_TRUE(Ignores("*.log", "a/x.y.log"));
  EXPECT_TRUE(Ignores("*.tar.gz", "x.tar.gz"));
  EXPECT_FALSE(Ignores("*.tar.gz", "x.gz"));
  EXPECT_TRUE(Ignores("temp-?", "a/temp-1"));
}

TEST(IgnoreRules, FolderRulesSpareFiles) {
  EXPECT_TRUE(Ignores("dist/", "dist", true));
  EXPECT_FALSE(Ignores("dist/", "dist", false));
  EXPECT_TRUE(Ignores("dist/", "a/dist", true));
}

TEST(IgnoreRules, ASlashAnchors) {
  EXPECT_TRUE(Ignores("/build", "build"));
  EXPECT_FALSE(Ignores("/build", "a/build"));
  EXPECT_TRUE(Ignores("a/b", "a/b"));
  EXPECT_FALSE(Ignores("a/b", "x/a/b"));
  EXPECT_TRUE(Ignores("**/a/b", "x/a/b"));
  EXPECT_TRUE(Ignores("**/b", "x/a/b"));
  EXPECT_TRUE(Ignores("a/**", "a/x/y"));
  EXPECT_FALSE(Ignores("a/**", "a", true));
  EXPECT_TRUE(Ignores("a/**/z", "a/z"));
  EXPECT_FALSE(Ignores("a/*", "a/x/y"));
}

TEST(IgnoreRules, TheLastRuleWins) {
  EXPECT_FALSE(Ignores("*.log\n!keep.log\n", "keep.log"));
  EXPECT_TRUE(Ignores("!keep.log\n*.log\n", "keep.log"));
  EXPECT_TRUE(Ignores("*.log\n!keep.log\nkeep*\n", "keep.log"));
  EXPECT_EQ(Rules("*.log\n!keep.log").Judge("keep.log", false).verdict, IgnoreVerdict::kInclude);
  EXPECT_EQ(Rules("*.log").Judge("keep.txt", false).verdict, IgnoreVerdict::kNone);
  EXPECT_FALSE(Ignores("*.d\n!x.d/\n", "x.d", true));
  EXPECT_TRUE(Ignores("*.d\n!x.d/\n", "x.d", false));
}

TEST(IgnoreRules, CommentsEscapesSpacesAndLineEnds) {
  EXPECT_FALSE(Ignores("# x\n", "# x"));
  EXPECT_TRUE(Ignores("\\# x\n", "# x"));
  EXPECT_TRUE(Ignores("\\!x\n", "!x"));
  EXPECT_TRUE(Ignores("x  \n", "x"));
  EXPECT_TRUE(Ignores("x\\ \n", "x "));
  EXPECT_TRUE(Ignores("x\r\ny\r\n", "x"));
  EXPECT_TRUE(Ignores("\xEF\xBB\xBFx\n", "x"));
  EXPECT_TRUE(Ignores("{a,b}", "{a,b}"));
  EXPECT_FALSE(Ignores("{a,b}", "a"));
}

TEST(IgnoreRules, InvalidLinesAreSkipped) {
  EXPECT_TRUE(Rules("[\n\n/\n!\n\\\n").empty());
  EXPECT_TRUE(Ignores("[\nx\n", "x"));
}

TEST(IgnoreRules, IgnoresAll) {
  EXPECT_TRUE(Rules("*\n").ignores_all());
  EXPECT_TRUE(Rules("# all\n/*\n").ignores_all());
  EXPECT_TRUE(Rules("**\n").ignores_all());
  EXPECT_FALSE(Rules("*/\n").ignores_all());
  EXPECT_FALSE(Rules("/*\n!/src\n").ignores_all());
  EXPECT_FALSE(Rules("*.o").ignores_all());
}

TEST(IgnoreRules, TheSourceOfTheDecidingRuleIsTold) {
  IgnoreRules rules = Rules("x\ny\n");
  rules.Add("y\n!x", IgnoreSource::kIgnore);
  EXPECT_EQ(rules.Judge("y", false).source, IgnoreSource::kIgnore);
  EXPECT_EQ(rules.Judge("x", false).verdict, IgnoreVerdict::kInclude);
  EXPECT_EQ(ToString(IgnoreSource::kExclude), ".git/info/exclude");
}

TEST(IgnoreChain, TheNearestFolderWithAnOpinionDecides) {
  auto top = std::make_shared<IgnoreChain>();
  top->base = std::string_view("/w/").size();
  top->rules = Rules("*.log\n/a/z.txt\n");
  IgnoreChain inner;
  inner.above = top;
  inner.base = std::string_view("/w/a/").size();
  inner.rules = Rules("!keep.log\n");
  EXPECT_EQ(inner.Judge("/w/a/b/keep.log", false).verdict, IgnoreVerdict::kInclude);
  EXPECT_EQ(inner.Judge("/w/a/y.log", false).verdict, IgnoreVerdict::kIgnore);
  EXPECT_EQ(inner.Judge("/w/a/z.txt", false).verdict, IgnoreVerdict::kIgnore);
  EXPECT_EQ(inner.Judge("/w/a/b.txt", false).verdict, IgnoreVerdict::kNone);
}

}  // namespace
}  // namespace awf::builtins
