#include "infrastructure/agents/chat_endpoint.h"

#include <gtest/gtest.h>

#include <thread>

#include "domain/parse_json.h"
#include "infrastructure/agents/test_chat_server.h"
#include "infrastructure/agents/test_observer.h"

namespace awf::agents {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const std::string kWhole = R"({"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}]})";
const std::string kDone = "data: [DONE]\n\n";

std::string Text(std::string_view text) {
  return R"(data: {"choices":[{"index":0,"delta":{"content":")" + std::string(text) + "\"}}]}\n\n";
}
std::string ErrorBody(std::string_view message) { return R"({"error":{"message":")" + std::string(message) + "\"}}"; }
RawAnswer Cut(RawAnswer answer) {
  answer.head += "Content-Length: 100000\r\n";
  return answer;
}

class ChatEndpointTest : public testing::Test {
 protected:
  void SetUp() override {
    step_.step.step = "s";
    step_.provider_as_written = "openai_compatible";
    step_.deadline = SteadyClock::now() + seconds(60);
    settings_.model = "m";
    settings_.key = "sk-very-secret-key";
    settings_.first_retry = milliseconds(1);
    masker_.AddSecret(settings_.key);
  }

  std::expected<ChatAnswer, Error> Ask(TestChatServer& server) {
    settings_.url = server.base_url() + "/chat/completions";
    ChatEndpoint endpoint(settings_, step_, observer_, masker_);
    std::set<std::string> used;
    return endpoint.Ask({{"model", "m"}}, used);
  }
  static json::object Body(const std::string& request) {
    return ParseJson(std::string_view(request).substr(request.find("\r\n\r\n") + 4)).value().as_object();
  }

  ChatEndpoint::Settings settings_;
  AgentRequest step_;
  TestObserver observer_;
  Masker masker_;
};

TEST_F(ChatEndpointTest, StreamIsAskedForAndToldAsItComes) {
  settings_.stream = true;
  TestChatServer server({StreamAnswer({Text("hel"), Text("lo "), Text("you") + kDone})});
  const auto answer = Ask(server);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "hello you");
  EXPECT_TRUE(answer->usage->estimated);
  EXPECT_EQ(observer_.Events(), (std::vector<std::string>{"text hel", "text lo ", "text you"}));
  const std::string request = server.Requests().at(0);
  EXPECT_EQ(json::serialize(Body(request)), R"({"model":"m","stream":true,"stream_options":{"include_usage":true}})");
  EXPECT_NE(request.find("\r\nAccept: text/event-stream, application/json\r\n"), std::string::npos) << request;
}

TEST_F(ChatEndpointTest, WithoutStreamNothingOfItIsSent) {
  TestChatServer server({JsonAnswer(200, kWhole)});
  const auto answer = Ask(server);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "hello");
  EXPECT_EQ(json::serialize(Body(server.Requests().at(0))), R"({"model":"m"})");
  EXPECT_EQ(observer_.Events(), std::vector<std::string>{"text hello"});
}

TEST_F(ChatEndpointTest, OneJsonObjectIsTakenForAStream) {
  settings_.stream = true;
  TestChatServer server({JsonAnswer(200, kWhole)});
  const auto answer = Ask(server);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "hello");
  EXPECT_EQ(observer_.Events(), std::vector<std::string>{"text hello"});
}

TEST_F(ChatEndpointTest, ConnectionThatStaysOpenAfterTheEndIsNotWaitedFor) {
  settings_.stream = true;
  RawAnswer answer = StreamAnswer({Text("a"), kDone});
  answer.hold = true;
  TestChatServer server({answer});
  EXPECT_EQ(Ask(server).value().text, "a");
}

TEST_F(ChatEndpointTest, AfterTheFinishReasonAnOpenConnectionIsNotWaitedForLong) {
  settings_.stream = true;
  settings_.grace = milliseconds(1);
  RawAnswer held = StreamAnswer({"data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n",
                                 "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\n"});
  held.hold = true;
  TestChatServer server({held});
  EXPECT_EQ(Ask(server).value().text, "a");
  EXPECT_FALSE(Passed(step_.deadline));
  EXPECT_EQ(server.Requests().size(), 1U);
}

