#include "domain/positioned_json.h"

#include <gtest/gtest.h>

#include <vector>

namespace awf {
namespace {

using Path = std::vector<std::string>;

constexpr std::string_view kText = "{\n  \"a\": [10, {\"b\": \"]\"}, [ ]],\n  \"c\\u0064\": {\"e\": -1.5}\n}";

// "line:column" of the member.
std::string Place(const Path& path) {
  const Position at = PositionAt(kText, OffsetOfMember(kText, path), "f");
  return std::to_string(at.line) + ":" + std::to_string(at.column);
}

TEST(PositionedJson, FindsMembersAndItems) {
  EXPECT_EQ(Place({}), "1:1");
  EXPECT_EQ(Place({"a"}), "2:3");
  EXPECT_EQ(Place({"a", "0"}), "2:9");
  EXPECT_EQ(Place({"a", "1"}), "2:13");
  EXPECT_EQ(Place({"a", "1", "b"}), "2:14");
  EXPECT_EQ(Place({"a", "2"}), "2:25");
  EXPECT_EQ(Place({"cd", "e"}), "3:15");
}

TEST(PositionedJson, WhatIsNotThereStandsWhereItWouldBe) {
  EXPECT_EQ(Place({"x"}), "1:1");
  EXPECT_EQ(Place({"a", "3"}), "2:3");
  EXPECT_EQ(Place({"a", "2", "0"}), "2:25");
  EXPECT_EQ(Place({"a", "x"}), "2:3");
  EXPECT_EQ(Place({"cd", "e", "f"}), "3:15");
}

TEST(PositionedJson, FindsTheSecondOfTwoKeys) {
  EXPECT_FALSE(FindRepeatedKey(R"({"a": {"b": 1}, "b": ["a", "a", {"a": 1}, {"a": 2}], "c": "a"})"));
  const auto found = FindRepeatedKey(R"({"a": [{"b": 1, "c": [], "\u0062": 2}]})");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, "b");
  EXPECT_EQ(found->offset, 25U);
  EXPECT_FALSE(FindRepeatedKey("[]"));
  EXPECT_FALSE(FindRepeatedKey("1"));
}

}  // namespace
}  // namespace awf
