// One tool call in this process = one log line = one audit record = one span, for every way in which a call can end.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <stop_token>

#include "application/records/recorder_fixture_for_tests.h"
#include "infrastructure/agents/openai_compatible.h"
#include "infrastructure/model_server/model_server.h"

namespace awf::agents {
namespace {

// A tool that ends as its argument says; "stop" cancels the run.
class OneTool final : public ToolProvider {
 public:
  explicit OneTool(std::stop_source stop) : stop_(std::move(stop)) {}

  std::vector<ToolDefinition> Tools() const override {
    ToolDefinition tool;
    tool.name = "Act";
    tool.description = "acts";
    tool.input_schema = {{"type", "object"},
                         {"properties", json::object{{"how", json::object{{"type", "string"}}}}},
                         {"required", json::array{"how"}}};
    return {tool};
  }

  ToolResult Call(const ToolCall& call) override {
    const std::string how(call.arguments.at("how").as_string());
    if (how == "throw") throw std::runtime_error("broken");
    if (how == "stop") stop_.request_stop();
    ToolResult result = how == "well" ? ToolResult::Text("done") : ToolResult::Failure("it went wrong");
    if (how == "denied") result.fields.denied = "sandbox";
    if (how == "late") result.fields.timed_out = true;
    if (how == "lost") result.fields.lost = true;
    return result;
  }

 private:
  std::stop_source stop_;
};

using InProcessRecordsTest = RunRecorderTest;

TEST_F(InProcessRecordsTest, HoweverACallEnds) {
  using model_server::ScriptedCall;
  std::vector<ScriptedCall> calls = {{"Act", {}}, {"Act", {{"how", 7}}}};
  for (const char* how : {"well", "wrong", "denied", "late", "lost", "throw", "stop", "after the end"})
    calls.push_back({"Act", {{"how", how}}});
  const std::size_t count = calls.size();
  auto server = model_server::ModelServer::Start(
      std::make_unique<model_server::ChatCompletionsModel>(std::vector<model_server::ScriptedTurn>{{"", calls}}));
  ASSERT_TRUE(server);

  std::stop_source stop;
  AgentRequest request;
  request.step = step_;
  request.provider = "openai_compatible";
  request.prompt = "go";
  request.proxy.emplace();
  request.working_dir = "/";
  request.options = {{"base_url", (*server)->base_url()}, {"model", "m"}};
  request.cancelled = stop.get_token();
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  recorder.StepStarted(step_, {});
  const OpenAiCompatible provider({}, [&](const AgentRequest&, RunObserver&) {
    return std::vector<std::shared_ptr<ToolProvider>>{std::make_shared<OneTool>(stop)};
  });
  const StepResult result = provider.Run(request, recorder);
  EXPECT_EQ(result.end.status, StepStatus::kCancelled);

  const auto count_of = [](const std::vector<std::string>& lines, const std::string& word) {
    return static_cast<std::size_t>(
        std::ranges::count_if(lines, [&](const std::string& line) { return line.find(word) <= 6; }));
  };
  EXPECT_EQ(count_of(log_.lines, "tool call "), count);
  EXPECT_EQ(count_of(audit_.lines, "tool.call "), count);
  ASSERT_EQ(spans_.spans.size(), count);
  std::map<std::string, int> ends;
  for (const SpanRecord& span : spans_.spans) {
    std::string type = "ok";
    for (const auto& [key, value] : span.attributes)
      if (key == "error.type") type = Text(value);
    ++ends[type];
    EXPECT_EQ(span.kind, SpanKind::kInternal);
  }
  EXPECT_EQ(ends, (std::map<std::string, int>{{"ok", 1},
                                              {"invalid_arguments", 2},
                                              {"tool_error", 2},
                                              {"policy_denied", 1},
                                              {"timeout", 1},
                                              {"proxy_lost", 1},
                                              {"cancelled", 2}}));
  EXPECT_EQ(spans_.spans.back().start, spans_.spans.back().end) << "cancelled before its start";
}

// A model that asks for a tool that was not offered, which the scripted one never does.
class Inventive final : public model_server::ScriptedModel {
 public:
  model_server::ModelReply Answer(const model_server::ModelRequest& request) override {
    const bool first = request.body.at("messages").as_array().size() == 1;
    json::object message{{"role", "assistant"}, {"content", first ? json::value() : json::value("done")}};
    if (first) {
      message["tool_calls"] =
          json::array{Call("c1", "Nope", "{}"), Call("c2", "Act", "no json at all {"), Call("c3", "", "{}")};
    }
    return {200,
            json::object{{"choices", json::array{json::object{{"message", std::move(message)},
                                                              {"finish_reason", first ? "tool_calls" : "stop"}}}}}};
  }

 private:
  static json::object Call(std::string_view id, std::string_view name, std::string_view arguments) {
    return {{"id", id}, {"type", "function"}, {"function", {{"name", name}, {"arguments", arguments}}}};
  }
};

TEST_F(InProcessRecordsTest, UnknownToolsAndArgumentsThatAreNoJson) {
  auto server = model_server::ModelServer::Start(std::make_unique<Inventive>());
  ASSERT_TRUE(server);
  AgentRequest request;
  request.step = step_;
  request.provider = "openai_compatible";
  request.prompt = "go";
  request.proxy.emplace();
  request.working_dir = "/";
  request.options = {{"base_url", (*server)->base_url()}, {"model", "m"}};
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  recorder.StepStarted(step_, {});
  const OpenAiCompatible provider({}, [&](const AgentRequest&, RunObserver&) {
    return std::vector<std::shared_ptr<ToolProvider>>{std::make_shared<OneTool>(std::stop_source())};
  });
  const StepResult result = provider.Run(request, recorder);
  std::vector<std::string> sizes;
  for (const std::string& line : audit_.lines) {
    if (line.starts_with("tool.call")) sizes.push_back(line.substr(line.find("\"bytes_in\"")));
  }
  EXPECT_THAT(sizes, testing::ElementsAre(R"("bytes_in":2,"bytes_out":33})",   // unknown tool Nope; available: Act
                                          R"("bytes_in":16,"bytes_out":33})",  // invalid arguments: not valid JSON
                                          R"("bytes_in":2,"bytes_out":29})"));
  EXPECT_EQ(result.end.status, StepStatus::kSuccess) << (result.end.error ? result.end.error->message : "");
  ASSERT_EQ(spans_.spans.size(), 3U);
  EXPECT_EQ(std::ranges::count_if(audit_.lines, [](const std::string& l) { return l.starts_with("tool.call"); }), 3);
  EXPECT_EQ(spans_.spans[0].name, "tool.call: Nope");
  EXPECT_EQ(spans_.spans[2].name, "tool.call: unknown");
}

}  // namespace
}  // namespace awf::agents
