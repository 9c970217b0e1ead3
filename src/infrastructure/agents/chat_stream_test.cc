#include "infrastructure/agents/chat_stream.h"

#include <gtest/gtest.h>

#include <vector>

#include "domain/parse_json.h"

namespace awf::agents {
namespace {

// What a stream gave: the text that was told live, and the answer or the fault.
struct Told {
  std::string live;
  std::expected<ChatAnswer, ChatFault> answer;
  bool over = false, told = false;
};

Told Read(const std::vector<std::string_view>& pieces, std::set<std::string> used = {}) {
  Told result{{}, ChatAnswer(), false, false};
  ChatStream stream([&](std::string_view text) { result.live += text; });
  for (const std::string_view piece : pieces) {
    if (!stream.Append(piece)) break;
  }
  result.over = stream.over();
  result.answer = stream.Finish(used);
  result.told = stream.told();
  return result;
}

std::string Chunk(std::string_view delta, std::string_view finish_reason = "null") {
  return R"(data: {"id":"c","choices":[{"index":0,"delta":)" + std::string(delta) + R"(,"finish_reason":)" +
         std::string(finish_reason) + "}],\"usage\":null}\n\n";
}
std::string Calls(std::string_view calls) { return Chunk(R"({"tool_calls":[)" + std::string(calls) + "]}"); }
const std::string kStop = Chunk("{}", R"("stop")");
const std::string kDone = "data: [DONE]\n\n";

std::string Show(const ChatAnswer& answer) {
  std::string text = answer.text;
  for (const ChatCall& call : answer.calls) {
    text += " | " + call.id + " " + call.name + " " +
            (call.arguments ? json::serialize(*call.arguments) : call.arguments.error());
  }
  return text + " | " + answer.finish_reason;
}

struct Case {
  std::string name, stream, shown;
};

std::vector<Case> Answers() {
  return {
      {"text",
       Chunk(R"({"role":"assistant","content":""})") + Chunk(R"({"content":"he"})") +
           Chunk(R"({"content":"llo \u00e4"})") + kStop + kDone,
       "hello \xC3\xA4 | stop"},
      {"null members",
       Chunk(R"({"role":null,"content":null,"tool_calls":null,"function_call":null})") +
           Chunk(R"({"content":"a","refusal":null})") + kStop + kDone,
       "a | stop"},
      {"content as parts", Chunk(R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]})") + kStop,
       "ab | stop"},
      {"reasoning is no output",
       Chunk(R"({"reasoning_content":"hm"})") + Chunk(R"({"reasoning":"hm"})") + Chunk(R"({"content":"a"})") + kStop +
           kDone,
       "a | stop"},
      {"without [DONE]", Chunk(R"({"content":"a"})") + kStop, "a | stop"},
      {"without finish_reason", Chunk(R"({"content":"a"})") + kDone, "a | "},
      {"[DONE] without a line end", Chunk(R"({"content":"a"})") + "data: [DONE]", "a | "},
      {"nothing counts after [DONE]", Chunk(R"({"content":"a"})") + kDone + Chunk(R"({"content":"b"})"), "a | "},
      {"comments and empty events",
       ": OPENROUTER PROCESSING\n\ndata:\n\n" + Chunk(R"({"content":"a"})") + ": hi\n\n" + kStop + kDone, "a | stop"},
      {"no empty lines",
       "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n"
       "data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\ndata: [DONE]\n",
       "ab | "},
      {"an event over several lines", "data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"a\"}}]}\n\n" + kDone,
       "a | "},
      {"other choices",
       R"(data: {"choices":[{"index":1,"delta":{"content":"b"}},{"index":0,"delta":{"content":"a"}}]})"
       "\n\n" +
           kStop + kDone,
       "a | stop"},
      {"whole message in a chunk",
       "data: {\"choices\":[{\"message\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n", "a | stop"},
      {"refusal", Chunk(R"({"refusal":"I "})") + Chunk(R"({"refusal":"won't"})") + kStop + kDone, "I won't | stop"},
      {"arguments in pieces",
       Calls(R"({"index":0,"id":"x","type":"function","function":{"name":"Read","arguments":""}})") +
           Calls(R"({"index":0,"function":{"arguments":"{\"path\":"}})") +
           Calls(R"({"index":0,"function":{"arguments":"\"a\"}"}})") + Chunk("{}", R"("tool_calls")") + kDone,
       R"( | x Read {"path":"a"} | tool_calls)"},
      {"two calls, interleaved",
       Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{\"a\""}})") +
           Calls(R"({"index":1,"id":"y","function":{"name":"B","arguments":"{\"b\""}})") +
           Calls(R"({"index":0,"function":{"arguments":":1}"}},)"
                 R"({"index":1,"function":{"arguments":":2}"}})") +
           kStop + kDone,
       R"( | x A {"a":1} | y B {"b":2} | stop)"},
      {"no index: the last goes on",
       Calls(R"({"id":"x","function":{"name":"A","arguments":"{\"a\""}})") +
           Calls(R"({"function":{"arguments":":1}"}})") +
           Calls(R"({"id":"y","function":{"name":"A","arguments":"{}"}})") + kStop,
       R"( | x A {"a":1} | y A {} | stop)"},
      {"index only at first",
       Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{\"a\""}})") +
           Calls(R"({"function":{"arguments":":1}"}})") + kStop,
       R"( | x A {"a":1} | stop)"},
      {"name and id in every chunk",
       Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{\"a\""}})") +
           Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":":1}"}})") +
           Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":""}})") + kStop,
       R"( | x A {"a":1} | stop)"},
      {"null and empty ids",
       Calls(R"({"index":0,"id":null,"function":{"name":"A","arguments":"{\"a\""}})") +
           Calls(R"({"index":0,"id":"","function":{"name":null,"arguments":":1}"}})") + kStop,
       R"( | call_1 A {"a":1} | stop)"},
      {"index 0 for every call, new ids",
       Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{\"a\":1}"}},)"
             R"({"index":0,"id":"y","function":{"name":"A","arguments":"{\"a\":2}"}})") +
           kStop + kDone,
       R"( | x A {"a":1} | y A {"a":2} | stop)"},
      {"index 0 for every call, no ids",
       Calls(R"({"index":0,"function":{"name":"A","arguments":"{\"a\":\"}{\"}"}})") +
           Calls(R"({"index":0,"function":{"name":"A","arguments":"{\"a\":2}"}})") + kStop,
       R"( | call_1 A {"a":"}{"} | call_2 A {"a":2} | stop)"},
      {"calls without index, ids and arguments",
       Calls(R"({"function":{"name":"A"}},{"function":{"name":"B"}})") + kStop,
       R"( | call_1 A {} | call_2 B {} | stop)"},
      {"arguments as objects",
       Calls(R"({"index":0,"function":{"name":"A","arguments":{"a":1}}})") +
           Calls(R"({"index":0,"function":{"name":"A","arguments":{"a":2}}})") + kStop,
       R"( | call_1 A {"a":1} | call_2 A {"a":2} | stop)"},
      {"a new id without a name is the same call",
       Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{"}})") +
           Calls(R"({"index":0,"id":"y","function":{"arguments":"}"}})") + kStop,
       R"( | x A {} | stop)"},
      {"text and calls",
       Chunk(R"({"content":"look"})") + Calls(R"({"index":0,"id":"x","function":{"name":"A"}})") + kStop,
       R"(look | x A {} | stop)"},
      {"a call in every chunk",
       Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{\"a\":1}"}})") +
           Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{\"a\":1}"}})") + kStop,
       R"( | x A {"a":1} | stop)"},
      {"a call again, without its name",
       Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{\"a\":1}"}})") +
           Calls(R"({"index":0,"id":"x","function":{"arguments":"{\"a\":1}"}})") + kStop,
       R"( | x A {"a":1} | stop)"},
      {"a call again, without index",
       Calls(R"({"id":"x","function":{"name":"A","arguments":"{\"a\":1}"}},)"
             R"({"id":"y","function":{"name":"A","arguments":"{\"a\":1}"}})") +
           Calls(R"({"id":"x","function":{"name":"A","arguments":"{\"a\": 1}"}})") + kStop,
       R"( | x A {"a":1} | y A {"a":1} | stop)"},
      {"fragments, then the whole call",
       Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{\"a\""}})") +
           Calls(R"({"index":0,"function":{"arguments":":1}"}})") +
           Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{\"a\":1}"}})") + kStop,
       R"( | x A {"a":1} | stop)"},
      {"the fragments twice",
       Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{\"a\""}})") +
           Calls(R"({"index":0,"function":{"arguments":":1}"}})") +
           Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{\"a\""}})") +
           Calls(R"({"index":0,"function":{"arguments":":1}"}})") + kStop,
       R"( | x A {"a":1} | stop)"},
      {"some fragments, then the whole call",
       Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{\"a\""}})") +
           Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{\"a\":1}"}})") + kStop,
       R"( | x A {"a":1} | stop)"},
      {"an object that holds its like is no repetition",
       Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{\"a\":"}})") +
           Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{\"a\":1}"}})") +
           Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"}"}})") + kStop,
       R"( | x A {"a":{"a":1}} | stop)"},
      {"one id, other arguments: two calls",
       Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{\"a\":1}"}})") +
           Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{\"a\":2}"}})") + kStop,
       R"( | x A {"a":1} | x_2 A {"a":2} | stop)"},
      {"new ids, equal arguments: two calls",
       Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{}"}})") +
           Calls(R"({"index":0,"id":"y","function":{"name":"A","arguments":"{}"}})") + kStop,
       " | x A {} | y A {} | stop"},
      {"a known id without index",
       Calls(R"({"id":"x","function":{"name":"A","arguments":"{\"a\""}},)"
             R"({"id":"y","function":{"name":"B","arguments":"{\"b\""}})") +
           Calls(R"({"id":"x","function":{"arguments":":1}"}},{"id":"y","function":{"arguments":":2}"}})") + kStop,
       R"( | x A {"a":1} | y B {"b":2} | stop)"},
      {"deltas, then the whole message",
       Chunk(R"({"content":"he"})") + Chunk(R"({"content":"llo"})") +
           Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{\"a\":1}"}})") +
           R"(data: {"choices":[{"message":{"role":"assistant","content":"hello","tool_calls":[{"id":"x","type":)"
           R"("function","function":{"name":"A","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}]})"
           "\n\n",
       R"(hello | x A {"a":1} | tool_calls)"},
      {"deltas, then another message",
       Chunk(R"({"content":"hello"})") + "data: {\"choices\":[{\"delta\":{},\"message\":{\"content\":\"bye\"}}]}\n\n" +
           kStop,
       "hello | stop"},
      {"deltas, then a message with more",
       Chunk(R"({"role":"assistant","content":""})") +
           "data: {\"choices\":[{\"message\":{\"content\":\"hello\"},\"finish_reason\":\"stop\"}]}\n\n",
       "hello | stop"},
      {"one JSON object instead of a stream",
       "\n "
       R"({"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]})",
       "a | stop"},
  };
}

