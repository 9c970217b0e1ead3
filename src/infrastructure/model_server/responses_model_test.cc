#include "infrastructure/model_server/responses_model.h"

#include <gtest/gtest.h>

namespace awf::model_server {
namespace {

json::value Parse(std::string_view text) { return json::parse(json::string_view(text.data(), text.size())); }

constexpr const char* kTools = R"([{"type":"function","name":"look"},{"type":"custom","name":"exec"},
    {"type":"namespace","name":"mcp__x","tools":[{"type":"function","name":"Read"}]},{"type":"web_search"}])";

ResponsesModel Model() {
  return ResponsesModel({{"let me look",
                          {{"mcp__x.Read", {{"path", "a"}}},
                           {"exec", {{"input", "1 + 1"}}},
                           {"Nope", {}},
                           {"apply_patch", {{"input", "raw"}}, true},
                           {"ns.shell", {{"command", "id"}}, true}}},
                         {"done", {}}});
}

ModelRequest Ask(const std::string& input, const std::string& rest = "") {
  return {"/v1/responses", Parse(R"({"model":"m","input":)" + input + rest + "}")};
}

const std::string kUser = R"({"type":"message","role":"user"})";

TEST(ResponsesModelTest, CallsFunctionsNamespacesAndFreeFormTools) {
  ResponsesModel model = Model();
  const json::value answer = model.Answer(Ask("[" + kUser + "]", R"(,"tools":)" + std::string(kTools))).body;
  EXPECT_EQ(answer.at("output"), Parse(R"([
      {"type":"message","id":"msg_1","role":"assistant","status":"completed",
       "content":[{"type":"output_text","text":"let me look\n[tool Nope is not offered]","annotations":[]}]},
      {"type":"function_call","id":"fc_1_1","call_id":"call_1_1","name":"Read","status":"completed",
       "namespace":"mcp__x","arguments":"{\"path\":\"a\"}"},
      {"type":"custom_tool_call","id":"ctc_1_2","call_id":"call_1_2","name":"exec","status":"completed",
       "input":"1 + 1"},
      {"type":"custom_tool_call","id":"ctc_1_3","call_id":"call_1_3","name":"apply_patch","status":"completed",
       "input":"raw"},
      {"type":"function_call","id":"fc_1_4","call_id":"call_1_4","name":"shell","status":"completed",
       "namespace":"ns","arguments":"{\"command\":\"id\"}"}])"));
  EXPECT_EQ(answer.at("status"), json::value("completed"));
  EXPECT_EQ(answer.at("model"), json::value("m"));
}

TEST(ResponsesModelTest, TurnIsChosenByTheAnswersInTheInput) {
  ResponsesModel model = Model();
  const std::string first = kUser +
                            R"(,{"type":"reasoning"},{"type":"message","role":"assistant"},{"type":"function_call"},
      {"type":"custom_tool_call"},{"type":"function_call_output"},{"type":"custom_tool_call_output"})";
  const auto text = [&](const std::string& input) {
    return model.Answer(Ask("[" + input + "]")).body.at("output").at(0).at("content").at(0).at("text");
  };
  EXPECT_EQ(text(first), json::value("done"));
  EXPECT_EQ(text(first + R"(,{"role":"assistant"},)" + kUser), json::value("[the script is over]"));
  // Tools that are told within the input are no answer.
  EXPECT_EQ(text(R"({"type":"additional_tools","role":"assistant","tools":[]},)" + first), json::value("done"));
}

TEST(ResponsesModelTest, RequestsWithoutToolsGetText) {
  ResponsesModel model = Model();
  const json::value answer = model.Answer(Ask(R"("go")")).body;
  ASSERT_EQ(answer.at("output").as_array().size(), 1U);
  EXPECT_EQ(answer.at("output").at(0).at("type"), json::value("message"));
}

TEST(ResponsesModelTest, TellsWhatIsOffered) {
  const ResponsesModel model = Model();
  EXPECT_EQ(model.Offered(Ask("[]", R"(,"tools":)" + std::string(kTools))),
            (std::vector<std::string>{"look", "exec", "mcp__x.Read", "web_search"}));
  EXPECT_EQ(model.Offered(Ask(R"([{"type":"additional_tools","tools":)" + std::string(kTools) + "}]")),
            (std::vector<std::string>{"look", "exec", "mcp__x.Read", "web_search"}));
  EXPECT_EQ(model.Offered(Ask("[]")), std::vector<std::string>());
  EXPECT_EQ(model.Offered({"/v1/models?client_version=1", nullptr, "GET"}), std::nullopt);
  EXPECT_EQ(model.Offered({"/v1/responses", nullptr, "GET"}), std::nullopt);
}

TEST(ResponsesModelTest, OtherEndpointsAndTheRefusedWebSocket) {
  ResponsesModel model = Model();
  EXPECT_EQ(model.Answer({"/v1/models?client_version=1", nullptr, "GET"}).body.at("data").at(0).at("id"),
            json::value("scripted"));
  EXPECT_EQ(model.Answer({"/v1/responses", nullptr, "GET"}).status, 426);
  EXPECT_EQ(model.Answer({"/v1/responses", Parse("{}")}).status, 400);
  EXPECT_EQ(model.Answer({"/v1/else", nullptr, "POST"}).status, 404);
}

TEST(ResponsesModelTest, StreamsInPieces) {
  ResponsesModel model({{"a b", {{"look", {{"path", "x"}}}}}});
  const ModelReply reply = model.Answer(Ask("[]", R"(,"stream":true,"tools":)" + std::string(kTools)));
  std::vector<std::string> types;
  std::string text, arguments;
  json::value last;
  for (std::size_t at = 0; (at = reply.events.find("data: ", at)) != std::string::npos;) {
    const std::size_t end = reply.events.find("\n\n", at);
    last = Parse(std::string_view(reply.events).substr(at + 6, end - at - 6));
    EXPECT_EQ(last.at("sequence_number"), json::value(types.size()));
    types.emplace_back(last.at("type").as_string());
    if (types.back() == "response.output_text.delta") text += last.at("delta").as_string().c_str();
    if (types.back() == "response.function_call_arguments.delta") arguments += last.at("delta").as_string().c_str();
    at = end;
  }
  EXPECT_EQ(types, (std::vector<std::string>{
                       "response.created", "response.output_item.added", "response.content_part.added",
                       "response.output_text.delta", "response.output_text.delta", "response.output_text.done",
                       "response.content_part.done", "response.output_item.done", "response.output_item.added",
                       "response.function_call_arguments.delta", "response.function_call_arguments.done",
                       "response.output_item.done", "response.completed"}));
  EXPECT_EQ(text, "a b");
  EXPECT_EQ(arguments, R"({"path":"x"})");
  EXPECT_EQ(last.at("response").at("output").as_array().size(), 2U);
}

}  // namespace
}  // namespace awf::model_server
