#include "infrastructure/agents/step_tools.h"

#include <gtest/gtest.h>

namespace awf::agents {
namespace {

AgentRequest RequestFor(std::string provider) {
  AgentRequest request;
  request.provider = std::move(provider);
  request.working_dir = "/work";
  request.proxy.emplace();
  return request;
}

TEST(MakeToolSettingsTest, TakesTheBudgetOfTheProvider) {
  const auto budget = [](const char* provider) {
    return MakeToolSettings(RequestFor(provider), {}, "/private", {}).budget;
  };
  EXPECT_EQ(budget("claude").characters, 40'000U);
  EXPECT_EQ(budget("claude").lines, 0U);
  EXPECT_EQ(budget("openai_compatible").bytes, 40'000U);
  EXPECT_EQ(budget("opencode").characters, 45'000U);
  EXPECT_EQ(budget("opencode").bytes, 45'000U);
  EXPECT_EQ(budget("opencode").error, 10'000U);
  EXPECT_EQ(budget("opencode").lines, 1'900U);
  EXPECT_EQ(budget("github_copilot").bytes, 20'000U);
}

TEST(MakeToolSettingsTest, SecretsOfTheStepAreDroppedForCommands) {
  AgentRequest request = RequestFor("opencode");
  request.options["env"] = json::object{{"MY_API_KEY", "k"}, {"PLAIN", "v"}};
  const ToolSettings settings = MakeToolSettings(request, {"A=b"}, "/private", {});
  EXPECT_EQ(settings.secret_names, (std::vector<std::string>{"MY_API_KEY"}));
  EXPECT_EQ(settings.environment, (std::vector<std::string>{"A=b"}));
  EXPECT_EQ(settings.root, "/work");
  EXPECT_EQ(settings.private_folder, "/private");
}

TEST(MakeToolSettingsTest, KeysOfConfiguredProvidersAreDroppedForCommands) {
  AgentRequest request;
  request.proxy.emplace();
  request.options = json::parse(R"({"config":{"model_providers":{"a":{"env_key":"A_KEY"}},
      "model_providers.b":{"env_key":"B_KEY","base_url":"http://h"},"model_provider":"a"}})")
                        .as_object();
  EXPECT_EQ(MakeToolSettings(request, {}, {}, {}).secret_names, (std::vector<std::string>{"A_KEY", "B_KEY"}));
}

}  // namespace
}  // namespace awf::agents
