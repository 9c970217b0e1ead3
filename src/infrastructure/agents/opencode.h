// OpenCode (`opencode run`): how it is started, what its stream means, how it ends.
//
// In intercept mode an agent of the step's own denies every tool but ours. The CLI works in a private, empty folder
// with a private configuration: --pure and OPENCODE_DISABLE_PROJECT_CONFIG do not keep 1.18.33 from running the
// plugins of the workspace and the user. Login, model providers and project memory are handed over. Verified with
// 1.18.33. One object per attempt, one thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/agent.h"
#include "infrastructure/agents/assistant_text.h"
#include "infrastructure/agents/cli_providers.h"

namespace awf::agents {

inline constexpr std::string_view kVerifiedOpenCode[] = {"1.18.33"};

LoginState OpenCodeLogin(const Environment& environment);
ProbeTarget OpenCodeProbe(const std::string& base_url, const std::filesystem::path& mark);
std::string OfferedByOpenCode(std::string_view final_name);

class OpenCodeProvider final : public AgentProvider {
 public:
  explicit OpenCodeProvider(ProviderSetup setup);

  std::expected<Invocation, Error> Prepare(const AgentRequest& request, const ProxyEndpoint* proxy) override;
  void Read(std::string_view line, AgentEvents& events) override;
  Verdict Judge(const ProcessExit& exit) const override;
  std::string ShownName(std::string_view final_name) const override;

 private:
  struct Fault {
    std::string name, text;
    std::int64_t status = 0;  // of HTTP; 0: none is known
  };

  std::expected<std::filesystem::path, Error> SessionFolder(const AgentRequest& request) const;
  void AddConfiguration(const AgentRequest& request, const ProxyEndpoint* proxy, Invocation& invocation) const;
  void AddPrompt(const AgentRequest& request, Invocation& invocation) const;
  void ReadTool(const json::object& part, AgentEvents& events);
  void ReadStepEnd(const json::object& part, AgentEvents& events);
  void ReadError(const json::object& event);
  std::optional<Error> Failure(const ProcessExit& exit) const;
  Error Explain(const Fault& fault, const ProcessExit& exit) const;

  const ProviderSetup setup_;
  bool intercept_ = false, proxied_ = false;
  std::string agent_;  // of the step; empty: the user's
  std::string session_, model_, continued_;
  std::vector<std::string> flags_;  // as given, to tell which one an older version does not know

  AssistantText text_;
  TokenUsage usage_;
  std::string last_reason_;  // of the last answer's end
  std::optional<Fault> fault_;
};

}  // namespace awf::agents
