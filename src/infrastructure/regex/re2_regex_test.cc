#include "infrastructure/regex/re2_regex.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "infrastructure/regex/required_literal.h"

namespace awf {
namespace {

std::unique_ptr<Regex> Compiled(std::string_view pattern, const RegexOptions& options = {}) {
  auto regex = Re2Compiler().Compile(pattern, options);
  EXPECT_TRUE(regex) << pattern;
  return regex ? std::move(*regex) : nullptr;
}

RegexFault FaultOf(std::string_view pattern) {
  const auto regex = Re2Compiler().Compile(pattern, {});
  return regex ? RegexFault{} : regex.error();
}

TEST(Re2RegexTest, FindsFromAPlaceWithItsContext) {
  const auto regex = Compiled("^a(b)?(c)");
  std::vector<RegexGroup> groups;
  const std::string text = "ac aac\nabc";
  ASSERT_TRUE(regex->Find(text, 1, groups));  // the a at 4 is not at the start of a line
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].begin, 7U);
  EXPECT_EQ(groups[0].end, 10U);
  EXPECT_EQ(groups[1].begin, 8U);
  ASSERT_TRUE(regex->Find(text, 0, groups));
  EXPECT_EQ(groups[0].begin, 0U);
  EXPECT_EQ(groups[1].begin, std::string_view::npos);
  EXPECT_EQ(groups[2].begin, 1U);
  EXPECT_FALSE(regex->Find(text, 8, groups));
  EXPECT_FALSE(regex->Find(text, 11, groups));
  EXPECT_EQ(regex->GroupCount(), 2);
}

TEST(Re2RegexTest, MatchesTheEmptyText) {
  std::vector<RegexGroup> groups;
  ASSERT_TRUE(Compiled("x*")->Find({}, 0, groups));
  EXPECT_EQ(groups[0].begin, 0U);
  EXPECT_EQ(groups[0].end, 0U);
  EXPECT_TRUE(Compiled("^$")->Contains(""));
}

TEST(Re2RegexTest, KnowsItsOptions) {
  EXPECT_TRUE(Compiled("TODO", {.case_insensitive = true})->Contains("a todo"));
  EXPECT_FALSE(Compiled("TODO")->Contains("a todo"));
  EXPECT_TRUE(Compiled("^b$")->Contains("a\nb\nc"));
  EXPECT_FALSE(Compiled("^b$", {.multi_line = false})->Contains("a\nb\nc"));
  EXPECT_FALSE(Compiled("a.c")->Contains("a\nc"));
  EXPECT_TRUE(Compiled("a.c", {.latin1 = true})
                  ->Contains("a\xE9"
                             "c"));
  EXPECT_FALSE(
      Compiled("a.c")->Contains("a\xE9"
                                "c"));
  EXPECT_TRUE(Compiled("a.c(", {.literal = true})->Contains("xa.c("));
  EXPECT_FALSE(Compiled("a.c", {.literal = true})->Contains("abc"));
}

TEST(Re2RegexTest, ExplainsBadPatterns) {
  EXPECT_EQ(FaultOf("a(").message, "missing )");
  EXPECT_EQ(FaultOf("a(").fragment, "a(");
  EXPECT_EQ(FaultOf("[b").message, "missing ]");
  EXPECT_EQ(FaultOf("[b").fragment, "[b");
  EXPECT_EQ(FaultOf("a(?=b)").message, "invalid perl operator");
  EXPECT_EQ(FaultOf("a(?=b)").fragment, "(?=");
  EXPECT_EQ(FaultOf("x\\").message, "trailing \\");
}

TEST(Re2RegexTest, QuotesOnlyWhatMeansSomething) {
  const Re2Compiler compiler;
  EXPECT_EQ(compiler.Quote("foo("), "foo\\(");
  EXPECT_EQ(compiler.Quote("arr[i]"), "arr\\[i\\]");
  EXPECT_EQ(compiler.Quote("é-a_b/c"), "é-a_b/c");
  const std::string all = "\\^$.|?*+()[]{}-é";
  EXPECT_TRUE(Compiled("^" + compiler.Quote(all) + "$")->Contains(all));
}

TEST(Re2RegexTest, LinearTimeOnEvilPatterns) {
  EXPECT_FALSE(Compiled("(a+)+$")->Contains(std::string(50'000, 'a') + "b"));
  EXPECT_TRUE(Compiled("(a|b)*c")->Contains(std::string(500'000, 'a') + "c"));
}

TEST(RequiredLiteralTest, TakesTheLongestPlainRun) {
  EXPECT_EQ(RequiredLiteral("printf"), "printf");
  EXPECT_EQ(RequiredLiteral("\\bprintf\\s*\\("), "printf");
  EXPECT_EQ(RequiredLiteral("foo\\(bar"), "foo(bar");
  EXPECT_EQ(RequiredLiteral("ab*cde"), "cde");
  EXPECT_EQ(RequiredLiteral("abc+de"), "abc");
  EXPECT_EQ(RequiredLiteral("abé?c"), "ab");
  EXPECT_EQ(RequiredLiteral("ab{2,3}cd"), "cd");
  EXPECT_EQ(RequiredLiteral("x{b}"), "x{b}");
  EXPECT_EQ(RequiredLiteral("a.bc$"), "bc");
  EXPECT_EQ(RequiredLiteral("(x|yyyy)ab"), "ab");
  EXPECT_EQ(RequiredLiteral("([)]|x\\))?ab"), "ab");
  EXPECT_EQ(RequiredLiteral("[]a]bc[[:alpha:]]"), "bc");
}

TEST(RequiredLiteralTest, SaysNothingWhenInDoubt) {
  for (const char* pattern :
       {"", "foo|bar", "(?i)foo", "\\x41foo", "\\101foo", "\\pNfoo", "\\Qa.b\\E", "[A-Z]{4}", "a?"})
    EXPECT_EQ(RequiredLiteral(pattern), "") << pattern;
}

TEST(Re2RegexTest, OffersTheRequiredLiteral) {
  EXPECT_EQ(Compiled("\\bfoo\\d")->RequiredLiteral(), "foo");
  EXPECT_EQ(Compiled("foo", {.case_insensitive = true})->RequiredLiteral(), "");
  EXPECT_EQ(Compiled("a.b", {.literal = true})->RequiredLiteral(), "a.b");
}

}  // namespace
}  // namespace awf
