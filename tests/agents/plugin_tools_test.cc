// Operations of plugins as tools of an agent CLI: forwarded by the real mcp-serve, run by AgentRunner's process.
#include <algorithm>

#include "infrastructure/mcp/serve_config.h"
#include "infrastructure/step_channel/step_channel.h"
#include "tests/agents/plugin_tools_fixture.h"

namespace awf::agents {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Whether the model was given that text as the result of its use with that id.
testing::AssertionResult Gave(const TestObserver& observer, const std::string& id, const std::string& text) {
  std::string all;
  for (const std::string& message : observer.Messages()) {
    all += message + "\n";
    if (message.find("[tool_result " + id + "]") != std::string::npos && message.find(text) != std::string::npos)
      return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << all;
}

TEST_F(PluginToolsTest, StandBesideTheBuiltInTools) {
  Scenario(Steps({Forge("say", {{"text", "hello"}}), Bash("echo hi"), Forge("fail")}));
  const StepResult result = Run();
  EXPECT_EQ(Message(result), "");
  EXPECT_EQ(result.end.proxy_tools, 11);
  EXPECT_EQ(result.end.tool_calls, 3);
  EXPECT_EQ(result.end.isolation, IsolationLevel::kProven);
  EXPECT_EQ(plugins_.asked, std::vector<std::string>{"work forge"});
  EXPECT_TRUE(observer_.Has("ready claude-code tools=11 start=1")) << observer_.All();
  EXPECT_TRUE(observer_.Has("isolation proven announced"));
  EXPECT_TRUE(observer_.Has("end forge_say ok")) << observer_.All();
  EXPECT_TRUE(observer_.Has("end Bash ok"));
  EXPECT_TRUE(observer_.Has("end forge_fail error tool_error"));
  EXPECT_TRUE(Gave(observer_, "toolu_1", R"({"output":"hello"})"));
  EXPECT_TRUE(Gave(observer_, "toolu_3", "no such repository"));
}

TEST_F(PluginToolsTest, AloneBesideTheClisOwnInAdditiveMode) {
  request_.proxy->intercept_builtins = false;
  Scenario(
      {{"extra", json::array{"Bash", "Read"}},
       {"steps", json::array{json::object{{"native", "Bash"}}, Forge("say", {{"text", "hello"}}),
                             json::object{{"call", "Bash"}, {"arguments", json::object{{"command", "exit 0"}}}}}}});
  const StepResult result = Run();
  EXPECT_EQ(Message(result), "");
  EXPECT_EQ(result.end.proxy_tools, 5);
  EXPECT_FALSE(result.end.isolation);
  EXPECT_EQ(result.end.bypasses, 0);
  EXPECT_EQ(observer_.Count("isolation"), 0) << observer_.All();
  EXPECT_EQ(observer_.Count("bypass"), 0);
  EXPECT_TRUE(observer_.Has("ready claude-code tools=5 start=1"));
  EXPECT_TRUE(observer_.Has("end forge_say ok"));
  EXPECT_TRUE(observer_.Has("end Bash error -32602"));  // of awf's Bash there is none
}

TEST_F(PluginToolsTest, AStepThatExposesNoneAsksForNone) {
  request_.proxy->plugin_tools.clear();
  Scenario({});
  EXPECT_EQ(Message(Run()), "");
  EXPECT_TRUE(plugins_.asked.empty());
}

TEST_F(PluginToolsTest, WhatFailsBeforeTheStartCostsNoToken) {
  Scenario({});
  plugins_.faults["forge"] = {
      "EXECUTION.PLUGIN.HANDSHAKE", "forge speaks plugin protocol 7, awf accepts 1", {}, {}, {}, {}};
  StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.PLUGIN.HANDSHAKE");
  EXPECT_EQ(Message(result), "forge speaks plugin protocol 7, awf accepts 1");
  EXPECT_EQ(result.end.status, StepStatus::kFailure);
  plugins_.faults["forge"].code = "USER.MCP_PROXY.UNKNOWN_PLUGIN";
  EXPECT_EQ(Code(Run()), "USER.MCP_PROXY.UNKNOWN_PLUGIN");
  plugins_.faults.clear();
  Expose({"say", "sya"});
  EXPECT_EQ(Code(Run()), "USER.MCP_PROXY.UNKNOWN_OPERATION");
  Expose({"say", "say"});
  EXPECT_EQ(Code(Run()), "USER.MCP_PROXY.NAME_COLLISION");
  operations_ = nullptr;
  result = Run();
  EXPECT_EQ(Code(result), "USER.MCP_PROXY.UNKNOWN_PLUGIN");
  EXPECT_EQ(Message(result), "unknown plugin 'forge': no plugins run here");
  EXPECT_FALSE(fs::exists(top_ / "record.json"));
}

TEST_F(PluginToolsTest, ArgumentsAreCheckedBeforeAnythingIsAsked) {
  Scenario(Steps({Forge("say"), Forge("say", {{"text", json::array{1}}}), Forge("unasked")}));
  EXPECT_EQ(Message(Run()), "");
  EXPECT_EQ(observer_.Count("end forge_say error invalid_arguments"), 2) << observer_.All();
  EXPECT_TRUE(observer_.Has("end forge_unasked error -32602"));  // the plugin has it, this step does not expose it
  EXPECT_TRUE(traces_.empty());
}

TEST_F(PluginToolsTest, ACallThatGetsNoAnswerInTimeIsATimeout) {
  Scenario(Steps({Forge("late")}));
  EXPECT_EQ(Message(Run()), "");
  EXPECT_TRUE(observer_.Has("end forge_late timeout timeout")) << observer_.All();
  EXPECT_TRUE(Gave(observer_, "toolu_1", "forge: no answer within 7 ms"));
}

TEST_F(PluginToolsTest, ACallThatTheClientGivesUpIsCancelledAtThePlugin) {
  json::object wait = Forge("wait");
  wait["cancel_when"] = Path("work/started");
  Scenario(Steps({wait, Forge("say", {{"text", "on"}})}));
  EXPECT_EQ(Message(Run()), "");
  EXPECT_TRUE(observer_.Has("end forge_wait cancelled cancelled")) << observer_.All();
  EXPECT_TRUE(observer_.Has("end forge_say ok"));
  EXPECT_EQ(cancelled_, 1);
}

TEST_F(PluginToolsTest, CallsRunAtTheSameTime) {
  json::array calls;
  for (int i = 0; i < 8; ++i) calls.emplace_back(Forge("meet"));
  Scenario(Steps({json::object{{"calls", std::move(calls)}}}));
  EXPECT_EQ(Message(Run()), "");
  EXPECT_EQ(observer_.Count("end forge_meet ok"), 8) << observer_.All();
  EXPECT_EQ(most_, 8);
}

TEST_F(PluginToolsTest, ALargeResultArrivesWhole) {
  // Of providers with their own limits the budget is cut by the adapter: what arrives is what it left.
  forge_->on_call = [](const OperationCall&) {
    OperationResult result;
    result.success = true;
    result.output.assign(std::size_t{10} << 20, 'x');
    return result;
  };
  Scenario(Steps({Forge("say", {{"text", "large"}}), Forge("say", {{"text", "again"}})}));
  EXPECT_EQ(Message(Run()), "");
  EXPECT_EQ(observer_.Count("end forge_say ok"), 2) << observer_.All();
}

TEST_F(PluginToolsTest, TheCallsOfAServerThatDiesAreCancelled) {
  json::object wait = Forge("wait");
  wait["crash_when"] = Path("work/started");
  Scenario(Steps({wait, Forge("say", {{"text", "again"}})}));
  EXPECT_EQ(Code(Run()), "EXECUTION.MCP_PROXY.LOST");
  EXPECT_TRUE(observer_.Has("end forge_wait lost proxy_lost")) << observer_.All();
  EXPECT_TRUE(observer_.Has("end forge_say ok"));  // through the server that took its place
  EXPECT_EQ(cancelled_, 1);
}

TEST_F(PluginToolsTest, TheStepsTimeIsThePluginsToo) {
  request_.deadline = SteadyClock::now() + seconds(3);
  Scenario(Steps({Forge("wait")}));
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.AGENT.TIMEOUT");
  EXPECT_EQ(result.end.status, StepStatus::kTimeout);
  EXPECT_EQ(observer_.Count("end forge_wait timeout"), 1) << observer_.All();
  EXPECT_EQ(observer_.Count("end "), 1);
}

TEST_F(PluginToolsTest, AStepThatIsStoppedStopsItsCalls) {
  std::stop_source stop;
  request_.cancelled = stop.get_token();
  Scenario(Steps({Forge("wait")}));
  std::jthread canceller([&] {
    while (!fs::exists(top_ / "work/started")) std::this_thread::sleep_for(milliseconds(5));
    stop.request_stop();
  });
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.RUN.CANCELLED");
  EXPECT_EQ(result.end.status, StepStatus::kCancelled);
  EXPECT_EQ(cancelled_, 1);
  EXPECT_EQ(observer_.Count("end forge_wait cancelled"), 1) << observer_.All();
}

TEST_F(PluginToolsTest, ACliThatGoesLeavesNoCallBehind) {
  json::object wait = Forge("wait");
  wait["leave_when"] = Path("work/started");
  Scenario({{"result", nullptr}, {"steps", json::array{wait}}, {"exit", 3}});
  EXPECT_EQ(Run().end.exit_code, 3);
  EXPECT_TRUE(observer_.Has("end forge_wait cancelled cancelled")) << observer_.All();
  EXPECT_EQ(cancelled_, 1);
}

// What someone may do who has read the server's configuration.
class Intruder {
 public:
  explicit Intruder(const fs::path& folder) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().filename() != "serve.json") continue;
      const auto config = LoadServeConfig(entry.path());
      if (!config) continue;
      auto client = channel::StepChannelClient::Connect(config->socket, config->token);
      if (client) client_ = std::move(*client);
    }
  }
  channel::StepChannelClient* operator->() const { return client_.get(); }
  explicit operator bool() const { return client_ != nullptr; }

 private:
  std::unique_ptr<channel::StepChannelClient> client_;
};

