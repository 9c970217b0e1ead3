// Mistral Vibe (`vibe -p`): how it is started, what its stream means, how it ends.
//
// Vibe 3 offers its model our tools as functions of its own `run_typescript`, beside its native tools, which cannot be
// taken away: the recipe has every call of them denied. In intercept mode the step's private folder is its home, so
// that the user's hooks, plugins, agents and servers stay out; login and model settings are handed over. How a run
// ended stands in export.json, which Vibe writes into that folder. Verified with 3.0.3. One object per attempt, one
// thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "domain/agent.h"
#include "infrastructure/agents/assistant_text.h"
#include "infrastructure/agents/cli_providers.h"

namespace awf::agents {

inline constexpr std::string_view kVerifiedVibe[] = {"3.0.3"};
// Vibe cuts what run_typescript returns above 16,000 characters, quoted as JSON, to 8,000.
inline constexpr ResultBudget kVibeBudget{.characters = 12'000, .bytes = 14'000, .error = 10'000};

LoginState MistralVibeLogin(const Environment& environment);
ProbeTarget MistralVibeProbe(const std::string& base_url, const std::filesystem::path& mark);
std::string OfferedByMistralVibe(std::string_view final_name);

class MistralVibeProvider final : public AgentProvider {
 public:
  explicit MistralVibeProvider(ProviderSetup setup);

  std::expected<Invocation, Error> Prepare(const AgentRequest& request, const ProxyEndpoint* proxy) override;
  void Read(std::string_view line, AgentEvents& events) override;
  Verdict Judge(const ProcessExit& exit) const override;
  std::string ShownName(std::string_view final_name) const override;

 private:
  void AddTools(const AgentRequest& request, const ProxyEndpoint* proxy, Invocation& invocation) const;
  void AddServer(const ProxyEndpoint& proxy, Invocation& invocation) const;
  void AddHome(Invocation& invocation) const;
  void AddEnvironment(Invocation& invocation) const;
  void RemoveVariables(Invocation& invocation) const;
  std::expected<void, Error> AddPrompt(const AgentRequest& request, Invocation& invocation) const;
  void ReadMessage(const json::object& entry, AgentEvents& events);
  void ReadEffect(const json::object& entry, AgentEvents& events);
  std::string FinalName(std::string_view shown) const;
  Error ExplainExit(const ProcessExit& exit) const;

  const ProviderSetup setup_;
  std::filesystem::path home_;  // the user's Vibe home
  bool intercept_ = false;
  std::string wanted_model_, continued_;

  std::string session_;
  AssistantText text_;
};

}  // namespace awf::agents
