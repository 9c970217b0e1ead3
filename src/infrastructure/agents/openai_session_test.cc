// Steps of OpenAiCompatible that go on with a conversation, and what they leave for the next one.
#include "domain/agent.h"
#include "infrastructure/agents/kept_messages.h"
#include "infrastructure/agents/test_openai_step.h"

namespace awf::agents {
namespace {

using model_server::ScriptedTurn;

// Role, and content or the names of calls, of each message.
std::string Told(const json::value& messages) {
  std::string told;
  for (const json::value& message : messages.as_array()) {
    const json::object& fields = message.as_object();
    told += std::string(fields.at("role").as_string()) + ":";
    const json::value* content = fields.if_contains("content");
    if (content != nullptr && content->is_string()) told += std::string(content->as_string());
    if (const json::value* calls = fields.if_contains("tool_calls")) {
      for (const json::value& call : calls->as_array()) {
        told += "(" + std::string(call.at("function").at("name").as_string()) + ")";
      }
    }
    told += " ; ";
  }
  return told;
}

TEST_F(OpenAiCompatibleTest, TheNextStepGetsAllMessagesWithTheResultsOfTools) {
  const json::object call{
      {"id", "c1"}, {"type", "function"}, {"function", json::object{{"name", "Look"}, {"arguments", R"({"at":"a"})"}}}};
  Replies({Says({{"content", nullptr}, {"tool_calls", json::array{call}}}), Says({{"content", "first"}}),
           Says({{"tool_calls", json::array{call}}}), Says({{"content", "second"}})});
  request_.conversation = "plan";
  request_.system_prompt = "be brief";
  StepResult result = Run();
  ASSERT_TRUE(result.session);
  EXPECT_EQ(Told(result.session->messages),
            "system:be brief ; user:go ; assistant:(Look) ; tool:saw a ; assistant:first ; ");
  EXPECT_EQ(result.session->provider, "openai_compatible");

  request_.continued = *result.session;
  request_.system_prompt = "be long";
  request_.prompt = "go on";
  result = Run();
  EXPECT_EQ(Told(SentBody(2).at("messages")),
            "system:be long ; user:go ; assistant:(Look) ; tool:saw a ; assistant:first ; user:go on ; ");
  // An id that the conversation has already is not used again.
  const json::array& sent = SentBody(3).at("messages").as_array();
  EXPECT_NE(sent.back().at("tool_call_id"), json::value("c1"));
  EXPECT_EQ(sent.back().at("tool_call_id"), sent[sent.size() - 2].at("tool_calls").at(0).at("id"));
  EXPECT_TRUE(
      Told(result.session->messages).ends_with("user:go on ; assistant:(Look) ; tool:saw a ; assistant:second ; "));
}

TEST_F(OpenAiCompatibleTest, TheSystemPromptOfTheConversationStaysWhereTheStepHasNone) {
  Replies({Says({{"content", "hi"}})});
  request_.continued.emplace().messages = json::array{json::object{{"role", "system"}, {"content", "be brief"}},
                                                      json::object{{"role", "user"}, {"content", "a"}},
                                                      json::object{{"role", "assistant"}, {"content", "b"}}};
  Run();
  EXPECT_EQ(Told(SentBody(0).at("messages")), "system:be brief ; user:a ; assistant:b ; user:go ; ");
}

TEST_F(OpenAiCompatibleTest, NothingIsKeptOfAStepThatNobodyGoesOnWith) {
  Replies({Says({{"content", "hi"}})});
  EXPECT_FALSE(Run().session);
}

TEST_F(OpenAiCompatibleTest, AStepThatFailedLeavesItsMessagesOnlyWhereTheyAreWhole) {
  request_.conversation = "plan";
  Replies({Fails(400, "no")});
  EXPECT_FALSE(Run().session);
  const json::object call{{"id", "c1"}, {"function", json::object{{"name", "Look"}, {"arguments", R"({"at":"a"})"}}}};
  Replies({Says({{"tool_calls", json::array{call}}})});
  request_.options["max_turns"] = 1;
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.MCP_PROXY.LOOP_GUARD");
  ASSERT_TRUE(result.session);
  EXPECT_EQ(Told(result.session->messages), "user:go ; assistant:(Look) ; tool:saw a ; ");
}

TEST_F(OpenAiCompatibleTest, AConversationThatIsTooLargeIsNotKeptAndToldSo) {
  request_.conversation = "plan";
  request_.prompt = std::string(kMaxKeptMessages, 'x');
  Replies({Says({{"content", "hi"}})});
  const StepResult result = Run();
  EXPECT_EQ(result.end.status, StepStatus::kSuccess);
  EXPECT_FALSE(result.session);
  EXPECT_TRUE(
      observer_.Has("log warn the conversation is too large to be kept (8388674 bytes, at most 8388608): no "
                    "step can go on with it {\"provider\":\"openai-compatible\"}"))
      << observer_.All();
}

TEST_F(OpenAiCompatibleTest, WithoutMessagesThereIsNothingToGoOnWith) {
  Replies({Says({{"content", "hi"}})});
  for (const json::value& messages : {json::value(), json::value(json::array()), json::value("x")}) {
    request_.continued.emplace().messages = messages;
    EXPECT_EQ(Code(Run()), "EXECUTION.AGENT.SESSION_LOST");
  }
  EXPECT_TRUE(server_->requests().empty());
}

}  // namespace
}  // namespace awf::agents