TEST_F(ChatEndpointTest, EmptyAnswersFailAtOnce) {
  for (const bool stream : {false, true}) {
    settings_.stream = stream;
    for (const RawAnswer& answer : {JsonAnswer(200, ""), RawAnswer{"HTTP/1.1 204 No Content\r\n", {}}}) {
      TestChatServer server({answer});
      EXPECT_EQ(Ask(server).error().message, "m: the answer is empty") << stream;
      EXPECT_EQ(server.Requests().size(), 1U);
    }
  }
}

TEST_F(ChatEndpointTest, CodesInWordsTellWhatWentWrong) {
  const struct {
    std::string_view error, code;
  } cases[] = {
      {R"({"message":"x","code":"rate_limit_exceeded"})", "RATE_LIMITED"},
      {R"({"message":"x","code":"429"})", "RATE_LIMITED"},
      {R"({"message":"x","code":null,"type":"rate_limit_error"})", "RATE_LIMITED"},
      {R"({"message":"x","code":"invalid_api_key","type":"invalid_request_error"})", "AUTH"},
      {R"({"message":"x","code":"401"})", "AUTH"},
      {R"({"message":"x","code":"403"})", "AUTH"},
      {R"({"message":"x","type":"authentication_error"})", "AUTH"},
      {R"({"message":"x","code":"model_not_found","type":"rate_limit_error"})", "FAILED"},
      {R"({"message":"x","code":"429x"})", "FAILED"},
  };
  for (const auto& test : cases) {
    const std::string body = R"({"error":)" + std::string(test.error) + "}";
    settings_.stream = false;
    TestChatServer whole({JsonAnswer(200, body)});
    EXPECT_EQ(Ask(whole).error().code, "EXECUTION.AGENT." + std::string(test.code)) << test.error;
    settings_.stream = true;
    TestChatServer streaming({StreamAnswer({Text("a"), "data: " + body + "\n\n"})});
    EXPECT_EQ(Ask(streaming).error().code, "EXECUTION.AGENT." + std::string(test.code)) << test.error;
    EXPECT_EQ(streaming.Requests().size(), 1U);
  }
}

TEST_F(ChatEndpointTest, AnswersThatAreCutAreAskedForAgain) {
  const RawAnswer good = StreamAnswer({Text("hello"), kDone});
  const struct {
    std::string_view name;
    RawAnswer first;
    std::vector<std::string> events;
  } cases[] = {
      {"closed in order",
       StreamAnswer({Text("hel")}),
       {"text hel", "text \n", R"(log warn the answer was cut and is asked for again {"provider":"openai_compatible"})",
        R"(log info model request retried {"attempt":1,"delay_ms":1,"status":null})", "text hello"}},
      {"connection lost",
       Cut(StreamAnswer({Text("hel")})),
       {"text hel", "text \n", R"(log warn the answer was cut and is asked for again {"provider":"openai_compatible"})",
        R"(log info model request retried {"attempt":1,"delay_ms":1,"status":null})", "text hello"}},
      {"before any text",
       StreamAnswer({": wait\n\n"}),
       {R"(log info model request retried {"attempt":1,"delay_ms":1,"status":null})", "text hello"}},
      {"no answer at all",
       {"", {}},
       {R"(log info model request retried {"attempt":1,"delay_ms":1,"status":null})", "text hello"}},
      {"a JSON object, cut",
       Cut({"HTTP/1.1 200 OK\r\n", {"{\"choices\":"}}),
       {R"(log info model request retried {"attempt":1,"delay_ms":1,"status":null})", "text hello"}},
  };
  settings_.stream = true;
  for (const auto& test : cases) {
    TestObserver observer;
    TestChatServer server({test.first, good});
    settings_.url = server.base_url() + "/chat/completions";
    ChatEndpoint endpoint(settings_, step_, observer, masker_);
    std::set<std::string> used;
    const auto answer = endpoint.Ask({}, used);
    ASSERT_TRUE(answer) << test.name << ": " << answer.error().message;
    EXPECT_EQ(answer->text, "hello") << test.name;
    EXPECT_EQ(observer.Events(), test.events) << test.name;
    EXPECT_EQ(server.Requests().size(), 2U) << test.name;
  }
}

TEST_F(ChatEndpointTest, WhatIsOverCountsAlthoughTheConnectionWasLost) {
  settings_.stream = true;
  TestChatServer server(
      {Cut(StreamAnswer({"data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n"}))});
  const auto answer = Ask(server);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "a");
  EXPECT_EQ(server.Requests().size(), 1U);
}

