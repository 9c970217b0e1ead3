#include "infrastructure/builtins/grep_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "infrastructure/regex/re2_regex.h"

namespace awf::builtins {
namespace {

using ::testing::ElementsAre;

// The matching lines of a text that has no line feed at the end.
std::vector<std::string> Lines(std::string_view pattern, std::string_view text, bool ignore_case = false) {
  const auto compiled = GrepPattern::Compile(Re2Compiler(), pattern, {.case_insensitive = ignore_case});
  EXPECT_TRUE(compiled) << pattern;
  LineMatcher matcher(*compiled);
  matcher.Start(text);
  std::vector<std::string> lines;
  std::size_t from = 0;
  while (const auto line = matcher.Next(from)) {
    lines.emplace_back(text.substr(line->begin, line->end - line->begin));
    from = line->end + 1;
  }
  return lines;
}

TEST(LineMatcher, LiteralsAndWhatRequiresThem) {
  EXPECT_THAT(Lines("needle", "a\nxneedle needle\nb\nneedle"), ElementsAre("xneedle needle", "needle"));
  EXPECT_THAT(Lines("\\bprintf\\s*\\(", "printf (x)\nsprintf(\nprintf\n("), ElementsAre("printf (x)"));
  EXPECT_THAT(Lines("x", "a\nx"), ElementsAre("x"));
  EXPECT_THAT(Lines("->arrow", "->arrow -x"), ElementsAre("->arrow -x"));
}

TEST(LineMatcher, PatternsWithoutLiteral) {
  EXPECT_THAT(Lines("[0-9]+", "a\n1\nb2\n"), ElementsAre("1", "b2"));
  EXPECT_THAT(Lines("^", "a\n\nb"), ElementsAre("a", "", "b"));
  EXPECT_THAT(Lines("^$", "a\n\nb\n"), ElementsAre("", ""));
  EXPECT_THAT(Lines("^$", ""), ElementsAre(""));
  EXPECT_THAT(Lines("foo|bar", "a foo\nbar\nfo\n"), ElementsAre("a foo", "bar"));
}

TEST(LineMatcher, AMatchNeverRunsOverALine) {
  EXPECT_THAT(Lines("[ab]\\s+[cd]", "a\nc\na c\nb\nd d"), ElementsAre("a c"));
  EXPECT_THAT(Lines("[^x]{3}", "a\nb\nabc"), ElementsAre("abc"));
  EXPECT_THAT(Lines("(?s)[a].*[z]", "a\nz\naz"), ElementsAre("az"));
}

TEST(LineMatcher, CarriageReturnsDoNotBelongToTheLine) {
  EXPECT_THAT(Lines("beta$", "alpha\r\nbeta\r\nbetas\r"), ElementsAre("beta\r"));
  EXPECT_THAT(Lines("[t][a]$", "alpha\r\nbeta\r"), ElementsAre("beta\r"));
  EXPECT_THAT(Lines("^[a-z]+$", "ab\r\ncd\nE\r"), ElementsAre("ab\r", "cd"));
  EXPECT_THAT(Lines("\\s", "ab\r\nc d\r\nef\r"), ElementsAre("c d\r"));
}

TEST(LineMatcher, AnchorsOfTheTextAreThoseOfTheLine) {
  EXPECT_THAT(Lines("\\A[b]", "ab\nb"), ElementsAre("b"));
  EXPECT_THAT(Lines("[a]\\z", "a\nab"), ElementsAre("a"));
  EXPECT_THAT(Lines("(?-m)^[b]", "ab\nb"), ElementsAre("b"));
}

TEST(LineMatcher, BytesThatAreNotUtf8) {
  EXPECT_THAT(Lines("caf.", "caf\xE9 x\nnone"), ElementsAre("caf\xE9 x"));
  EXPECT_THAT(Lines("[c]af.\\s", "caf\xE9 x\ncaf\xC3\xA9 y"), ElementsAre("caf\xE9 x", "caf\xC3\xA9 y"));
  EXPECT_THAT(Lines("^.{4}$", "caf\xC3\xA9\ncaf\xE9"), ElementsAre("caf\xC3\xA9", "caf\xE9"));
}

TEST(LineMatcher, CaseInsensitive) {
  EXPECT_THAT(Lines("todo", "ToDo\nx", true), ElementsAre("ToDo"));
  EXPECT_THAT(Lines("mask", "MASK\nMa\xC5\xBF\xE2\x84\xAA", true), ElementsAre("MASK", "Ma\xC5\xBF\xE2\x84\xAA"));
  EXPECT_THAT(Lines("\xC3\xA9t\xC3\xA9", "\xC3\x89T\xC3\x89", true), ElementsAre("\xC3\x89T\xC3\x89"));
  EXPECT_THAT(Lines("foo\\(bar", "FOO(BAR", true), ElementsAre("FOO(BAR"));
}

TEST(LineMatcher, TellsWhereTheMatchStands) {
  const auto compiled = GrepPattern::Compile(Re2Compiler(), "b+$", {});
  LineMatcher matcher(*compiled);
  const RegexGroup match = matcher.FirstMatch("abba bbb\r");
  EXPECT_EQ(match.begin, 5U);
  EXPECT_EQ(match.end, 8U);
}

TEST(GrepPattern, FaultsAreHandedOn) {
  const auto compiled = GrepPattern::Compile(Re2Compiler(), "foo(", {});
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().message, "missing )");
}

}  // namespace
}  // namespace awf::builtins
