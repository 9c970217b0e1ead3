#include "utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mcp {
namespace {

std::string Valid(std::string_view text) {
  std::string out;
  AppendValidUtf8(out, text);
  return out;
}

TEST(Utf8Test, ReplacesWhatIsIllFormed) {
  struct Case {
    std::string text, expected;
  };
  const std::string r(kReplacement);
  const std::vector<Case> cases = {
      {"", ""},
      {"plain", "plain"},
      {"h\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", "h\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"},
      {std::string("a\0b", 3), std::string("a\0b", 3)},
      {"\xFF", r},
      {"a\x80z", "a" + r + "z"},
      {"\xC0\xAF", r + r},                  // overlong
      {"\xE0\x80\x80", r + r + r},          // overlong
      {"\xED\xA0\x80", r + r + r},          // a surrogate
      {"\xF4\x90\x80\x80", r + r + r + r},  // beyond U+10FFFF
      {"\xE2\x82", r},                      // cut off: one for the whole
      {"\xE2\x82x", r + "x"},
      {"\xF0\x9F\x98", r},
      {"\xC3", r},
  };
  for (const Case& c : cases) EXPECT_EQ(Valid(c.text), c.expected);
}

TEST(Utf8Test, CutsBetweenCharacters) {
  EXPECT_EQ(CutUtf8("abc", 3), "abc");
  EXPECT_EQ(CutUtf8("abcd", 3), "abc");
  EXPECT_EQ(CutUtf8("a\xE2\x82\xAC", 3), "a");
  EXPECT_EQ(CutUtf8("a\xE2\x82\xAC", 4), "a\xE2\x82\xAC");
  EXPECT_EQ(CutUtf8("\xE2\x82\xAC", 0), "");
}

TEST(Utf8Test, RepairsJsonOnlyWhereItIsBroken) {
  EXPECT_EQ(RepairJsonText(R"({"a":"\ud83d\ude00 \\ud800 \u00e9"})"), std::nullopt);
  EXPECT_EQ(RepairJsonText(R"("\ud800")"), R"("\ufffd")");
  EXPECT_EQ(RepairJsonText(R"("\udc00\ud800")"), R"("\ufffd\ufffd")");
  EXPECT_EQ(RepairJsonText(R"("\ud800\u0041")"), R"("\ufffd\u0041")");
  EXPECT_EQ(RepairJsonText(R"("\ud83d\ud83d\ude00")"), R"("\ufffd\ud83d\ude00")");
  EXPECT_EQ(RepairJsonText("\"\xFF\""), "\"" + std::string(kReplacement) + "\"");
  EXPECT_EQ(RepairJsonText("\"\\\xFF\""), "\"\\" + std::string(kReplacement) + "\"");
  EXPECT_EQ(RepairJsonText("\"\\"), std::nullopt);
  EXPECT_EQ(RepairJsonText(R"("\ud8")"), std::nullopt);
}

}  // namespace
}  // namespace mcp
