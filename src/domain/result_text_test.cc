#include "domain/result_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "domain/utf8.h"

namespace awf {
namespace {

const std::string& TextOf(const ToolResult& result) { return std::get<TextContent>(result.content.at(0)).text; }

TEST(CutTest, APrefixKeepsCharactersWhole) {
  EXPECT_EQ(CountCharacters("a文🎉"), 3U);
  EXPECT_EQ(PrefixWithin("a文🎉", 2, 100), "a文");
  EXPECT_EQ(PrefixWithin("a文🎉", 100, 3), "a");
  EXPECT_EQ(PrefixWithin("a文🎉", 100, 8), "a文🎉");
  EXPECT_EQ(PrefixWithin("abc", 0, 9), "");
}

TEST(CleanTextTest, LeavesGoodTextAlone) { EXPECT_EQ(CleanText("a\tb\nc é 文 🎉\x7f"), "a\tb\nc é 文 🎉\x7f"); }

TEST(CleanTextTest, ReplacesBadBytesAndControls) {
  EXPECT_EQ(CleanText("caf\xE9"), "caf\uFFFD");
  EXPECT_EQ(CleanText(std::string("a\0b", 3)), "a\uFFFDb");
  EXPECT_EQ(CleanText("\x1b[31m\r\x01"), "\uFFFD[31m\uFFFD\uFFFD");
  EXPECT_EQ(CleanText("\xF0\x9F\x8E"), "\uFFFD");              // an unfinished sequence is one place
  EXPECT_EQ(CleanText("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate has no valid start
  EXPECT_EQ(CleanText("\xC0\xAF\xF5"), "\uFFFD\uFFFD\uFFFD");  // overlong, out of range
  EXPECT_EQ(CleanText("\xE4\xB8\x41"),
            "\uFFFD"
            "A");
}

TEST(NotesTest, StandAfterAnEmptyLine) {
  Notes notes;
  EXPECT_EQ(notes.Render(), "");
  notes.Add("One.");
  notes.Add("Two\x01.");
  EXPECT_EQ(notes.Render(), "\n\n[One.]\n[Two\uFFFD.]");
}

TEST(MakeResultTest, IsNeverEmpty) {
  const ToolResult result = MakeResult("", {}, {});
  EXPECT_EQ(TextOf(result), "(no output)");
  EXPECT_FALSE(result.is_error);
  EXPECT_FALSE(result.fields.truncated);
}

TEST(MakeResultTest, AppendsNotes) {
  Notes notes;
  notes.Add("N.");
  EXPECT_EQ(TextOf(MakeResult("body\n", notes, {})), "body\n\n[N.]");
}

TEST(MakeResultTest, CutsTheBodyAndKeepsTheNotes) {
  Notes notes;
  notes.Add("N.");
  const ToolResult result = MakeResult(std::string(1000, 'x'), notes, {.characters = 200, .bytes = 150, .error = 10});
  EXPECT_TRUE(result.fields.truncated);
  EXPECT_LE(TextOf(result).size(), 150U);
  EXPECT_TRUE(TextOf(result).starts_with("xxxx"));
  EXPECT_NE(TextOf(result).find("\n\n[N.]\n[The result was cut: "), std::string::npos);
}

TEST(MakeResultTest, ErrorsHaveABudgetOfTheirOwn) {
  const ToolResult result = MakeResult(std::string(20'000, 'x'), {}, {}, true);
  EXPECT_TRUE(result.is_error);
  EXPECT_LE(TextOf(result).size(), 10'000U);
  EXPECT_GT(TextOf(result).size(), 9'900U);
}

TEST(MakeResultTest, CutsByLinesWhereTheyAreLimited) {
  Notes notes;
  notes.Add("N.");
  const ResultBudget budget{.lines = 8};
  EXPECT_FALSE(MakeResult("1\n2\n3\n4\n5\n6\n", notes, budget).fields.truncated);
  const ToolResult result = MakeResult("1\n2\n3\n4\n5\n6\n7\n8\n", notes, budget);
  EXPECT_TRUE(result.fields.truncated);
  EXPECT_EQ(TextOf(result), "1\n2\n3\n4\n5\n\n[N.]\n[The result was cut: 6 characters left out.]");
  EXPECT_EQ(TextOf(MakeResult("1\n2\n3\n4\n5\n6\n7\n8\n9", {}, budget, true)),
            "1\n2\n3\n4\n5\n6\n\n[The result was cut: 6 characters left out.]");
}

TEST(LinesTest, WhatIsLeftIsNeverNothing) {
  EXPECT_EQ(LinesLeft({}, 10), std::numeric_limits<std::size_t>::max());
  EXPECT_EQ(LinesLeft({.lines = 1900}, 10), 1890U);
  EXPECT_EQ(LinesLeft({.lines = 8}, 10), 2U);
  EXPECT_EQ(LinesLeft({.lines = 1}, 10), 1U);
}

TEST(MakeResultTest, HoldsTheSmallestBudget) {
  Notes notes;
  notes.Add(std::string(500, 'n'));
  const ToolResult result = MakeResult("文文文文", notes, {.characters = 50, .bytes = 40, .error = 10});
  EXPECT_LE(TextOf(result).size(), 40U);
  EXPECT_FALSE(TextOf(result).empty());
}

TEST(LinesTest, TheFirstKeepTheirLineFeeds) {
  EXPECT_EQ(FirstLines("a\n\nb", 2), "a\n\n");
  EXPECT_EQ(FirstLines("a\n\nb", 3), "a\n\nb");
  EXPECT_EQ(FirstLines("a", 0), "");
}

}  // namespace
}  // namespace awf
