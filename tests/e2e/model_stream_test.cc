// A step of openai_compatible against a server, through the whole program: streamed text on stdout, the retry of an
// answer that was cut, and trace context in requests.
#include <gtest/gtest.h>

#include "infrastructure/agents/test_chat_server.h"
#include "tests/e2e/process_world.h"

namespace awf::e2e {
namespace {

using agents::RawAnswer;
using agents::StreamAnswer;
using agents::TestChatServer;

std::string Text(const std::string& text) {
  return R"(data: {"choices":[{"index":0,"delta":{"content":")" + text + "\"}}]}\n\n";
}

class ModelStreamTest : public testing::Test {
 protected:
  void SetUp() override {
    world_.PutPrograms();
    world_.Write("ws/ask.yaml", R"(
name: ask
states:
  initial: ask
  ask:
    type: agent
    provider: openai_compatible
    prompt: go
    options:
      stream: true
    on_success: done
  done:
    type: terminal
    message: "said {{.states.ask.Output}}, {{.states.ask.TokensUsed}} tokens"
)");
  }
  int Run(const TestChatServer& server, const std::string& arguments = {}) {
    world_.environment()["OPENAI_BASE_URL"] = server.base_url();
    world_.environment()["OPENAI_MODEL"] = "m";
    world_.environment()["OPENAI_API_KEY"] = "sk-planted-key-of-this-test";
    return world_.Shell("awf run ask.yaml " + arguments);
  }

  World world_;
};

TEST_F(ModelStreamTest, TextIsShownAsItComesAndACutAnswerIsAskedForAgain) {
  const std::string usage = R"(data: {"choices":[],"usage":{"prompt_tokens":40,"completion_tokens":2}})";
  const TestChatServer server(
      {StreamAnswer({Text("hel")}), StreamAnswer({Text("hel"), Text("lo"), usage + "\n\n", "data: [DONE]\n\n"})});
  ASSERT_EQ(Run(server), 0) << world_.Read("stderr");
  const std::string shown = world_.Read("stdout");
  EXPECT_NE(shown.find("said hello, 42 tokens"), std::string::npos) << shown;
  EXPECT_NE(shown.find("hel\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("hello"), std::string::npos) << shown;
  EXPECT_NE(world_.Read("stderr").find("the answer was cut and is asked for again"), std::string::npos)
      << world_.Read("stderr");
  EXPECT_EQ(server.Requests().size(), 2U);
}

TEST_F(ModelStreamTest, CallThatTheStreamSendsTwiceRunsOnce) {
  world_.Write("ws/ask.yaml", R"(
name: ask
states:
  initial: ask
  ask:
    type: agent
    provider: openai_compatible
    prompt: go
    mcp_proxy:
      enable: true
      intercept_builtins: true
    options:
      stream: true
    on_success: done
  done:
    type: terminal
)");
  const std::string call =
      R"(data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a1","type":"function","function":{"name":"Bash",)"
      R"("arguments":"{\"command\":\"echo once >> said\"}"}}]}}]})"
      "\n\n";
  const TestChatServer server(
      {StreamAnswer({call, call, "data: [DONE]\n\n"}), StreamAnswer({Text("ready"), "data: [DONE]\n\n"})});
  ASSERT_EQ(Run(server), 0) << world_.Read("stderr");
  EXPECT_EQ(world_.Read("ws/said"), "once\n");
}

TEST_F(ModelStreamTest, BaseUrlWithTheWholePathIsRefused) {
  const TestChatServer server({StreamAnswer({Text("a"), "data: [DONE]\n\n"})});
  world_.environment()["OPENAI_BASE_URL"] = server.base_url() + "/chat/completions";
  world_.environment()["OPENAI_MODEL"] = "m";
  EXPECT_NE(world_.Shell("awf run ask.yaml"), 0);
  EXPECT_NE(world_.Read("stderr").find("OPENAI_BASE_URL must not end in /chat/completions"), std::string::npos)
      << world_.Read("stderr");
  EXPECT_TRUE(server.Requests().empty());
}

TEST_F(ModelStreamTest, TraceContextGoesOutOnlyWhereTheConfigurationSaysSo) {
  const TestChatServer server({StreamAnswer({Text("a"), "data: [DONE]\n\n"})});
  const auto sent = [&](const std::string& arguments) {
    EXPECT_EQ(Run(server, arguments), 0) << world_.Read("stderr");
    const std::string request = server.Requests().back();
    const std::size_t at = request.find("\r\ntraceparent: ");
    return at == std::string::npos ? std::string() : request.substr(at + 15, 55);
  };
  EXPECT_EQ(sent("--trace-file"), "");
  world_.Write("ws/.awf/config.yaml", "telemetry:\n  propagate_http: true\n");
  EXPECT_EQ(sent(""), "");  // no spans are made
  world_.environment()["TRACEPARENT"] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  world_.environment()["TRACESTATE"] = "vendor=1";
  const std::string parent = sent("--trace-file");
  EXPECT_TRUE(parent.starts_with("00-0af7651916cd43dd8448eb211c80319c-")) << parent;
  EXPECT_TRUE(parent.ends_with("-01")) << parent;
  EXPECT_EQ(parent.find("b7ad6b7169203331"), std::string::npos) << "the step's span, not the run's parent";
  EXPECT_NE(server.Requests().back().find("\r\ntracestate: vendor=1\r\n"), std::string::npos);
}

}  // namespace
}  // namespace awf::e2e
