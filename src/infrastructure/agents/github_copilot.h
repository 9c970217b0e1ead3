// GitHub Copilot CLI (`copilot`): how it is started, what its stream means, how it ends.
//
// In intercept mode the recipe offers the model our server alone, from a private home (github_copilot_home.h). The CLI
// tells which tools it has disabled and how many it found with us; neither is the list of what it offers, so this only
// keeps or lowers what its version promises. Verified with 1.0.102. One object per attempt, one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "domain/agent.h"
#include "infrastructure/agents/cli_providers.h"

namespace awf::agents {

inline constexpr std::string_view kVerifiedCopilot[] = {"1.0.102"};
inline constexpr char kCopilotUsageFile[] = "usage.json";  // in the step folder

LoginState CopilotLogin(const Environment& environment);
ProbeTarget CopilotProbe(const std::string& base_url, const std::filesystem::path& mark);
std::string OfferedByCopilot(std::string_view final_name);

class GitHubCopilotProvider final : public AgentProvider {
 public:
  explicit GitHubCopilotProvider(ProviderSetup setup);

  std::expected<Invocation, Error> Prepare(const AgentRequest& request, const ProxyEndpoint* proxy) override;
  void Read(std::string_view line, AgentEvents& events) override;
  Verdict Judge(const ProcessExit& exit) const override;
  std::string ShownName(std::string_view final_name) const override;

 private:
  // What the event "session.error" says.
  struct SessionError {
    std::string type, text;
    std::int64_t status = 0;
  };

  void AddPermissions(const json::object& options, const ProxyEndpoint* proxy, Invocation& invocation) const;
  std::expected<void, Error> AddPrivateHome(Invocation& invocation) const;
  void AddPrompt(const AgentRequest& request, Invocation& invocation) const;
  void ReadServer(std::string_view type, const json::object& data, AgentEvents& events);
  void ReadInfo(const json::object& data, AgentEvents& events);
  void ReadMessage(const json::object& data, bool of_subagent, AgentEvents& events);
  void ReadCall(const json::object& data, std::string_view type, AgentEvents& events);
  void ReadCallEnd(const json::object& data, AgentEvents& events);
  void ReadResult(const json::object& event, AgentEvents& events);
  void CheckIsolation(AgentEvents& events);
  TokenUsage ReadUsage() const;
  std::optional<Error> Failure(const ProcessExit& exit) const;
  Error ExplainExit(const ProcessExit& exit) const;

  const ProviderSetup setup_;
  std::size_t our_tools_ = 0;
  bool intercept_ = false;
  std::string continued_;  // session that this attempt goes on with
  TokenUsage before_;      // of the whole thread, when it was continued

  std::optional<std::set<std::string, std::less<>>> disabled_;  // names, once told
  std::optional<std::int64_t> tools_found_;                     // number of ours, once told
  bool isolation_checked_ = false;
  std::map<std::string, std::string, std::less<>> calls_;  // name by id
  std::set<std::string, std::less<>> streamed_;            // messages whose text came in pieces
  std::string text_, text_call_;                           // last message with text, and the model call it came from
  std::string session_, model_, aborted_;
  TokenUsage thread_usage_;  // of the whole thread
  std::optional<SessionError> error_;
  std::optional<std::int64_t> exit_code_;  // of the final event
};

}  // namespace awf::agents