TEST_F(ChatEndpointTest, CutAnswersEndAfterThreeRetries) {
  settings_.stream = true;
  TestChatServer server({StreamAnswer({Text("hel")})});
  const auto answer = Ask(server);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, "EXECUTION.AGENT.FAILED");
  EXPECT_EQ(answer.error().message, "m: the answer was cut: it has no finish_reason and no [DONE]");
  EXPECT_EQ(server.Requests().size(), 4U);
  EXPECT_EQ(observer_.Count("log warn the answer was cut and is asked for again"), 1);
}

TEST_F(ChatEndpointTest, ServersThatRefuseStreamOptionsAreAskedWithoutThem) {
  settings_.stream = true;
  for (const int status : {400, 422}) {
    TestChatServer server({JsonAnswer(status, ErrorBody("Unrecognized request argument supplied: stream_options")),
                           StreamAnswer({Text("a"), kDone})});
    settings_.url = server.base_url() + "/chat/completions";
    ChatEndpoint endpoint(settings_, step_, observer_, masker_);
    std::set<std::string> used;
    EXPECT_EQ(endpoint.Ask({}, used).value().text, "a");
    EXPECT_EQ(endpoint.Ask({}, used).value().text, "a");
    const auto requests = server.Requests();
    ASSERT_EQ(requests.size(), 3U);  // it is not tried again
    EXPECT_TRUE(Body(requests[0]).contains("stream_options"));
    EXPECT_EQ(json::serialize(Body(requests[1])), R"({"stream":true})");
    EXPECT_EQ(json::serialize(Body(requests[2])), R"({"stream":true})");
  }
  EXPECT_EQ(observer_.Count("log debug the server refuses stream_options; asked again without"), 2);
  EXPECT_EQ(observer_.Count("log info"), 0);
  // Once only.
  TestChatServer server({JsonAnswer(400, ErrorBody("stream_options"))});
  EXPECT_EQ(Ask(server).error().message, "HTTP 400: stream_options");
  EXPECT_EQ(server.Requests().size(), 2U);
}

TEST_F(ChatEndpointTest, Failures) {
  constexpr std::string_view kAuth = "Set OPENAI_API_KEY, or options.api_key from an input or env.";
  constexpr std::string_view kLong =
      "The conversation is longer than the model can read: shorten the prompt, let tools return less, or use a model "
      "that reads more.";
  const struct {
    RawAnswer answer;
    std::string_view code, message, hint;
    std::size_t requests;
  } cases[] = {
      {JsonAnswer(400, ErrorBody("bad")), "FAILED", "HTTP 400: bad", "", 1},
      {JsonAnswer(401, ErrorBody("bad sk-very-secret-key")), "AUTH", "HTTP 401: bad ***", kAuth, 1},
      {JsonAnswer(403, "{\"detail\":\"no\"}"), "AUTH", "HTTP 403: no", kAuth, 1},
      {JsonAnswer(404, "nothing here"), "FAILED", "HTTP 404: nothing here", "", 1},
      {JsonAnswer(409, ""), "FAILED", "HTTP 409", "", 1},
      {JsonAnswer(422, ErrorBody("odd")), "FAILED", "HTTP 422: odd", "", 1},
      {JsonAnswer(408, ErrorBody("late")), "FAILED", "HTTP 408: late", "", 4},
      {JsonAnswer(429, ErrorBody("slow")), "RATE_LIMITED", "HTTP 429: slow", "", 4},
      {JsonAnswer(500, ErrorBody("boom")), "FAILED", "HTTP 500: boom", "", 4},
      {JsonAnswer(503, "<html>"), "FAILED", "HTTP 503: <html>", "", 4},
      {JsonAnswer(429, ErrorBody("slow"), "Retry-After: 120\r\n"), "RATE_LIMITED",
       "HTTP 429: slow; the server asks to wait 120 s", "", 1},
      {JsonAnswer(503, ErrorBody("busy"), "Retry-After: 61\r\n"), "FAILED",
       "HTTP 503: busy; the server asks to wait 61 s", "", 1},
      {JsonAnswer(429, ErrorBody("slow"), "Retry-After: 59\r\n"), "RATE_LIMITED",
       "HTTP 429: slow; the server asks to wait 59 s, and the step has less time left", "", 1},
      {JsonAnswer(429, ErrorBody("slow"), "Retry-After: 99999999999999999999999\r\n"), "RATE_LIMITED",
       "HTTP 429: slow; the server asks to wait 31536000 s", "", 1},
      {JsonAnswer(429, ErrorBody("slow"), "Retry-After: 9223372036854775807\r\n"), "RATE_LIMITED",
       "HTTP 429: slow; the server asks to wait 31536000 s", "", 1},
      {JsonAnswer(400, R"([{"error":{"message":"listed"}}])"), "FAILED", "HTTP 400: listed", "", 1},
      {JsonAnswer(200, R"({"detail":"no such user"})"), "FAILED", "m: no such user", "", 1},
      {JsonAnswer(200, ErrorBody("no such model")), "FAILED", "m: no such model", "", 1},
      {JsonAnswer(200, R"({"error":{"message":"slow","code":429}})"), "RATE_LIMITED", "m: slow", "", 1},
      {JsonAnswer(200, R"({"error":{"message":"who","code":401}})"), "AUTH", "m: who", kAuth, 1},
      {JsonAnswer(200, R"({"choices":[]})"), "FAILED", "m: the answer has no choices with a message", "", 1},
      {JsonAnswer(400, R"({"error":{"message":"too much","code":"context_length_exceeded"}})"), "FAILED",
       "HTTP 400: too much", kLong, 1},
      {JsonAnswer(200, ErrorBody("exceeds the context window")), "FAILED", "m: exceeds the context window", kLong, 1},
  };
  for (const bool stream : {false, true}) {
    settings_.stream = stream;
    for (const auto& test : cases) {
      step_.deadline = SteadyClock::now() + seconds(50);
      TestChatServer server({test.answer});
      const auto answer = Ask(server);
      ASSERT_FALSE(answer) << test.message;
      EXPECT_EQ(answer.error().code, "EXECUTION.AGENT." + std::string(test.code)) << test.message;
      EXPECT_EQ(answer.error().message, test.message) << stream;
      EXPECT_EQ(answer.error().hint, test.hint) << test.message;
      EXPECT_EQ(server.Requests().size(), test.requests) << test.message;
    }
  }
}