TEST_F(PluginToolsTest, APeerThatAsksForWhatItMayNotIsDropped) {
  Scenario(Steps({Bash("touch here; while [ ! -e go ]; do sleep 0.05; done"), Forge("say", {{"text", "on"}})}));
  std::jthread intruding([&] {
    while (!fs::exists(top_ / "work/here")) std::this_thread::sleep_for(milliseconds(5));
    channel::CallStarted started;
    started.call.call = "0123456789abcdef";
    started.call.tool = "forge_unasked";
    started.call.source = "plugin:forge";
    for (const bool told : {false, true}) {
      const Intruder intruder(top_ / "private");
      EXPECT_TRUE(intruder);
      if (!intruder) break;
      if (told) intruder->Send(started);
      intruder->Send(channel::PluginCall{"0123456789abcdef", "forge", "unasked", {}, {}});
      pollfd waiting{intruder->fd(), POLLIN, 0};
      EXPECT_EQ(::poll(&waiting, 1, 60'000), 1);
    }
    std::ofstream(top_ / "work/go").flush();
  });
  const StepResult result = Run();
  const auto events = observer_.Events();
  for (const char* reason :
       {"a plugin call without a call of a tool", "a plugin call of what this step does not expose"}) {
    EXPECT_TRUE(std::ranges::any_of(events, [&](const std::string& event) {
      return event.starts_with("log warn mcp proxy dropped a peer") && event.find(reason) != std::string::npos;
    })) << observer_.All();
  }
  EXPECT_TRUE(observer_.Has("end forge_say ok"));
  EXPECT_TRUE(observer_.Has("end forge_unasked lost proxy_lost"));
  EXPECT_EQ(traces_.size(), 1U) << "the plugin was asked for the intruder";
  EXPECT_EQ(Code(result), "EXECUTION.MCP_PROXY.LOST");  // that call was never answered
}

}  // namespace
}  // namespace awf::agents
