#include "cli/run_tools.h"

#include <gtest/gtest.h>

#include <map>
#include <span>

#include "application/tools/test_operation_provider.h"
#include "domain/test_folder.h"
#include "infrastructure/agents/test_observer.h"
#include "infrastructure/model_server/model_server.h"

namespace awf::cli {
namespace {

// The plugin forge, which says what it is told; every other one is unknown.
class Forge final : public OperationProviders {
 public:
  Forge() {
    forge_->on_call = [this](const OperationCall& call) {
      traceparent = call.traceparent;
      OperationResult result;
      result.success = true;
      result.output = call.inputs.at("text").as_string();
      result.rpc = RpcRecord{"plugin.v1.OperationService", "Execute", 0, {}, {}};
      return result;
    };
  }
  std::expected<std::vector<std::shared_ptr<OperationProvider>>, Error> Start(std::span<const std::string> plugins,
                                                                              const StepContext&, Deadline,
                                                                              const std::stop_token&) override {
    asked.insert(asked.end(), plugins.begin(), plugins.end());
    if (plugins.size() != 1 || plugins[0] != "forge")
      return Fail("USER.MCP_PROXY.UNKNOWN_PLUGIN", "unknown plugin '" + plugins.front() + "'");
    return std::vector<std::shared_ptr<OperationProvider>>{forge_};
  }

  std::vector<std::string> asked;
  std::string traceparent;

 private:
  std::shared_ptr<FakeOperations> forge_ = std::make_shared<FakeOperations>(
      "forge", std::vector<Operation>{{"say", "says it", {{"text", "string", true, "", "", ""}}, {}}});
};

// Keeps the ends of calls, too.
class Ends final : public RunObserver {
 public:
  void CallFinished(const StepContext&, const CallRecord& call, const CallEnd& end) override {
    ends.emplace_back(call, end);
  }
  std::vector<std::pair<CallRecord, CallEnd>> ends;
};

class RunToolsTest : public testing::Test {
 protected:
  void SetUp() override {
    request_.step = {"run", "s", StepKind::kAgent, 1, std::string(32, 'a'), std::string(16, 'b'), {}, "s", {}, {}};
    request_.provider = request_.provider_as_written = "openai_compatible";
    request_.prompt = "go";
    request_.working_dir = folder_ / ".";
    request_.proxy.emplace();
    request_.proxy->enable = true;
    request_.deadline = SteadyClock::now() + std::chrono::seconds(100);
    Expose("forge");
  }
  void Expose(const std::string& plugin) { request_.proxy->plugin_tools = {{plugin, {{"say", {}}}, {}}}; }

  agents::OpenAiCompatible::MakeTools Maker() {
    auto folder = process::PrivateFolder::OpenIn({}, folder_ / "private");
    EXPECT_TRUE(folder);
    agents::AgentHost host{"/awf", *folder, {"PATH=/usr/bin:/bin"}, tracing_, {}};
    host.operations = &forge_;
    return StepToolMaker(host);
  }
  std::string Names() {
    const auto tools = Maker()(request_, observer_);
    if (!tools) return tools.error().code;
    std::string names;
    for (const auto& provider : *tools) {
      for (const ToolDefinition& tool : provider->Tools()) names += tool.name + " ";
    }
    return names;
  }

  const TestFolder folder_;
  Forge forge_;
  Tracing tracing_;
  AgentRequest request_;
  agents::TestObserver observer_;
};

TEST_F(RunToolsTest, OffersWhatTheStepAsksFor) {
  EXPECT_EQ(Names(), "Read Write Edit Bash Glob Grep forge_say ");
  request_.proxy->intercept_builtins = false;
  EXPECT_EQ(Names(), "forge_say ");
  request_.proxy->plugin_tools.clear();
  EXPECT_EQ(Names(), "");
  request_.proxy->intercept_builtins = true;
  EXPECT_EQ(Names(), "Read Write Edit Bash Glob Grep ");
  request_.proxy.reset();
  EXPECT_EQ(Names(), "");
  EXPECT_EQ(forge_.asked, (std::vector<std::string>{"forge", "forge"}));
}

TEST_F(RunToolsTest, APluginThatCannotBeHadEndsTheStepBeforeTheModelIsAsked) {
  Expose("kubernetes");
  EXPECT_EQ(Names(), "USER.MCP_PROXY.UNKNOWN_PLUGIN");
  auto server = model_server::ModelServer::Start(
      std::make_unique<model_server::ChatCompletionsModel>(std::vector<model_server::ScriptedTurn>{{"hi", {}}}));
  ASSERT_TRUE(server);
  request_.options = {{"base_url", (*server)->base_url()}, {"model", "m"}};
  const StepResult result = agents::OpenAiCompatible({}, Maker()).Run(request_, observer_);
  ASSERT_TRUE(result.end.error);
  EXPECT_EQ(result.end.error->code, "USER.MCP_PROXY.UNKNOWN_PLUGIN");
  EXPECT_EQ(result.end.status, StepStatus::kFailure);
  EXPECT_TRUE((*server)->requests().empty());
}

TEST_F(RunToolsTest, AModelCallsThemInThisProcess) {
  tracing_.spans = true;
  const std::vector<model_server::ScriptedCall> calls = {{"forge_say", {{"text", "hello"}}}, {"forge_say", {}}};
  auto server = model_server::ModelServer::Start(std::make_unique<model_server::ChatCompletionsModel>(
      std::vector<model_server::ScriptedTurn>{{"", calls}, {"done", {}}}));
  ASSERT_TRUE(server);
  request_.options = {{"base_url", (*server)->base_url()}, {"model", "m"}};
  request_.proxy->intercept_builtins = false;
  Ends observer;
  const StepResult result = agents::OpenAiCompatible({}, Maker()).Run(request_, observer);
  EXPECT_FALSE(result.end.error) << result.end.error->message;
  EXPECT_EQ(result.output, "done");
  EXPECT_EQ(result.end.proxy_tools, 1);
  EXPECT_FALSE(result.end.isolation);
  ASSERT_EQ(observer.ends.size(), 2U);
  const auto& [call, end] = observer.ends[0];
  EXPECT_EQ(call.source, "plugin:forge");
  EXPECT_EQ(end.outcome, CallOutcome::kOk);
  ASSERT_TRUE(end.rpc);
  EXPECT_EQ(end.rpc->method, "Execute");
  EXPECT_EQ(forge_.traceparent, "00-" + std::string(32, 'a') + "-" + call.call + "-01");
  EXPECT_EQ(observer.ends[1].second.error_type, "invalid_arguments");
  const auto sent = (*server)->requests();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].body.at("tools").at(0).at("function").at("name").as_string(), "forge_say");
  EXPECT_EQ(sent[1].body.at("messages").at(2).at("content").as_string(), R"({"output":"hello"})");
}

}  // namespace
}  // namespace awf::cli
