#include "utf8.h"

#include <gtest/gtest.h>

namespace awf::sdk {
namespace {

constexpr const char* kBad = "\xEF\xBF\xBD";

TEST(SdkUtf8, KeepsWellFormedText) {
  for (const char* text : {"", "plain", "\xC2\x80", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xF0\x90\x80\x80",
                           "\xF4\x8F\xBF\xBF", "a\xE2\x82\xACz"}) {
    EXPECT_EQ(RepairedUtf8(text), text);
  }
}

TEST(SdkUtf8, ReplacesEveryByteThatBelongsToNoSequence) {
  const std::string bad = kBad;
  EXPECT_EQ(RepairedUtf8("a\xFFz"), "a" + bad + "z");
  EXPECT_EQ(RepairedUtf8("\xC0\x80"), bad + bad);                      // overlong
  EXPECT_EQ(RepairedUtf8("\xE0\x80\x80"), bad + bad + bad);            // overlong
  EXPECT_EQ(RepairedUtf8("\xF0\x8F\xBF\xBF"), bad + bad + bad + bad);  // overlong
  EXPECT_EQ(RepairedUtf8("\xED\xA0\x80"), bad + bad + bad);            // a surrogate
  EXPECT_EQ(RepairedUtf8("\xF4\x90\x80\x80"), bad + bad + bad + bad);  // past U+10FFFF
  EXPECT_EQ(RepairedUtf8("\xE2\x82"), bad + bad);                      // cut off
  EXPECT_EQ(RepairedUtf8("\xE2(z"), bad + "(z");
}

}  // namespace
}  // namespace awf::sdk
