#include "infrastructure/agents/chat_completions.h"

#include <gtest/gtest.h>

namespace awf::agents {
namespace {

ChatAnswer Parse(std::string_view message, std::set<std::string> used = {}) {
  auto answer = ParseChatAnswer(R"({"choices":[{"message":)" + std::string(message) + "}]}", used);
  EXPECT_TRUE(answer) << answer.error().message;
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

TEST(ChatCompletionsTest, MessageForTheRecords) {
  const ChatAnswer answer = Parse(R"({"content":"hi","reasoning":"hm","tool_calls":[
      {"id":"a","function":{"name":"Read","arguments":"{ \"path\": \"x\" }"}},
      {"id":"b","function":{"name":"Read","arguments":"{oops"}},
      {"id":"c","function":{"name":"Read","arguments":7}}]})");
  std::string text;
  for (const MessageBlock& block : ToAgentMessage(answer).blocks) {
    text += block.type + "|" + block.name + "|" + block.call_id + "|" + block.text + "\n";
  }
  EXPECT_EQ(text,
            "thinking|||hm\ntext|||hi\ntool_use|Read|a|{\"path\":\"x\"}\ntool_use|Read|b|{oops\n"
            "tool_use|Read|c|7\n");
  EXPECT_EQ(ToAgentMessage(answer).role, MessageRole::kAssistant);
}

TEST(ChatCompletionsTest, CallsGoBackAsTheyCameWithTheirIds) {
  const ChatAnswer answer = Parse(R"({"content":null,"tool_calls":[
      {"function":{"name":"Read","arguments":{"path":"y"}},"extra_content":{"google":{"thought_signature":"s"}}}]})");
  EXPECT_EQ(json::serialize(answer.message),
            R"({"role":"assistant","content":null,"tool_calls":[{"function":{"name":"Read","arguments":{"path":"y"}},)"
            R"("extra_content":{"google":{"thought_signature":"s"}},"id":"call_1","type":"function"}]})");
}

TEST(ChatCompletionsTest, RefusalIsTheTextWhereThereIsNoOther) {
  EXPECT_EQ(Parse(R"({"content":null,"refusal":"I cannot"})").text, "I cannot");
  EXPECT_EQ(Parse(R"({"content":"hi","refusal":"no"})").text, "hi");
}

TEST(ChatCompletionsTest, Usage) {
  const struct {
    std::string_view usage;
    std::int64_t input, output, total, cached, reasoning;
  } cases[] = {
      {R"({"prompt_tokens":7,"completion_tokens":2})", 7, 2, 9, 0, 0},
      {R"({"prompt_tokens":7,"completion_tokens":2,"total_tokens":12})", 7, 2, 12, 0, 0},
      {R"({"prompt_tokens":7,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4},
           "completion_tokens_details":{"reasoning_tokens":1}})",
       7, 2, 9, 4, 1},
      {R"({"prompt_tokens":7,"completion_tokens":2,"prompt_tokens_details":null,"cached_tokens":4,
           "reasoning_tokens":1})",
       7, 2, 9, 4, 1},
      {R"({"prompt_tokens":7,"completion_tokens":null,"total_tokens":-3,"cached_tokens":-1,"reasoning_tokens":0.5})", 7,
       0, 7, 0, 0},
  };
  for (const auto& test : cases) {
    std::set<std::string> used;
    const auto answer =
        ParseChatAnswer(R"({"choices":[{"message":{}}],"usage":)" + std::string(test.usage) + "}", used);
    ASSERT_TRUE(answer && answer->usage) << test.usage;
    EXPECT_EQ(answer->usage->input, test.input) << test.usage;
    EXPECT_EQ(answer->usage->output, test.output) << test.usage;
    EXPECT_EQ(answer->usage->total, test.total) << test.usage;
    EXPECT_EQ(answer->usage->cached, test.cached) << test.usage;
    EXPECT_EQ(answer->usage->reasoning, test.reasoning) << test.usage;
  }
  EXPECT_FALSE(Parse(R"({"content":"x"})").usage);
  for (const std::string_view usage :
       {R"({"prompt_tokens":"7"})", R"({"prompt_tokens":-7,"completion_tokens":2})",
        R"({"prompt_tokens":7,"completion_tokens":-2,"total_tokens":5})", R"({"prompt_tokens":7.5})",
        R"({"prompt_tokens":1e300})", R"({"prompt_tokens":9223372036854775807})", "{}", R"({"total_tokens":-1})"}) {
    std::set<std::string> used;
    const auto answer = ParseChatAnswer(R"({"choices":[{"message":{}}],"usage":)" + std::string(usage) + "}", used);
    ASSERT_TRUE(answer) << usage;
    EXPECT_FALSE(answer->usage) << usage;
  }
}

