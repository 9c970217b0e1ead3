#include "domain/captured_content.h"

#include <gtest/gtest.h>

#include "domain/tool_observer.h"
#include "domain/utf8.h"

namespace awf {
namespace {

std::string Captured(const json::object& arguments) {
  return CapturedArguments(arguments, json::serialize(arguments).size());
}

TEST(CapturedArguments, AreWholeUpToTheLimit) {
  json::object arguments{{"path", "/x"}, {"content", ""}};
  EXPECT_EQ(Captured(arguments), R"({"path":"/x","content":""})");
  arguments["content"] = std::string(kLongestContent - 26, 'a');
  EXPECT_EQ(Captured(arguments).size(), kLongestContent);
  EXPECT_EQ(Captured(arguments), json::serialize(arguments));
}

TEST(CapturedArguments, LongStringsAreCutAndTheRestStaysJson) {
  const json::object arguments{{"content", std::string(1'000'000, '\n')}, {"path", "/x"}, {"deep", {{"n", 1}}}};
  const std::string text = Captured(arguments);
  EXPECT_LE(text.size(), kLongestContent);
  const json::value back = json::parse(text);
  EXPECT_EQ(back.at("path"), "/x");
  EXPECT_EQ(back.at("deep"), json::value({{"n", 1}}));
  const std::string_view content = back.at("content").get_string();
  EXPECT_TRUE(content.ends_with(std::string("\n").append(kCutMark)));
  EXPECT_GT(content.size(), kLongestContent / 8);
}

TEST(CapturedArguments, NoCharacterIsCutInTwo) {
  std::string content = "a";
  while (content.size() < 2 * kLongestContent) content += "é";
  const json::value back = json::parse(Captured({{"content", content}}));
  EXPECT_TRUE(IsValidUtf8(back.at("content").get_string()));
}

TEST(CapturedArguments, MembersThatCannotBeShortenedAreLeftOut) {
  json::array numbers;
  for (int i = 0; i < 50'000; ++i) numbers.push_back(i);
  EXPECT_EQ(Captured({{"first", "a"}, {"numbers", numbers}, {"last", "\"b\""}}), R"({"first":"a","last":"\"b\""})");
}

TEST(CapturedText, JoinsTextsAndPassesImagesOver) {
  ToolResult result = ToolResult::Text("one");
  result.content.emplace_back(ImageContent{"aGVsbG8=", "image/png"});
  result.content.emplace_back(TextContent{"two"});
  EXPECT_EQ(CapturedText(result), "one\ntwo");
}

TEST(CapturedText, EndsAtTheLimit) {
  const std::string much(2 * kLongestContent, 'x');
  EXPECT_EQ(CapturedText(much).size(), kLongestContent);
  ToolResult result = ToolResult::Text(std::string(kLongestContent - 3, 'x'));
  result.content.emplace_back(TextContent{"éé"});
  EXPECT_EQ(CapturedText(result).substr(kLongestContent - 3), "\né");
  result.content.emplace_back(TextContent{"z"});
  EXPECT_EQ(CapturedText(result).size(), kLongestContent);
}

}  // namespace
}  // namespace awf