TEST_F(ChatEndpointTest, BodiesThatAreNoJson) {
  TestChatServer server({JsonAnswer(200, "<html>")});
  EXPECT_EQ(Ask(server).error().message, "m: the answer is not a JSON object");
  settings_.stream = true;
  EXPECT_EQ(Ask(server).error().message, "m: the answer is neither a JSON object nor an event stream");
  EXPECT_EQ(server.Requests().size(), 2U);
}

TEST_F(ChatEndpointTest, ErrorInMidStreamFailsAtOnce) {
  settings_.stream = true;
  RawAnswer answer = StreamAnswer({Text("hel"), "data: " + ErrorBody("sk-very-secret-key is overloaded") + "\n\n"});
  answer.hold = true;
  TestChatServer server({answer});
  EXPECT_EQ(Ask(server).error().message, "m: *** is overloaded");
  EXPECT_EQ(server.Requests().size(), 1U);
}

TEST_F(ChatEndpointTest, CancelEndsAStreamAndAPause) {
  const struct {
    RawAnswer answer;
    std::string_view event;
    bool stream;
  } cases[] = {
      {StreamAnswer({Text("hel")}), "text hel", true},
      {JsonAnswer(503, ErrorBody("busy")), "log info model request retried", false},
  };
  for (const auto& test : cases) {
    TestObserver observer;
    RawAnswer held = test.answer;
    held.hold = test.stream;
    TestChatServer server({held});
    std::stop_source stop;
    step_.cancelled = stop.get_token();
    settings_.stream = test.stream;
    settings_.first_retry = seconds(20);
    std::jthread canceller([&] {
      while (observer.Count(test.event) == 0) std::this_thread::sleep_for(milliseconds(1));
      stop.request_stop();
    });
    settings_.url = server.base_url() + "/chat/completions";
    ChatEndpoint endpoint(settings_, step_, observer, masker_);
    std::set<std::string> used;
    EXPECT_FALSE(endpoint.Ask({}, used)) << test.event;
    EXPECT_EQ(server.Requests().size(), 1U) << test.event;
  }
}

}  // namespace
}  // namespace awf::agents