TEST(ChatStreamTest, Answers) {
  for (const Case& test : Answers()) {
    const std::string_view stream = test.stream;
    const Told whole = Read({stream});
    ASSERT_TRUE(whole.answer) << test.name << ": " << whole.answer.error().message;
    EXPECT_EQ(Show(*whole.answer), test.shown) << test.name;
    EXPECT_EQ(whole.told, !whole.live.empty()) << test.name;
    // Cut in two at every byte.
    for (std::size_t cut = 1; cut < stream.size(); ++cut) {
      const Told told = Read({stream.substr(0, cut), stream.substr(cut)});
      ASSERT_TRUE(told.answer) << test.name << " cut at " << cut;
      ASSERT_EQ(Show(*told.answer), test.shown) << test.name << " cut at " << cut;
      ASSERT_EQ(told.live, whole.live) << test.name << " cut at " << cut;
    }
  }
}

TEST(ChatStreamTest, MessageThatGoesBackIsThatOfAWholeAnswer) {
  const Told told =
      Read({Chunk(R"({"role":"assistant","content":null,"reasoning":"a"})"), Chunk(R"({"reasoning":"b"})"),
            Calls(R"({"index":0,"id":"x","type":"function","function":{"name":"A","arguments":"{\"a\""},)"
                  R"("extra_content":{"s":1}})"),
            Calls(R"({"index":0,"function":{"arguments":":1}"}})"), kStop});
  ASSERT_TRUE(told.answer) << told.answer.error().message;
  EXPECT_EQ(json::serialize(told.answer->message),
            R"({"role":"assistant","content":null,"tool_calls":[{"type":"function","extra_content":{"s":1},"id":"x",)"
            R"("function":{"name":"A","arguments":"{\"a\":1}"}}]})");
  EXPECT_EQ(told.answer->reasoning, "ab");
  EXPECT_FALSE(told.told);
}

