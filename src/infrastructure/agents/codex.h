// Codex CLI (`codex exec`): how it is started, what its stream means, how it ends.
//
// In intercept mode flags and a patched model catalog take every native tool away but three that ask MCP servers for
// resources, hence only ours; the user's configuration is not read, login and sessions stay. Codex announces nothing.
// Verified with 0.171.0. One object per attempt, one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "domain/agent.h"
#include "infrastructure/agents/assistant_text.h"
#include "infrastructure/agents/cli_providers.h"
#include "infrastructure/agents/codex_items.h"
#include "infrastructure/agents/provider_setup.h"

namespace awf::agents {

inline constexpr std::string_view kVerifiedCodex[] = {"0.171.0"};

LoginState CodexLogin(const Environment& environment);
ProbeTarget CodexProbe(const std::string& base_url, const std::filesystem::path& mark);
std::string OfferedByCodex(std::string_view final_name);

class CodexProvider final : public AgentProvider {
 public:
  // `system_folder` is where an administrator's configuration lies.
  explicit CodexProvider(ProviderSetup setup, std::filesystem::path system_folder = "/etc/codex")
      : setup_(std::move(setup)), system_folder_(std::move(system_folder)) {}

  std::expected<Invocation, Error> Prepare(const AgentRequest& request, const ProxyEndpoint* proxy) override;
  void Read(std::string_view line, AgentEvents& events) override;
  Verdict Judge(const ProcessExit& exit) const override;
  std::string ShownName(std::string_view final_name) const override;

 private:
  void AddRecipe(const AgentRequest& request, Invocation& invocation) const;
  void AddCatalog(Invocation& invocation) const;
  std::string SystemDoubt() const;
  void AddOptions(const AgentRequest& request, bool intercept, Invocation& invocation) const;
  void ReadThread(const json::object& event, AgentEvents& events);
  void ReadItem(const json::object& event, bool completed, AgentEvents& events);
  void ReadUsage(const json::object& event, AgentEvents& events);
  void ReadError(std::string_view message, AgentEvents& events);
  Error ExplainExit(const ProcessExit& exit) const;
  Error ExplainFailure(std::string_view text) const;

  const ProviderSetup setup_;
  const std::filesystem::path system_folder_;
  std::string model_, wanted_thread_;
  TokenUsage known_usage_;  // of the thread, before this step
  bool strict_ = false;

  std::string thread_, last_error_;
  std::optional<std::string> failed_;
  bool completed_ = false;
  TokenUsage usage_, thread_usage_;
  AssistantText text_;
  std::set<std::string, std::less<>> open_;  // ids of tool items that have no result yet
};

}  // namespace awf::agents
