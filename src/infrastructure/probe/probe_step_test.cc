#include "infrastructure/probe/probe_step.h"

#include <gtest/gtest.h>

namespace awf::probe {
namespace {

agents::ProbeTarget Target() {
  agents::ProbeTarget target;
  target.options = {{"model", "probe"}, {"config", json::object{{"model_provider", "probe"}}}};
  target.environment = {{"BASE_URL", "http://127.0.0.1:1"}};
  return target;
}

AgentRequest Asked() {
  AgentRequest request;
  request.prompt = "secret plan";
  request.system_prompt = "be kind";
  request.options = {
      {"model", "big"},
      {"effort", "high"},
      {"max_turns", 1},
      {"extra_args", json::array{"--x"}},
      {"config", json::object{{"model_provider", "mine"}, {"other", 1}}},
      {"env", json::object{{"BASE_URL", "https://real.example"}, {"HTTPS_PROXY", "http://p"}, {"MINE", "1"}}}};
  request.proxy.emplace();
  request.proxy->isolation_required = true;
  request.proxy->project_memory = false;
  request.proxy->sandbox.mode = SandboxMode::kStrict;
  request.continued.emplace();
  request.conversation = "talk";
  return request;
}

TEST(ProbeStepTest, KeepsWhatDecidesTheOfferAndNothingThatLeavesTheMachine) {
  const AgentRequest probe = ProbeRequest(Asked(), {}, Target(), "/w", std::nullopt);
  EXPECT_EQ(probe.options, (json::object{{"model", "probe"},
                                         {"effort", "high"},
                                         {"extra_args", json::array{"--x"}},
                                         {"config", json::object{{"model_provider", "probe"}, {"other", 1}}},
                                         {"env", json::object{{"MINE", "1"}}}}));
  EXPECT_EQ(probe.prompt.find("secret"), std::string::npos);
  EXPECT_EQ(probe.system_prompt, "");
  EXPECT_EQ(probe.working_dir, "/w");
  EXPECT_FALSE(probe.continued);
  EXPECT_EQ(probe.conversation, "");
  EXPECT_TRUE(probe.proxy->intercept_builtins);
  EXPECT_FALSE(probe.proxy->isolation_required);
  EXPECT_FALSE(probe.proxy->project_memory);
  EXPECT_EQ(probe.proxy->sandbox.mode, SandboxMode::kWorkspaceWrite);
}

TEST(ProbeStepTest, TheModelStaysWhereItDecidesTheTools) {
  agents::CliProvider provider;
  provider.tools_by_model = true;
  AgentRequest asked = Asked();
  EXPECT_EQ(ProbeRequest(asked, provider, Target(), "/w", std::nullopt).options.at("model"), json::value("big"));
  asked.options.erase("model");
  EXPECT_EQ(ProbeRequest(asked, provider, Target(), "/w", std::nullopt).options.at("model"), json::value("probe"));
}

TEST(ProbeStepTest, TheSoonerDeadlineHolds) {
  AgentRequest asked = Asked();
  const auto now = SteadyClock::now();
  EXPECT_EQ(ProbeRequest(asked, {}, Target(), "/w", now).deadline, now);
  asked.deadline = now - std::chrono::seconds(1);
  EXPECT_EQ(ProbeRequest(asked, {}, Target(), "/w", now).deadline, asked.deadline);
}

TEST(ProbeStepTest, EnvironmentHasNoProxyAndTheTargetsVariables) {
  EXPECT_EQ(ProbeEnvironment({"A=1", "http_proxy=x", "ALL_PROXY=y", "BASE_URL=real"}, Target()),
            (std::vector<std::string>{"A=1", "BASE_URL=http://127.0.0.1:1"}));
}

}  // namespace
}  // namespace awf::probe
