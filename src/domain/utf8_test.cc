#include "domain/utf8.h"

#include <gtest/gtest.h>

namespace awf {
namespace {

TEST(Utf8, KnowsValidText) {
  EXPECT_TRUE(IsValidUtf8("plain, ü, €, 𝄞"));
  EXPECT_FALSE(IsValidUtf8("\xC0\xAF"));          // overlong
  EXPECT_FALSE(IsValidUtf8("\xED\xA0\x80"));      // surrogate
  EXPECT_FALSE(IsValidUtf8("\xF4\x90\x80\x80"));  // above U+10FFFF
  EXPECT_FALSE(IsValidUtf8("\xE2\x82"));          // cut
}

TEST(Utf8, RepairsByteByByte) {
  EXPECT_EQ(RepairUtf8("a\xFF"
                       "b\xE2\x82"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(RepairUtf8("ü€"), "ü€");
}

TEST(Utf8, CutsBetweenCharacters) {
  EXPECT_EQ(Utf8Prefix("a€b", 1), "a");
  EXPECT_EQ(Utf8Prefix("a€b", 3), "a");
  EXPECT_EQ(Utf8Prefix("a€b", 4), "a€");
  EXPECT_EQ(Utf8Prefix("a€b", 99), "a€b");
}

}  // namespace
}  // namespace awf