TEST(ChatCompletionsTest, WhatCannotBeGuessedIsAnError) {
  const struct {
    std::string_view body, message;
  } cases[] = {
      {"<html>", "the answer is not a JSON object"},
      {"[]", "the answer is not a JSON object"},
      {"", "the answer is empty"},
      {R"({"detail":"no such user"})", "no such user"},
      {R"({"message":"quota is used up"})", "quota is used up"},
      {R"([{"error":{"message":"listed"}}])", "listed"},
      {R"({"choices":[]})", "the answer has no choices with a message"},
      {R"({"choices":[{}]})", "the answer has no choices with a message"},
      {R"({"error":{"message":"no such model"},"choices":[{"message":{}}]})", "no such model"},
      {R"({"error":"no such model"})", "no such model"},
      {R"({"choices":[{"message":{"function_call":{"name":"x"}}}]})",
       "the server uses the legacy function_call; awf needs tool_calls"},
  };
  for (const auto& test : cases) {
    std::set<std::string> used;
    const auto answer = ParseChatAnswer(test.body, used);
    ASSERT_FALSE(answer) << test.body;
    EXPECT_EQ(answer.error().message, test.message);
    EXPECT_FALSE(answer.error().cut);
  }
}

TEST(ChatCompletionsTest, FunctionCallBesideToolCallsIsPassedOver) {
  EXPECT_EQ(Parse(R"({"function_call":{},"tool_calls":[{"function":{"name":"A"}}]})").calls.size(), 1U);
}

TEST(ChatCompletionsTest, FaultsOfServers) {
  const struct {
    std::string_view body, message;
    long status;
    bool context_length;
  } cases[] = {
      {R"({"error":{"message":"m"}})", "m", 0, false},
      {R"({"error":{"message":"m","code":429}})", "m", 429, false},
      {R"({"error":"e"})", "e", 0, false},
      {R"({"message":"m"})", "m", 0, false},
      {R"({"detail":"d"})", "d", 0, false},
      {R"({"detail":[{"loc":["body"]}]})", R"({"detail":[{"loc":["body"]}]})", 0, false},
      {"plain", "plain", 0, false},
      {"", "", 0, false},
      {R"({"error":{"message":"m","code":"context_length_exceeded"}})", "m", 0, true},
      {R"({"error":{"message":"m","type":"exceed_context_size_error","code":400}})", "m", 400, true},
      {R"({"error":{"message":"This model's Maximum Context Length is 8192 tokens."}})",
       "This model's Maximum Context Length is 8192 tokens.", 0, true},
      {R"({"error":"the request exceeds the available context size"})",
       "the request exceeds the available context size", 0, true},
      {R"({"message":"prompt is too long: 9 tokens > 8 maximum"})", "prompt is too long: 9 tokens > 8 maximum", 0,
       true},
  };
  for (const auto& test : cases) {
    const ChatFault fault = ParseChatFault(test.body);
    EXPECT_EQ(fault.message, test.message) << test.body;
    EXPECT_EQ(fault.status, test.status) << test.body;
    EXPECT_EQ(fault.context_length, test.context_length) << test.body;
  }
}

TEST(ChatCompletionsTest, FaultIsMaskedBeforeItIsCut) {
  Masker masker;
  masker.AddSecret("sk-very-secret-key");
  std::string text;
  for (int i = 0; i < 495; ++i) text += "\xC3\xA4";
  const std::string shown = ShownChatFault(ParseChatFault(text + "sk-very-secret-key and more"), masker);
  EXPECT_EQ(shown, text + "*** a");
}

}  // namespace
}  // namespace awf::agents
