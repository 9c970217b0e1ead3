#include "infrastructure/agents/chat_completions.h"

#include <gtest/gtest.h>

namespace awf::agents {
namespace {

ChatAnswer Parse(std::string_view message, std::set<std::string> used = {}) {
  auto answer = ParseChatAnswer(R"({"choices":[{"message":)" + std::string(message) + "}]}", used);
  EXPECT_TRUE(answer) << answer.error();
  return answer ? std::move(*answer) : ChatAnswer{};
}

TEST(ChatCompletionsTest, ContentMayBeTextPartsOrNull) {
  EXPECT_EQ(Parse(R"({"content":"hi"})").text, "hi");
  EXPECT_EQ(Parse(R"({"content":null})").text, "");
  EXPECT_EQ(Parse(R"({})").text, "");
  EXPECT_EQ(Parse(R"({"content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]})").text,
            "ab");
}

TEST(ChatCompletionsTest, ReasoningIsNeitherOutputNorSentBack) {
  const ChatAnswer answer = Parse(R"({"content":"hi","reasoning_content":"secret thoughts","role":"assistant"})");
  EXPECT_EQ(json::serialize(answer.message), R"({"role":"assistant","content":"hi"})");
}

TEST(ChatCompletionsTest, ArgumentsAsTextObjectOrNothing) {
  const ChatAnswer answer = Parse(R"({"tool_calls":[
      {"id":"a","function":{"name":"Read","arguments":"{\"path\":\"x\"}"}},
      {"id":"b","function":{"name":"Read","arguments":{"path":"y"}}},
      {"id":"c","function":{"name":"Read","arguments":""}},
      {"id":"d","function":{"name":"Read"}},
      {"id":"e","function":{"name":"Read","arguments":"{oops"}},
      {"id":"f","function":{"name":"Read","arguments":"[1]"}}]})");
  ASSERT_EQ(answer.calls.size(), 6U);
  EXPECT_EQ(answer.calls[0].arguments.value(), (json::object{{"path", "x"}}));
  EXPECT_EQ(answer.calls[1].arguments.value(), (json::object{{"path", "y"}}));
  EXPECT_EQ(answer.calls[2].arguments.value(), json::object());
  EXPECT_EQ(answer.calls[3].arguments.value(), json::object());
  EXPECT_EQ(answer.calls[4].arguments.error(), "invalid arguments: not valid JSON");
  EXPECT_EQ(answer.calls[5].arguments.error(), "invalid arguments: not a JSON object");
}

TEST(ChatCompletionsTest, MissingAndRepeatedIdsAreMadeUniqueInBothMessages) {
  const ChatAnswer answer = Parse(R"({"tool_calls":[
      {"function":{"name":"A"}},{"id":"x","function":{"name":"B"}},{"id":"x","function":{"name":"C"}}]})",
                                  {"x"});
  ASSERT_EQ(answer.calls.size(), 3U);
  std::set<std::string> ids;
  const json::array& sent = answer.message.at("tool_calls").as_array();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(sent[i].at("id"), json::value(answer.calls[i].id));
    EXPECT_NE(answer.calls[i].id, "x");
    ids.insert(answer.calls[i].id);
  }
  EXPECT_EQ(ids.size(), 3U);
  EXPECT_TRUE(answer.calls[0].id.starts_with("call_"));
}

TEST(ChatCompletionsTest, UsageAndItsAbsence) {
  std::set<std::string> used;
  const auto answer = ParseChatAnswer(
      R"({"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2}})",
      used);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->finish_reason, "stop");
  EXPECT_EQ(answer->usage->input, 7);
  EXPECT_EQ(answer->usage->output, 2);
  EXPECT_EQ(answer->usage->total, 9);
  EXPECT_FALSE(Parse(R"({"content":"x"})").usage);
}

TEST(ChatCompletionsTest, WhatCannotBeGuessedIsAnError) {
  std::set<std::string> used;
  EXPECT_EQ(ParseChatAnswer("<html>", used).error(), "the answer is not a JSON object");
  EXPECT_EQ(ParseChatAnswer(R"({"choices":[]})", used).error(), "the answer has no choices with a message");
  EXPECT_EQ(ParseChatAnswer(R"({"error":{"message":"no such model"},"choices":[{"message":{}}]})", used).error(),
            "no such model");
  EXPECT_EQ(ParseChatAnswer(R"({"choices":[{"message":{"function_call":{"name":"x"}}}]})", used).error(),
            "the server uses the legacy function_call; awf needs tool_calls");
}

TEST(ChatCompletionsTest, ErrorTextIsFoundAndCut) {
  EXPECT_EQ(ChatErrorText(R"({"error":{"message":"m"}})"), "m");
  EXPECT_EQ(ChatErrorText(R"({"error":"e"})"), "e");
  EXPECT_EQ(ChatErrorText("plain"), "plain");
  std::string umlauts;
  for (int i = 0; i < 600; ++i) umlauts += "\xC3\xA4";
  EXPECT_EQ(ChatErrorText(umlauts).size(), 1000U);
}

}  // namespace
}  // namespace awf::agents
