// What a step of OpenAiCompatible tells beside its result: streamed text, the conversation, tokens, trace context.
#include <gtest/gtest.h>

#include <thread>

#include "infrastructure/agents/test_chat_server.h"
#include "infrastructure/agents/test_openai_step.h"

namespace awf::agents {
namespace {

using model_server::ModelReply;
using model_server::ModelRequest;
using model_server::ScriptedModel;

TEST_F(OpenAiCompatibleTest, StreamsTextAndCalls) {
  request_.options["stream"] = true;
  Script({{"let me", {{"Look", {{"at", "a"}}}, {"Look", {{"at", "b"}}}}}, {"all done", {}}});
  const StepResult result = Run();
  EXPECT_EQ(result.end.status, StepStatus::kSuccess) << result.end.error->message;
  EXPECT_EQ(result.output, "all done");
  EXPECT_EQ(result.end.tool_calls, 2);
  EXPECT_FALSE(result.end.usage.estimated);
  EXPECT_GT(result.end.usage.total, 0);
  EXPECT_TRUE(observer_.Has("text let ") && observer_.Has("text me") && observer_.Has("text done")) << observer_.All();
  EXPECT_EQ(SentBody(0).at("stream"), json::value(true));
  EXPECT_EQ(json::serialize(SentBody(1).at("messages").at(1)),
            R"({"role":"assistant","content":"let me","tool_calls":[{"type":"function","id":"call_1_1","function":)"
            R"({"name":"Look","arguments":"{\"at\":\"a\"}"}},{"type":"function","id":"call_1_2","function":)"
            R"({"name":"Look","arguments":"{\"at\":\"b\"}"}}]})");
}

TEST_F(OpenAiCompatibleTest, CallThatTheStreamSendsTwiceRunsOnce) {
  const std::string call =
      R"("tool_calls":[{"index":0,"id":"x","function":{"name":"Change","arguments":"{\"at\":\"a\"}"}}]})";
  const auto event = [](const std::string& choice) { return "data: {\"choices\":[{" + choice + "}]}\n\n"; };
  const std::string end = event(R"("delta":{},"finish_reason":"tool_calls")");
  request_.options["stream"] = true;
  for (const std::string& again : {event("\"delta\":{" + call), event("\"message\":{\"content\":null," + call)}) {
    Replies({{200, {}, event("\"delta\":{" + call) + again + end}, Says({{"content", "done"}})});
    const StepResult result = Run();
    EXPECT_EQ(result.output, "done");
    EXPECT_EQ(result.end.tool_calls, 1) << again;
  }
  EXPECT_EQ(observer_.Count("call Change"), 2);  // once in each step
}

TEST_F(OpenAiCompatibleTest, ConversationIsTold) {
  request_.system_prompt = "be kind";
  const json::object call{{"id", "x"}, {"function", json::object{{"name", "Look"}, {"arguments", R"({ "at": "a" })"}}}};
  Replies({Says({{"content", "let me"}, {"reasoning_content", "hm"}, {"tool_calls", json::array{call}}}),
           Says({{"content", "done"}})});
  EXPECT_EQ(Run().output, "done");
  // Results of tools come as ends of calls.
  EXPECT_EQ(observer_.Messages(),
            (std::vector<std::string>{"system [text] be kind", "user [text] go",
                                      R"(assistant [thinking] hm [text] let me [tool_use Look x] {"at":"a"})",
                                      "assistant [text] done"}));
}

TEST_F(OpenAiCompatibleTest, UsageIsSummedOverAllRequests) {
  const auto with_usage = [](ModelReply reply, int input, int output) {
    reply.body.as_object()["usage"] =
        json::object{{"prompt_tokens", input},
                     {"completion_tokens", output},
                     {"prompt_tokens_details", json::object{{"cached_tokens", 3}}},
                     {"completion_tokens_details", json::object{{"reasoning_tokens", 2}}}};
    return reply;
  };
  const json::object call{{"function", json::object{{"name", "Look"}, {"arguments", R"({"at":"a"})"}}}};
  Replies(
      {with_usage(Says({{"tool_calls", json::array{call}}}), 10, 5), with_usage(Says({{"content", "done"}}), 20, 7)});
  const TokenUsage usage = Run().end.usage;
  EXPECT_EQ(usage.input, 30);
  EXPECT_EQ(usage.output, 12);
  EXPECT_EQ(usage.total, 42);
  EXPECT_EQ(usage.cached, 6);
  EXPECT_EQ(usage.reasoning, 4);
  EXPECT_FALSE(usage.estimated);
  EXPECT_EQ(observer_.usage().total, 42);
}

