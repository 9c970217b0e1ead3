// For tests of how a CLI is started: a user's home and a workspace, a step that intercepts, and a look at what became
// of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/agent.h"
#include "domain/test_folder.h"
#include "infrastructure/agents/provider_setup.h"

namespace awf::agents {

class RecipeTest : public testing::Test {
 protected:
  explicit RecipeTest(std::string version) {
    std::filesystem::create_directories(top_ / "work");
    setup_.environment.Set("HOME", (top_ / "home").string());
    setup_.step_folder = "/step";
    setup_.version = std::move(version);
    request_.prompt = "do it";
    request_.working_dir = top_ / "work";
    request_.proxy.emplace();
    request_.proxy->enable = true;
  }

  std::expected<Invocation, Error> TryWith(AgentProvider& provider, bool with_proxy) {
    if (!with_proxy) request_.proxy.reset();
    return provider.Prepare(request_, with_proxy ? &endpoint_ : nullptr);
  }
  static Invocation Succeeded(std::expected<Invocation, Error> invocation) {
    EXPECT_TRUE(invocation) << (invocation ? "" : invocation.error().message);
    return invocation ? std::move(*invocation) : Invocation();
  }

  static bool Has(const Invocation& invocation, std::string_view word) {
    return std::ranges::find(invocation.argv, word) != invocation.argv.end();
  }
  static std::string File(const Invocation& invocation, std::string_view name) {
    const auto file = std::ranges::find(invocation.files, name, &PrivateFile::name);
    return file == invocation.files.end() ? "(none)" : file->contents;
  }
  static std::string Variable(const Invocation& invocation, std::string_view name) {
    const auto entry = std::ranges::find(invocation.set_env, name, &std::pair<std::string, std::string>::first);
    return entry == invocation.set_env.end() ? "(unset)" : entry->second;
  }

  const TestFolder top_;
  ProviderSetup setup_;
  ProxyEndpoint endpoint_{"/opt/awf", "/step/serve.json", "/step", {"Read", "Bash"}, 60'000};
  AgentRequest request_;
};

}  // namespace awf::agents
