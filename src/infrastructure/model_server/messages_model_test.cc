#include "infrastructure/model_server/messages_model.h"

#include <gtest/gtest.h>

namespace awf::model_server {
namespace {

json::value Parse(std::string_view text) { return json::parse(json::string_view(text.data(), text.size())); }

MessagesModel Model() {
  return MessagesModel(
      {{"let me look", {{"Read", {{"path", "a"}}}, {"Bash", {{"command", "id"}}, true}}}, {"done", {}}});
}

ModelRequest Ask(const std::string& rest, const std::string& target = "/v1/messages?beta=true") {
  return {target, Parse(R"({"model":"m","messages":[{"role":"user","content":"go"})" + rest + "}")};
}

TEST(MessagesModelTest, TurnIsChosenByTheAnswersInTheRequest) {
  MessagesModel model = Model();
  const std::string tools = R"(],"tools":[{"name":"Read","input_schema":{}}])";
  const json::value first = model.Answer(Ask(tools)).body;
  EXPECT_EQ(first.at("content"), Parse(R"([{"type":"text","text":"let me look"},
      {"type":"tool_use","id":"toolu_1_1","name":"Read","input":{"path":"a"}},
      {"type":"tool_use","id":"toolu_1_2","name":"Bash","input":{"command":"id"}}])"));
  EXPECT_EQ(first.at("stop_reason"), json::value("tool_use"));
  EXPECT_EQ(first.at("model"), json::value("m"));
  const json::value second = model.Answer(Ask(R"(,{"role":"assistant","content":[]})" + tools)).body;
  EXPECT_EQ(second.at("content"), Parse(R"([{"type":"text","text":"done"}])"));
  EXPECT_EQ(second.at("stop_reason"), json::value("end_turn"));
  const json::value third = model.Answer(Ask(R"(,{"role":"assistant"},{"role":"assistant"}])")).body;
  EXPECT_EQ(third.at("content").at(0).at("text"), json::value("[the script is over]"));
}

TEST(MessagesModelTest, RequestsWithoutToolsGetText) {
  MessagesModel model = Model();
  const json::value answer = model.Answer(Ask("]")).body;
  EXPECT_EQ(answer.at("content").as_array().size(), 1U);
  EXPECT_EQ(answer.at("content").at(0).at("text"),
            json::value("let me look\n[tool Read is not offered]\n[tool Bash is not offered]"));
  EXPECT_EQ(answer.at("stop_reason"), json::value("end_turn"));
}

TEST(MessagesModelTest, TellsWhatIsOffered) {
  const MessagesModel model = Model();
  EXPECT_EQ(model.Offered(Ask(R"(],"tools":[{"name":"b"},{"name":"a"},{"type":"web_search_1"}])")),
            (std::vector<std::string>{"b", "a", "web_search_1"}));
  EXPECT_EQ(model.Offered(Ask("]")), std::vector<std::string>());
  EXPECT_EQ(model.Offered(Ask(R"(],"tools":[{"name":"b"}])", "/v1/messages/count_tokens")), std::nullopt);
  EXPECT_EQ(model.Offered({"/v1/models", nullptr, "GET"}), std::nullopt);
  EXPECT_EQ(model.Offered({"/v1/messages", nullptr}), std::nullopt);
}

TEST(MessagesModelTest, OtherEndpoints) {
  MessagesModel model = Model();
  EXPECT_TRUE(model.Answer(Ask("]", "/v1/messages/count_tokens?beta=true")).body.at("input_tokens").is_number());
  EXPECT_EQ(model.Answer({"/", nullptr, "HEAD"}).status, 200);
  EXPECT_EQ(model.Answer({"/v1/models?limit=5", nullptr, "GET"}).body.at("data").at(0).at("id"),
            json::value("scripted"));
  EXPECT_EQ(model.Answer({"/api/hello", nullptr, "GET"}).status, 404);
  EXPECT_EQ(model.Answer({"/v1/messages", Parse("[]")}).status, 400);
  EXPECT_EQ(model.Answer({"/v1/complete", Parse("{}")}).body.at("error").at("message"),
            json::value("no such endpoint: /v1/complete"));
}

TEST(MessagesModelTest, StreamsInPieces) {
  MessagesModel model({{"hi", {{"Read", {{"path", "a"}}}}}});
  const ModelReply reply = model.Answer(Ask(R"(],"stream":true,"tools":[{"name":"Read"}])"));
  EXPECT_EQ(reply.status, 200);
  const auto event = [](std::string_view type, std::string_view rest) {
    return "event: " + std::string(type) + "\ndata: {" + std::string(rest) + "\"type\":\"" + std::string(type) +
           "\"}\n\n";
  };
  const auto delta = [&](int index, std::string_view text) {
    return event("content_block_delta",
                 R"("index":)" + std::to_string(index) + R"(,"delta":{)" + std::string(text) + "},");
  };
  const std::string usage =
      R"("usage":{"input_tokens":8,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":25}})";
  EXPECT_EQ(
      reply.events,
      event("message_start", R"("message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],)"
                             R"("stop_reason":null,"stop_sequence":null,)" +
                                 usage + ",") +
          event("content_block_start", R"("index":0,"content_block":{"type":"text","text":""},)") +
          delta(0, R"("type":"text_delta","text":"hi")") + event("content_block_stop", R"("index":0,)") +
          event("content_block_start",
                R"("index":1,"content_block":{"type":"tool_use","id":"toolu_1_1","name":"Read","input":{}},)") +
          delta(1, R"("type":"input_json_delta","partial_json":"{")") +
          delta(1, R"("type":"input_json_delta","partial_json":"\"path\":\"a\"}")") +
          event("content_block_stop", R"("index":1,)") +
          event("message_delta",
                R"("delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":25},)") +
          event("message_stop", ""));
}

}  // namespace
}  // namespace awf::model_server
