#include <gtest/gtest.h>

#include <thread>

#include "infrastructure/agents/test_openai_step.h"

namespace awf::agents {
namespace {

TEST_F(OpenAiCompatibleTest, RunsToolsAndEndsWithTheLastText) {
  Script({{"let me", {{"Look", {{"at", "a"}}}}}, {"done", {}}});
  request_.system_prompt = "be kind";
  request_.options["temperature"] = 0.5;
  const StepResult result = Run();
  EXPECT_EQ(result.end.status, StepStatus::kSuccess) << result.end.error->message;
  EXPECT_EQ(result.output, "done");
  EXPECT_EQ(result.end.tool_calls, 1);
  EXPECT_EQ(result.end.proxy_tools, 2);
  EXPECT_EQ(result.end.isolation, IsolationLevel::kProven);
  EXPECT_EQ(result.end.model, "m");
  EXPECT_GT(result.end.usage.input, 0);
  EXPECT_FALSE(result.end.usage.estimated);
  EXPECT_EQ(observer_.Events(), (std::vector<std::string>{R"(log warn sandbox degraded {"missing":"landlock"})",
                                                          "ready awf tools=2 start=1", "isolation proven in-process",
                                                          "text let me", "call Look", "end Look ok", "text done"}));

  EXPECT_EQ(json::serialize(SentBody(0).at("messages")),
            R"([{"role":"system","content":"be kind"},{"role":"user","content":"go"}])");
  EXPECT_EQ(SentBody(0).at("temperature"), json::value(0.5));
  EXPECT_EQ(SentBody(0).at("tool_choice"), json::value("auto"));
  EXPECT_EQ(SentBody(0).at("tools").as_array().size(), 2U);
  const json::array& second = SentBody(1).at("messages").as_array();
  ASSERT_EQ(second.size(), 4U);
  EXPECT_EQ(second[2].at("tool_calls").at(0).at("id"), json::value("call_1_1"));
  EXPECT_EQ(json::serialize(second[3]), R"({"role":"tool","tool_call_id":"call_1_1","content":"saw a"})");
}

TEST_F(OpenAiCompatibleTest, WithoutProxyThereAreNoTools) {
  request_.proxy.reset();
  Script({{"hello", {}}});
  EXPECT_EQ(Run().output, "hello");
  EXPECT_FALSE(SentBody(0).contains("tools"));
  EXPECT_FALSE(SentBody(0).contains("tool_choice"));
}

TEST_F(OpenAiCompatibleTest, FaultyCallsBecomeErrorMessagesAndTheLoopGoesOn) {
  const auto call = [](std::string_view id, std::string_view name, std::string_view arguments) {
    return json::object{{"id", id}, {"function", json::object{{"name", name}, {"arguments", arguments}}}};
  };
  Replies({Says({{"content", nullptr},
                 {"tool_calls", json::array{call("1", "Look", "{oops"), call("2", "Nope", "{}"),
                                            call("3", "Look", "{}"), call("4", "Change", R"({"at":"fail"})")}}}),
           Says({{"content", "end"}})});
  const StepResult result = Run();
  EXPECT_EQ(result.output, "end");
  EXPECT_EQ(result.end.tool_calls, 4);
  const json::array& messages = SentBody(1).at("messages").as_array();
  ASSERT_EQ(messages.size(), 6U);
  EXPECT_EQ(messages[2].at("content"), json::value("Error: invalid arguments: not valid JSON"));
  EXPECT_TRUE(std::string_view(messages[3].at("content").as_string()).starts_with("Error: "));
  EXPECT_NE(std::string_view(messages[3].at("content").as_string()).find("Look"), std::string_view::npos);
  EXPECT_TRUE(std::string_view(messages[4].at("content").as_string()).starts_with("Error: invalid arguments: "));
  EXPECT_EQ(messages[5].at("content"), json::value("Error: no fail"));
  EXPECT_EQ(observer_.Count("call "), 4) << observer_.All();
  EXPECT_EQ(observer_.Count("end "), 4) << observer_.All();
  // Without usage in the answers the sum is an estimate.
  EXPECT_TRUE(result.end.usage.estimated);
  EXPECT_GT(result.end.usage.total, 0);
}

TEST_F(OpenAiCompatibleTest, NeighbouringReadOnlyCallsRunTogetherOthersAlone) {
  tools_->expected_parallel = 3;
  Script({{"", {{"Look", {{"at", "a"}}}, {"Look", {{"at", "b"}}}, {"Look", {{"at", "c"}}}}}, {"done", {}}});
  EXPECT_EQ(Run().output, "done");
  EXPECT_EQ(tools_->most_running, 3);
  const json::array& messages = SentBody(1).at("messages").as_array();
  EXPECT_EQ(messages[2].at("content"), json::value("saw a"));
  EXPECT_EQ(messages[4].at("content"), json::value("saw c"));

  tools_->most_running = 0;
  Script({{"", {{"Change", {{"at", "a"}}}, {"Change", {{"at", "b"}}}}}, {"done", {}}});
  EXPECT_EQ(Run().output, "done");
  EXPECT_EQ(tools_->most_running, 1);
}

TEST_F(OpenAiCompatibleTest, LoopGuard) {
  Replies({Says({{"tool_calls", json::array{json::object{
                                    {"function", json::object{{"name", "Look"}, {"arguments", R"({"at":"a"})"}}}}}}})});
  request_.options["max_turns"] = 3;
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.MCP_PROXY.LOOP_GUARD");
  EXPECT_EQ(result.end.error->message, "the model asked for tools in each of 3 requests; last calls: Look");
  EXPECT_EQ(result.end.exit_code, 1);
  EXPECT_EQ(server_->requests().size(), 3U);
  Replies({Says({{"content", ""}}, "tool_calls")});
  EXPECT_EQ(Code(Run()), "EXECUTION.MCP_PROXY.LOOP_GUARD");
}

TEST_F(OpenAiCompatibleTest, FinishReasons) {
  Replies({Says({{"content", "half"}}, "length")});
  EXPECT_EQ(Run().output, "half");
  EXPECT_EQ(observer_.Count("log warn the answer was cut at the token limit"), 1);
  Replies({Says({{"content", "x"}}, "content_filter")});
  EXPECT_EQ(Code(Run()), "EXECUTION.AGENT.FAILED");
  Replies({Says({{"content", "x"}}, "something new")});
  EXPECT_EQ(Code(Run()), "");
}

TEST_F(OpenAiCompatibleTest, ServerErrorsAreRetriedThreeTimesThenTold) {
  Replies({Fails(503, "busy"), Fails(429, "slow"), Fails(500, "boom"), Says({{"content", "at last"}})});
  EXPECT_EQ(Run().output, "at last");
  EXPECT_EQ(server_->requests().size(), 4U);
  EXPECT_EQ(observer_.Count("log info model request retried"), 3);
  Replies({Fails(429, "slow down")});
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.AGENT.RATE_LIMITED");
  EXPECT_EQ(result.end.error->message, "HTTP 429: slow down");
  EXPECT_EQ(server_->requests().size(), 4U);
}

TEST_F(OpenAiCompatibleTest, RefusalsFailAtOnceAndTheKeyIsMasked) {
  request_.options["api_key"] = "sk-very-secret-key";
  Replies({Fails(401, "bad key sk-very-secret-key")});
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.AGENT.AUTH");
  EXPECT_EQ(result.end.error->message, "HTTP 401: bad key ***");
  EXPECT_EQ(server_->requests().size(), 1U);
  Replies({Fails(400, "bad request")});
  EXPECT_EQ(Code(Run()), "EXECUTION.AGENT.FAILED");
  EXPECT_EQ(server_->requests().size(), 1U);
  Replies({Fails(200, "no such model")});
  EXPECT_EQ(Run().end.error->message, "m: no such model");
}

TEST_F(OpenAiCompatibleTest, EnvironmentFillsWhatTheOptionsLack) {
  Script({{"hello", {}}});
  request_.options.erase("model");
  request_.options.erase("base_url");
  EXPECT_EQ(Code(Run()), "USER.INPUT.VALIDATION_FAILED");
  settings_.environment = {"OPENAI_BASE_URL=" + server_->base_url(), "OPENAI_MODEL=from-env"};
  EXPECT_EQ(Run().output, "hello");
  EXPECT_EQ(SentBody(0).at("model"), json::value("from-env"));
}

TEST_F(OpenAiCompatibleTest, BaseUrlOfTheEnvironmentIsChecked) {
  const struct {
    std::string_view end, message, hint;
  } cases[] = {
      {"?key=x", "OPENAI_BASE_URL must have no query (?) and no fragment (#)", "awf adds /chat/completions at its end"},
      {"/chat/completions/", "OPENAI_BASE_URL must not end in /chat/completions", "awf adds that itself: leave it out"},
  };
  Script({{"hello", {}}});
  request_.options.erase("base_url");
  for (const auto& test : cases) {
    settings_.environment = {"OPENAI_BASE_URL=" + server_->base_url() + std::string(test.end)};
    const StepResult result = Run();
    EXPECT_EQ(Code(result), "USER.INPUT.VALIDATION_FAILED");
    EXPECT_EQ(result.end.error->message, test.message);
    EXPECT_EQ(result.end.error->hint, test.hint);
  }
}

TEST_F(OpenAiCompatibleTest, NoServerIsRetriedAndTold) {
  Script({});
  request_.options["base_url"] = server_->base_url();
  server_.reset();
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.AGENT.FAILED");
  EXPECT_TRUE(result.end.error->message.starts_with("request to 127.0.0.1: ")) << result.end.error->message;
  EXPECT_EQ(observer_.Count("log info model request retried"), 3);
}

TEST_F(OpenAiCompatibleTest, CancelEndsARunningTool) {
  Script({{"", {{"Change", {{"at", "wait for cancel"}}}}}, {"done", {}}});
  std::stop_source stop;
  request_.cancelled = stop.get_token();
  std::jthread canceller([&] {
    while (!tools_->waiting) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop.request_stop();
  });
  const StepResult result = Run();
  EXPECT_EQ(result.end.status, StepStatus::kCancelled);
  EXPECT_EQ(Code(result), "EXECUTION.RUN.CANCELLED");
  EXPECT_EQ(observer_.Count("end Change"), 1);
  EXPECT_EQ(server_->requests().size(), 1U);
}

TEST_F(OpenAiCompatibleTest, DeadlineIsATimeout) {
  Replies({Fails(503, "busy")});
  settings_.first_retry = std::chrono::milliseconds(10);
  request_.deadline = SteadyClock::now() - std::chrono::seconds(1);
  const StepResult result = Run();
  EXPECT_EQ(result.end.status, StepStatus::kTimeout);
  EXPECT_EQ(Code(result), "EXECUTION.AGENT.TIMEOUT");
}

TEST_F(OpenAiCompatibleTest, ExplicitSandboxThatCannotHoldFailsBeforeAnyRequest) {
  Script({{"hello", {}}});
  request_.proxy->sandbox.explicit_mode = true;
  request_.proxy->sandbox.mode = SandboxMode::kStrict;
  EXPECT_EQ(Code(Run()), "USER.MCP_PROXY.UNSUPPORTED_PROVIDER");
  EXPECT_TRUE(server_->requests().empty());
  request_.proxy->sandbox.mode = SandboxMode::kOff;
  const StepResult result = Run();
  EXPECT_EQ(result.output, "hello");
  EXPECT_EQ(result.end.sandbox, "off");
}

}  // namespace
}  // namespace awf::agents
