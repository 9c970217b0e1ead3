#include "infrastructure/builtins/command_output.h"

#include <gtest/gtest.h>

#include "infrastructure/builtins/result_text.h"

namespace awf::builtins {
namespace {

std::string Filtered(std::string_view bytes) {
  EscapeFilter filter;
  std::string out;
  filter.Take(bytes, out);
  return out;
}

TEST(EscapeFilterTest, TakesSequencesOut) {
  EXPECT_EQ(Filtered("\x1b[31mred\x1b[0m\x1b]0;title\a plain\n"), "red plain\n");
  EXPECT_EQ(Filtered("\x1b[38;5;196mx\x1b[K\x1b[?25ly\x1b[2;5H"), "xy");
  EXPECT_EQ(Filtered("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x1bPdata\x1b\\."), "link .");
  EXPECT_EQ(Filtered("\x1b(Ba\x1b=b\x1b"
                     "7c\x1bM"),
            "abc");
}

TEST(EscapeFilterTest, WorksByteByByte) {
  EscapeFilter filter;
  std::string out;
  for (const char c : std::string("\x1b[31mred\x1b[0m\x1b]0;t\x1b\\ plain")) filter.Take(std::string_view(&c, 1), out);
  EXPECT_EQ(out, "red plain");
}

TEST(EscapeFilterTest, AnUnfinishedSequenceEndsAtTheLine) {
  EXPECT_EQ(Filtered("a\x1b]0;never ends\nb\n"), "a\nb\n");
  EXPECT_EQ(Filtered("a\x1b[\nb"), "a\nb");
  EXPECT_EQ(Filtered("a\x1b"), "a");
}

OutputText TextOf(std::string_view bytes) {
  OutputText text;
  text.Take(bytes);
  text.Finish();
  return text;
}

TEST(OutputTextTest, IsCleanText) {
  EXPECT_EQ(TextOf(std::string_view("a\0b\tc\r\nd\xff\n", 9)).Show(kOutputLimits), "a\uFFFDb\tc\uFFFD\nd\uFFFD");
}

TEST(OutputTextTest, LosesOneFinalLineFeed) {
  EXPECT_EQ(TextOf("a\n\n").Show(kOutputLimits), "a\n");
  EXPECT_EQ(TextOf("\n").Show(kOutputLimits), "");
}

TEST(OutputTextTest, CutsTheMiddleAndCountsCharacters) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "0123456789\n";
  const std::string shown = TextOf(text + "LAST\n").Show(kOutputLimits);
  EXPECT_NE(shown.find("\n[... 25005 characters cut ...]\n"), std::string::npos);
  EXPECT_TRUE(shown.starts_with("0123456789\n"));
  EXPECT_TRUE(shown.ends_with("0123456789\nLAST"));
  EXPECT_LE(shown.size(), 30'050U);
}

TEST(OutputTextTest, NeverSplitsACharacter) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += "\u20ac";
  const std::string shown = TextOf(text).Show(kOutputLimits);
  EXPECT_EQ(shown.find("\uFFFD"), std::string::npos);
  EXPECT_EQ(CleanText(shown), shown);
  EXPECT_LE(shown.size(), 30'050U);
  EXPECT_NE(shown.find("[... 30001 characters cut ...]"), std::string::npos);  // of 40,000: 3,333 and 6,666 are shown
}

TEST(ShowOutputTest, StderrGetsAThirdUnlessStdoutNeedsLess) {
  const std::string much(100'000, 'x');
  const OutputLimits limits{100, 200};
  const auto sizes = [&](std::string_view out, std::string_view err) {
    const ShownOutput shown = ShowOutput(TextOf(out), TextOf(err), limits);
    const auto kept = [](const std::string& text) { return std::count(text.begin(), text.end(), 'x'); };
    return std::pair{kept(shown.out), kept(shown.err)};
  };
  EXPECT_EQ(sizes(much, much), std::pair(200L, 100L));
  EXPECT_EQ(sizes(much, ""), std::pair(300L, 0L));
  EXPECT_EQ(sizes("", much), std::pair(0L, 300L));
  EXPECT_EQ(sizes("xxxxxxxxxx", much), std::pair(10L, 290L));
  EXPECT_EQ(sizes(much, "xxxxxxxxxx"), std::pair(290L, 10L));
  EXPECT_TRUE(ShowOutput(TextOf(much), TextOf(""), limits).cut);
  EXPECT_FALSE(ShowOutput(TextOf("x"), TextOf("x"), limits).cut);
}

}  // namespace
}  // namespace awf::builtins
