#include "infrastructure/model_server/gemini_model.h"

#include <gtest/gtest.h>

namespace awf::model_server {
namespace {

constexpr char kGenerate[] = "/v1beta/models/gemini-x:generateContent";
constexpr char kStream[] = "/v1beta/models/gemini-x:streamGenerateContent?alt=sse";
constexpr char kTools[] =
    R"(],"tools":[{"functionDeclarations":[{"name":"Read"},{"name":"Edit"}]},{"googleSearch":{}}])";

json::value Parse(std::string_view text) { return json::parse(json::string_view(text.data(), text.size())); }

GeminiModel Model() {
  return GeminiModel(
      {{"let me look", {{"Read", {{"path", "a"}}}, {"run_shell_command", {{"command", "id"}}, true}}}, {"done", {}}});
}

ModelRequest Ask(const std::string& rest, const std::string& target = kGenerate) {
  return {target, Parse(R"({"contents":[{"role":"user","parts":[{"text":"go"}]})" + rest + "}")};
}

TEST(GeminiModelTest, TurnIsChosenByTheAnswersInTheRequest) {
  GeminiModel model = Model();
  const json::value first = model.Answer(Ask(kTools)).body;
  EXPECT_EQ(first.at("candidates").at(0).at("content").at("parts"), Parse(R"([{"text":"let me look"},
      {"functionCall":{"name":"Read","args":{"path":"a"}},"thoughtSignature":"c2NyaXB0ZWQ="},
      {"functionCall":{"name":"run_shell_command","args":{"command":"id"}},"thoughtSignature":"c2NyaXB0ZWQ="}])"));
  EXPECT_EQ(first.at("candidates").at(0).at("finishReason"), json::value("STOP"));
  EXPECT_EQ(first.at("modelVersion"), json::value("gemini-x"));
  const auto text = [](const json::value& answer) {
    return answer.at("candidates").at(0).at("content").at("parts").at(0).at("text");
  };
  EXPECT_EQ(text(model.Answer(Ask(std::string(R"(,{"role":"model","parts":[]})") + kTools)).body), json::value("done"));
  EXPECT_EQ(text(model.Answer(Ask(R"(,{"role":"model"},{"role":"model"}])")).body),
            json::value("[the script is over]"));
}

TEST(GeminiModelTest, StreamsTextWordByWordAndCallsWhole) {
  GeminiModel model({{"all done", {{"Read", {}}}}});
  const ModelReply reply = model.Answer(Ask(kTools, kStream));
  const auto chunk = [](const std::string& part, const std::string& end) {
    return R"(data: {"candidates":[{"content":{"role":"model","parts":[)" + part + R"(]},"index":0)" + end +
           R"(}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":24,"totalTokenCount":34},)"
           R"("modelVersion":"gemini-x","responseId":"scripted"})"
           "\r\n\r\n";
  };
  EXPECT_EQ(reply.events, chunk(R"({"text":"all "})", "") + chunk(R"({"text":"done"})", "") +
                              chunk(R"({"functionCall":{"name":"Read","args":{}},"thoughtSignature":"c2NyaXB0ZWQ="})",
                                    R"(,"finishReason":"STOP")"));
}

TEST(GeminiModelTest, RequestsWithoutToolsGetTextOrAnEmptyObject) {
  GeminiModel model = Model();
  const json::value answer = model.Answer(Ask("]")).body;
  EXPECT_EQ(answer.at("candidates").at(0).at("content").at("parts"),
            Parse(R"([{"text":"let me look\n[tool Read is not offered]\n[tool run_shell_command is not offered]"}])"));
  const json::value router = model.Answer(Ask(R"(],"generationConfig":{"responseMimeType":"application/json"})")).body;
  EXPECT_EQ(router.at("candidates").at(0).at("content").at("parts"), Parse(R"([{"text":"{}"}])"));
}

TEST(GeminiModelTest, TellsWhatIsOffered) {
  const GeminiModel model = Model();
  EXPECT_EQ(model.Offered(Ask(kTools, kStream)), (std::vector<std::string>{"Read", "Edit", "googleSearch"}));
  EXPECT_EQ(model.Offered(Ask("]")), std::vector<std::string>());
  EXPECT_EQ(model.Offered(Ask(kTools, "/v1beta/models/gemini-x:countTokens")), std::nullopt);
  EXPECT_EQ(model.Offered({"/v1beta/models", nullptr, "GET"}), std::nullopt);
  EXPECT_EQ(model.Offered({kGenerate, nullptr}), std::nullopt);
}

TEST(GeminiModelTest, OtherEndpoints) {
  GeminiModel model = Model();
  EXPECT_EQ(model.Answer(Ask("]", "/v1beta/models/gemini-x:countTokens")).body, Parse(R"({"totalTokens":10})"));
  EXPECT_EQ(model.Answer({"/v1beta/models?pageSize=5", nullptr, "GET"}).body.at("models").at(0).at("name"),
            json::value("models/scripted"));
  EXPECT_EQ(model.Answer({"/v1internal:loadCodeAssist", json::object()}).status, 404);
  EXPECT_EQ(model.Answer({kGenerate, json::object()}).status, 400);
}

TEST(GeminiModelTest, IsMadeByItsFormat) {
  const auto model = MakeScriptedModel(WireFormat::kGemini, {{"hello", {}}});
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->Answer(Ask("]")).body.at("candidates").at(0).at("content").at("parts").at(0).at("text"),
            json::value("hello"));
}

}  // namespace
}  // namespace awf::model_server
