#include "domain/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace awf {
namespace {

TEST(Utf8, KnowsValidText) {
  EXPECT_TRUE(IsValidUtf8("plain, ü, €, 𝄞"));
  EXPECT_FALSE(IsValidUtf8("\xC0\xAF"));          // overlong
  EXPECT_FALSE(IsValidUtf8("\xED\xA0\x80"));      // surrogate
  EXPECT_FALSE(IsValidUtf8("\xF4\x90\x80\x80"));  // above U+10FFFF
  EXPECT_FALSE(IsValidUtf8("\xE2\x82"));          // cut
  EXPECT_FALSE(IsValidUtf8("12345678\xFF"));
}

TEST(Utf8, KnowsAscii) {
  EXPECT_TRUE(IsAscii(""));
  EXPECT_TRUE(IsAscii("abcdefghijk"));
  EXPECT_FALSE(IsAscii("abcdefghijé"));
  EXPECT_FALSE(IsAscii("é23456789"));
}

TEST(Utf8, StepsOverBadPlaces) {
  for (const auto& [text, length] :
       {std::pair{"\xF0\x9F\x8Ex", 3U}, {"\xE2\x82", 2U}, {"\xED\xA0\x80", 1U}, {"\xFFx", 1U}}) {
    const Utf8Step step = StepUtf8(text, 0);
    EXPECT_FALSE(step.valid) << text;
    EXPECT_EQ(step.length, length) << text;
  }
  EXPECT_EQ(StepUtf8("x€", 1).code, U'€');
}

TEST(Utf8, RepairsByteByByte) {
  EXPECT_EQ(RepairUtf8("a\xFF"
                       "b\xE2\x82"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(RepairUtf8("ü€"), "ü€");
  EXPECT_EQ(RepairUtf8("\xED\xA0\x80 eight bytes and more"), "\uFFFD\uFFFD\uFFFD eight bytes and more");
  EXPECT_EQ(RepairUtf8("\xF0\x9F\x8E"), "\uFFFD\uFFFD\uFFFD");
}

TEST(Utf8, CutsBetweenCharacters) {
  EXPECT_EQ(Utf8Prefix("a€b", 1), "a");
  EXPECT_EQ(Utf8Prefix("a€b", 3), "a");
  EXPECT_EQ(Utf8Prefix("a€b", 4), "a€");
  EXPECT_EQ(Utf8Prefix("a€b", 99), "a€b");
  EXPECT_EQ(FirstCharacters("a€b", 0), "");
  EXPECT_EQ(FirstCharacters("a€b", 2), "a€");
  EXPECT_EQ(FirstCharacters("a€b", 3), "a€b");
  EXPECT_EQ(CountCharacters("a€𝄞"), 3U);
}

TEST(Utf8, FindsTheUnfinishedEnd) {
  EXPECT_EQ(UnfinishedUtf8("ab"), 0U);
  EXPECT_EQ(UnfinishedUtf8("a文"), 0U);
  EXPECT_EQ(UnfinishedUtf8("a\xE6"), 1U);
  EXPECT_EQ(UnfinishedUtf8("a\xE6\x96"), 2U);
  EXPECT_EQ(UnfinishedUtf8("\xF0\x9F\x8E"), 3U);
  EXPECT_EQ(UnfinishedUtf8("\xF0\x9F\x8E\x89"), 0U);
  EXPECT_EQ(UnfinishedUtf8("a\x96\x96\x96\x96"), 0U);
  EXPECT_EQ(UnfinishedUtf8("a\xFF"), 0U);
  EXPECT_EQ(UnfinishedUtf8("\xED\xA0"), 0U);  // never becomes valid
}

TEST(Utf8, WritesCodePoints) {
  std::string out;
  for (const char32_t code : {U'a', U'é', U'文', U'🎉', char32_t{0xD800}, char32_t{0x110000}}) AppendUtf8(out, code);
  EXPECT_EQ(out, "aé文🎉\uFFFD\uFFFD");
}

}  // namespace
}  // namespace awf