TEST_F(OpenAiCompatibleTest, TraceContextIsSentOnlyWhereItWasAskedFor) {
  const TestChatServer server({JsonAnswer(200, R"({"choices":[{"message":{"content":"a"}}]})")});
  request_.options["base_url"] = server.base_url();
  request_.options["model"] = "m";
  request_.step.trace_id = "0af7651916cd43dd8448eb211c80319c";
  request_.step.span_id = "b7ad6b7169203331";
  const struct {
    Tracing tracing;
    std::string_view parent, state;
  } cases[] = {
      {{}, "", ""},
      {{.spans = true, .trace_state = "v=1"}, "", ""},
      {{.spans = false, .trace_state = "v=1", .propagate_http = true}, "", ""},
      {{.spans = true, .trace_state = "", .propagate_http = true},
       "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
       ""},
      {{.spans = true, .sampled = false, .trace_state = "v=1", .propagate_http = true},
       "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
       "v=1"},
  };
  for (const auto& test : cases) {
    settings_.tracing = test.tracing;
    EXPECT_EQ(Run().output, "a");
    const std::string request = server.Requests().back();
    const auto header = [&](std::string_view name) -> std::string_view {
      const std::string line = "\r\n" + std::string(name) + ": ";
      const std::size_t at = request.find(line);
      if (at == std::string::npos) return {};
      const std::size_t begin = at + line.size();
      return std::string_view(request).substr(begin, request.find("\r\n", begin) - begin);
    };
    EXPECT_EQ(header("traceparent"), test.parent);
    EXPECT_EQ(header("tracestate"), test.state);
  }
}

TEST_F(OpenAiCompatibleTest, CallsCountWhateverTheFinishReasonSays) {
  const json::object call{{"function", json::object{{"name", "Look"}, {"arguments", json::object{{"at", "a"}}}}}};
  for (const std::string_view reason : {"stop", "length", "tool_calls", "", "new"}) {
    Replies({Says({{"tool_calls", json::array{call}}}, reason), Says({{"content", "done"}})});
    const StepResult result = Run();
    EXPECT_EQ(result.output, "done") << reason;
    EXPECT_EQ(result.end.tool_calls, 1) << reason;
    EXPECT_EQ(SentBody(1).at("messages").at(2).at("content"), json::value("saw a")) << reason;
  }
}

TEST_F(OpenAiCompatibleTest, CallsOfToolsThatWereNotOffered) {
  request_.proxy.reset();
  const json::object call{{"function", json::object{{"name", "Look"}, {"arguments", "{}"}}}};
  Replies({Says({{"content", "text"}, {"tool_calls", json::array{call}}}, "tool_calls")});
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.MCP_PROXY.LOOP_GUARD");
  EXPECT_EQ(result.end.error->message, "m called tools, and none were offered");
  EXPECT_EQ(server_->requests().size(), 1U);
}

TEST_F(OpenAiCompatibleTest, CancelEndsAStream) {
  RawAnswer answer = StreamAnswer({"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"});
  answer.hold = true;
  const TestChatServer server({answer});
  request_.options = {{"base_url", server.base_url()}, {"model", "m"}, {"stream", true}};
  std::stop_source stop;
  request_.cancelled = stop.get_token();
  std::jthread canceller([&] {
    while (!observer_.Has("text a")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop.request_stop();
  });
  const StepResult result = Run();
  EXPECT_EQ(result.end.status, StepStatus::kCancelled);
  EXPECT_EQ(Code(result), "EXECUTION.RUN.CANCELLED");
}

// Answers with the prompt, in a stream.
class Echo final : public ScriptedModel {
 public:
  ModelReply Answer(const ModelRequest& request) override {
    const json::value& said = request.body.at("messages").at(0).at("content");
    const json::object delta{{"choices", json::array{json::object{{"delta", json::object{{"content", said}}}}}}};
    return {200, {}, "data: " + json::serialize(delta) + "\n\ndata: [DONE]\n\n"};
  }
};

TEST_F(OpenAiCompatibleTest, ParallelStepsShareNothing) {
  Serve(std::make_unique<Echo>());
  request_.options["stream"] = true;
  const OpenAiCompatible provider(
      settings_, [&](const AgentRequest&, RunObserver&) { return std::vector<std::shared_ptr<ToolProvider>>{tools_}; });
  std::vector<std::jthread> steps;
  for (int i = 0; i < 8; ++i) {
    steps.emplace_back([&, i] {
      AgentRequest request = request_;
      request.prompt = "prompt " + std::to_string(i);
      TestObserver observer;
      EXPECT_EQ(provider.Run(request, observer).output, request.prompt);
      EXPECT_EQ(observer.Count("text "), 1) << observer.All();
      EXPECT_EQ(observer.Messages(),
                (std::vector<std::string>{"user [text] " + request.prompt, "assistant [text] " + request.prompt}));
    });
  }
}

}  // namespace
}  // namespace awf::agents
