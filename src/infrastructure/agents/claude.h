// Claude Code (`claude -p`): how it is started, what its stream means, how it ends.
//
// In intercept mode the recipe takes every native tool away, with the user's hooks, deny rules and servers; the user's
// login, model and environment settings and the project memory are handed over explicitly. Verified with 2.1.197 and
// 2.1.332. One object per attempt, one thread.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "domain/agent.h"
#include "infrastructure/agents/assistant_text.h"
#include "infrastructure/agents/cli_providers.h"

namespace awf::agents {

inline constexpr std::string_view kVerifiedClaude[] = {"2.1.197", "2.1.332"};

LoginState ClaudeLogin(const Environment& environment);
ProbeTarget ClaudeProbe(const std::string& base_url, const std::filesystem::path& mark);
std::string OfferedByClaude(std::string_view final_name);

class ClaudeProvider final : public AgentProvider {
 public:
  explicit ClaudeProvider(ProviderSetup setup);

  std::expected<Invocation, Error> Prepare(const AgentRequest& request, const ProxyEndpoint* proxy) override;
  void Read(std::string_view line, AgentEvents& events) override;
  Verdict Judge(const ProcessExit& exit) const override;
  std::string ShownName(std::string_view final_name) const override;

 private:
  // What the last event, "result", says.
  struct Result {
    bool is_error = false;
    std::string subtype, text, terminal_reason;
    std::vector<std::string> errors;
    std::int64_t turns = 0;
    std::int64_t api_status = 0;
  };

  void AddPrompt(const AgentRequest& request, bool intercept, Invocation& invocation) const;
  void AddUserSettings(Invocation& invocation) const;
  void ReadSystem(const json::object& event, AgentEvents& events);
  void ReadAssistant(const json::object& event, AgentEvents& events);
  void ReadUser(const json::object& event, AgentEvents& events) const;
  void ReadResult(const json::object& event, AgentEvents& events);
  void TellMessage(const json::object& event, MessageRole role, AgentEvents& events) const;
  bool IsOurs(std::string_view name) const;
  Error ExplainExit(const ProcessExit& exit) const;
  Error ExplainResult(const ProcessExit& exit) const;

  const ProviderSetup setup_;
  std::filesystem::path config_dir_, home_;
  std::set<std::string, std::less<>> ours_;  // shown names

  std::optional<Result> result_;
  std::string session_, model_;
  std::string continued_;  // the session that it goes on with
  std::map<std::string, TokenUsage> usage_by_message_;
  TokenUsage usage_;
  AssistantText text_;
};

}  // namespace awf::agents
