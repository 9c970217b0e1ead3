#include "domain/terminal_text.h"

#include <gtest/gtest.h>

namespace awf {
namespace {

std::string Filtered(std::string_view text) {
  TerminalFilter filter;
  std::string out = filter.Feed(text);
  out += filter.Flush();
  return out;
}

TEST(TerminalFilter, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(Filtered("a\tb\nü € 𝄞"), "a\tb\nü € 𝄞");
  EXPECT_EQ(Filtered(""), "");
}

TEST(TerminalFilter, RemovesSequencesWithAllThatBelongsToThem) {
  EXPECT_EQ(Filtered("a\x1b[31;1mb\x1b[0mc"), "abc");
  EXPECT_EQ(Filtered("a\x1b]0;title\x07"
                     "b\x1b]8;;http://x\x1b\\c"),
            "abc");
  EXPECT_EQ(Filtered("a\x1bPdcs\x1b\\b\x1b_apc\x1b\\c\x1b^pm\x1b\\d\x1bXsos\x1b\\e"), "abcde");
  EXPECT_EQ(Filtered("a\x1b(Bb\x1b"
                     "cc"),
            "abc");
  EXPECT_EQ(Filtered("a\xC2\x9B"
                     "31mb\xC2\x9D"
                     "0;t\xC2\x9C"
                     "c"),
            "abc");
}

TEST(TerminalFilter, ANewLineEndsAnUnfinishedSequence) {
  EXPECT_EQ(Filtered("a\x1b]0;never ended\nb"), "a\nb");
  EXPECT_EQ(Filtered("a\x1b[12\nb"), "a\nb");
  EXPECT_EQ(Filtered("a\x1b"), "a");
}

TEST(TerminalFilter, DropsControlCharactersAndDirectionOverrides) {
  EXPECT_EQ(Filtered("a\a\b\x7f\x01"
                     "b\xE2\x80\xAE"
                     "c\xE2\x81\xA6"
                     "d\xC2\x85"
                     "e"),
            "abcde");
  EXPECT_EQ(Filtered("10%\r20%\r\nend"), "10%\n20%\nend");
  EXPECT_EQ(Filtered(std::string("a\0b", 3)), "ab");
}

TEST(TerminalFilter, RepairsBadUtf8) {
  EXPECT_EQ(Filtered("a\xFF"
                     "b\xE2\x82"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
}

TEST(TerminalFilter, IsTheSameForEverySplit) {
  const std::string text =
      "x\x1b[31mred\x1b]0;t\x1b\\€\r\n\xC2\x9B"
      "1m𝄞\xE2y\r";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    TerminalFilter filter;
    std::string got = filter.Feed(text.substr(0, cut));
    got += filter.Feed(text.substr(cut));
    got += filter.Flush();
    EXPECT_EQ(got, Filtered(text)) << cut;
  }
}

TEST(PrintableLine, IsOneLine) {
  EXPECT_EQ(PrintableLine(" a\nb\tc\x1b[2J \r\n"), "a b c");
  EXPECT_EQ(PrintableLine("\n"), "");
}

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(DisplayWidth("abc"), 3U);
  EXPECT_EQ(DisplayWidth("漢字"), 4U);
  EXPECT_EQ(DisplayWidth("e\xCC\x81"), 1U);
  EXPECT_EQ(DisplayWidth("→ ✓ ✗ …"), 7U);
}

TEST(FitColumns, CutsWithAnEllipsis) {
  EXPECT_EQ(FitColumns("abcdef", 6), "abcdef");
  EXPECT_EQ(FitColumns("abcdef", 5), "abcd…");
  EXPECT_EQ(FitColumns("漢字漢", 4), "漢…");
  EXPECT_EQ(FitColumns("abc", 1), "…");
  EXPECT_EQ(FitColumns("abc", 0), "");
}

}  // namespace
}  // namespace awf
