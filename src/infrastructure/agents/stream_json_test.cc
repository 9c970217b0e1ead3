#include "infrastructure/agents/stream_json.h"

#include <gtest/gtest.h>

namespace awf::agents {
namespace {

TEST(StreamJsonTest, ReadsObjectsAndNothingElse) {
  EXPECT_EQ(TextAt(*ParseStreamLine(R"( {"type":"x"})"), "type"), "x");
  for (const char* line : {"", "   ", "[1]", "banner", "{", R"({"a":1}x)", "null"}) {
    EXPECT_FALSE(ParseStreamLine(line)) << line;
  }
}

TEST(StreamJsonTest, RepairsLoneSurrogatesAndBadBytesOnly) {
  EXPECT_EQ(TextAt(*ParseStreamLine(R"({"t":"a\ud83d"})"), "t"), "a\xEF\xBF\xBD");
  EXPECT_EQ(TextAt(*ParseStreamLine(R"({"t":"\ude00b\ud83d\ud83d\ude00"})"), "t"),
            "\xEF\xBF\xBD"
            "b\xEF\xBF\xBD\xF0\x9F\x98\x80");
  EXPECT_EQ(TextAt(*ParseStreamLine("{\"t\":\"a\xFF\"}"), "t"), "a\xEF\xBF\xBD");
  // A backslash that is text stays text.
  EXPECT_EQ(TextAt(*ParseStreamLine(R"({"t":"\\ud83d \ud83d"})"), "t"), "\\ud83d \xEF\xBF\xBD");
}

TEST(StreamJsonTest, DeepNestingIsReadToALimit) {
  const auto nested = [](std::size_t depth) {
    return R"({"a":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_TRUE(ParseStreamLine(nested(200)));
  EXPECT_FALSE(ParseStreamLine(nested(100'000)));
}

TEST(StreamJsonTest, MembersOfOtherTypesReadAsNothing) {
  const json::object object = *ParseStreamLine(R"({"n":7,"s":"x","d":1.5,"l":["a",1,"b"],"b":true,"o":{}})");
  EXPECT_EQ(TextAt(object, "n"), "");
  EXPECT_EQ(IntegerAt(object, "n"), 7);
  EXPECT_EQ(IntegerAt(object, "s"), 0);
  EXPECT_EQ(IntegerAt(object, "d"), 0);
  EXPECT_EQ(NumberAt(object, "d"), 1.5);
  EXPECT_FALSE(NumberAt(object, "s"));
  EXPECT_EQ(TextsAt(object, "l"), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(BoolAt(object, "b"));
  EXPECT_FALSE(BoolAt(object, "n"));
  EXPECT_NE(ObjectAt(object, "o"), nullptr);
  EXPECT_EQ(ObjectAt(object, "s"), nullptr);
  EXPECT_EQ(OptionText(object, "n"), "7");
  EXPECT_EQ(OptionText(object, "s"), "x");
  EXPECT_EQ(OptionText(object, "missing"), "");
}

}  // namespace
}  // namespace awf::agents