TEST(ChatStreamTest, IdsAreUniqueInTheConversation) {
  const Told told = Read({Calls(R"({"index":0,"id":"x","function":{"name":"A"}})"), kStop}, {"x"});
  ASSERT_TRUE(told.answer);
  EXPECT_EQ(Show(*told.answer), " | x_2 A {} | stop");
}

TEST(ChatStreamTest, UsageComesInAnyChunk) {
  const std::string usage = R"("usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9})";
  for (const std::string& stream : {
           Chunk(R"({"content":"a"})") + kStop + "data: {\"choices\":[]," + usage + "}\n\n" + kDone,
           Chunk(R"({"content":"a"})") + "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]," + usage +
               "}\n\n" + kDone,
           "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"usage\":{\"prompt_tokens\":7}}\n\n" + kStop +
               "data: {" + usage + "}\n\n" + kDone,
           "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"," + usage + "}]}\n\n" + kDone,
       }) {
    const Told told = Read({stream});
    ASSERT_TRUE(told.answer && told.answer->usage) << stream;
    EXPECT_EQ(told.answer->usage->total, 9) << stream;
    EXPECT_EQ(told.answer->text, "a");
  }
  EXPECT_FALSE(Read({kStop}).answer->usage);
}

TEST(ChatStreamTest, WhatEndsTooEarlyIsCut) {
  const std::string text = Chunk(R"({"content":"hello"})");
  const std::string call = Calls(R"({"index":0,"id":"x","function":{"name":"A","arguments":"{}"}})");
  const std::string half = text + call + "data: {\"choices\":[{\"de";
  for (const std::string_view stream : std::vector<std::string_view>{": hi\n\n", text, call, half}) {
    const Told told = Read({stream});
    EXPECT_FALSE(told.over) << stream;
    ASSERT_FALSE(told.answer) << stream;
    EXPECT_TRUE(told.answer.error().cut) << stream;
    EXPECT_EQ(told.answer.error().message, "the answer was cut: it has no finish_reason and no [DONE]");
  }
  EXPECT_TRUE(Read({text}).told);
  EXPECT_FALSE(Read({call}).told);
}

