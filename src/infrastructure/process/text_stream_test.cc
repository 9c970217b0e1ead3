#include "infrastructure/process/text_stream.h"

#include <gtest/gtest.h>

namespace awf::process {
namespace {

TEST(Utf8StreamTest, PutsSplitCharactersTogether) {
  const std::string text = "a\u00e9\u20ac\U0001F600z";
  for (std::size_t at = 0; at <= text.size(); ++at) {
    Utf8Stream stream;
    std::string out = stream.Take(text.substr(0, at));
    out += stream.Take(text.substr(at));
    EXPECT_EQ(out, text) << at;
    EXPECT_EQ(stream.Finish(), "") << at;
  }
  Utf8Stream bytewise;
  std::string out;
  for (const char c : text) out += bytewise.Take(std::string_view(&c, 1));
  EXPECT_EQ(out + bytewise.Finish(), text);
}

TEST(Utf8StreamTest, BadBytesBecomeReplacementCharacters) {
  Utf8Stream stream;
  EXPECT_EQ(stream.Take("caf\xe9\n"), "caf\uFFFD\n");
  EXPECT_EQ(stream.Take("x\xe2\x80"), "x");
  EXPECT_EQ(stream.Finish(), "\uFFFD\uFFFD");
  EXPECT_EQ(stream.Finish(), "");
}

TEST(HeadTailTest, KeepsAShortTextWhole) {
  HeadTail kept(4, 4);
  kept.Append("abc");
  kept.Append("defgh");
  EXPECT_TRUE(kept.whole());
  EXPECT_EQ(std::string(kept.head()) + std::string(kept.tail()), "abcdefgh");
}

TEST(HeadTailTest, DropsTheMiddleAndCountsIt) {
  HeadTail kept(4, 4);
  for (int i = 0; i < 1000; ++i) kept.Append("0123456789");
  kept.Append("xyz");
  EXPECT_FALSE(kept.whole());
  EXPECT_EQ(kept.head(), "0123");
  EXPECT_EQ(kept.tail(), "9xyz");
  EXPECT_EQ(kept.bytes(), 10'003U);
  EXPECT_EQ(kept.characters(), 10'003U);
}

TEST(HeadTailTest, CutsBetweenCharacters) {
  HeadTail kept(4, 4);
  for (int i = 0; i < 10; ++i) kept.Append("\u20ac");  // three bytes each
  EXPECT_EQ(kept.head(), "\u20ac");
  EXPECT_EQ(kept.tail(), "\u20ac");
  EXPECT_EQ(kept.characters(), 10U);
  EXPECT_EQ(kept.bytes(), 30U);
}

TEST(HeadTailTest, CutsBytesWhereTheyStand) {
  HeadTail kept(4, 4, CutAt::kBytes);
  kept.Append("\u20ac\xff");
  EXPECT_TRUE(kept.whole());
  for (int i = 0; i < 100'000; ++i) kept.Append("\u20ac");
  EXPECT_EQ(kept.head(), "\u20ac\xff");
  EXPECT_EQ(kept.tail(), "\xac\u20ac");
  EXPECT_EQ(kept.bytes(), 300'004U);
  EXPECT_EQ(kept.characters(), 300'004U);
}

TEST(HeadTailTest, OnePieceMayExceedBothLimits) {
  HeadTail kept(3, 3);
  kept.Append("0123456789");
  EXPECT_EQ(kept.head(), "012");
  EXPECT_EQ(kept.tail(), "789");
}

}  // namespace
}  // namespace awf::process