TEST(ChatStreamTest, Faults) {
  const struct {
    std::string_view stream, message;
    bool over;
  } cases[] = {
      {"data: {\"error\":{\"message\":\"overloaded\",\"code\":502}}\n\n", "overloaded", true},
      {"event: error\ndata: {\"object\":\"error\",\"message\":\"boom\",\"code\":500}\n\n", "boom", true},
      {"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"error\":\"late\"}\n\ndata: [DONE]\n\n",
       "late", true},
      {"data: hello\n\ndata: [DONE]\n\n", "an event of the answer is not a JSON object", true},
      {"data: [1]\n\n", "an event of the answer is not a JSON object", true},
      {"data: [DONE]\n\n", "the answer has no choices with a message", true},
      {"data: {\"choices\":[]}\n\ndata: [DONE]\n\n", "the answer has no choices with a message", true},
      {"data: {\"choices\":[{\"delta\":{\"function_call\":{\"name\":\"A\"}},\"finish_reason\":\"function_call\"}]}\n\n",
       "the server uses the legacy function_call; awf needs tool_calls", true},
      {"<html>\n<p>data: no</p>\n</html>", "the answer is neither a JSON object nor an event stream", false},
      {"{\"error\":{\"message\":\"no such model\"}}", "no such model", false},
      {"{\"choices\":", "the answer is not a JSON object", false},
      {"", "the answer is empty", false},
      {" \n", "the answer is empty", false},
      {"error: {\"code\":500,\"message\":\"out of memory\"}\n\n", "out of memory", true},
      {"event: error\ndata: upstream is gone\n\n", "upstream is gone", true},
      {"data: upstream is gone\nevent: error\n\n", "upstream is gone", true},
      {"event: error\ndata:\n\n", "the server sent an error without words", true},
      {"event: ping\ndata: {\"detail\":\"no such user\"}\n\n", "no such user", true},
      {"data: {\"message\":\"quota is used up\"}\n\n", "quota is used up", true},
      {"data: [{\"error\":{\"message\":\"listed\"}}]\n\n", "listed", true},
      {"[{\"error\":{\"message\":\"listed\"}}]", "listed", false},
      {"{\"detail\":\"no such user\"}", "no such user", false},
  };
  for (const auto& test : cases) {
    const Told told = Read({test.stream});
    ASSERT_FALSE(told.answer) << test.stream;
    EXPECT_EQ(told.answer.error().message, test.message) << test.stream;
    EXPECT_FALSE(told.answer.error().cut) << test.stream;
    EXPECT_EQ(told.over, test.over) << test.stream;
  }
  EXPECT_EQ(Read({cases[0].stream}).answer.error().status, 502);
}

TEST(ChatStreamTest, BlanksBeforeTheFirstEventDoNotMatter) {
  for (const auto& pieces : {std::vector<std::string_view>{"\t data: [DONE]\n\n"}, {"\t", " ", "data: [DONE]\n\n"}}) {
    EXPECT_EQ(Read(pieces).answer.error().message, "the answer has no choices with a message");
  }
}

TEST(ChatStreamTest, AppendTellsThatTheRestIsNotWanted) {
  ChatStream stream([](std::string_view) {});
  EXPECT_TRUE(stream.Append(Chunk(R"({"content":"a"})")));
  EXPECT_TRUE(stream.Append(kStop));
  EXPECT_FALSE(stream.Append(kDone));
  ChatStream spoilt([](std::string_view) {});
  EXPECT_FALSE(spoilt.Append("data: {\"error\":\"x\"}\n\n"));
}

TEST(ChatStreamTest, AnswersAreBounded) {
  for (const std::string_view begin : {"data: ", "{"}) {
    ChatStream stream([](std::string_view) {}, 100);
    EXPECT_TRUE(stream.Append(begin));
    EXPECT_FALSE(stream.Append(std::string(101, ' ')));
    std::set<std::string> used;
    EXPECT_TRUE(stream.Finish(used).error().message.ends_with("too large"));
  }
}

}  // namespace
}  // namespace awf::agents
