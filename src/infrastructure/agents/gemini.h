// Gemini CLI (`gemini -o stream-json`): how it is started, what its stream means, how it ends.
//
// With the proxy it gets a private home, as its MCP servers are read from there alone; the user's login goes along. In
// intercept mode a policy takes every native tool away. Verified with 0.61.0. One object per attempt, one thread.
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
#include "infrastructure/agents/gemini_home.h"

namespace awf::agents {

inline constexpr std::string_view kVerifiedGemini[] = {"0.61.0"};

ProbeTarget GeminiProbe(const std::string& base_url, const std::filesystem::path& mark);
std::string OfferedByGemini(std::string_view final_name);

// The CLI puts the file in place of an `@name` wherever it stands, also within a word; `\@` is left alone.
std::string WithoutFileReferences(std::string_view text);

class GeminiProvider final : public AgentProvider {
 public:
  explicit GeminiProvider(ProviderSetup setup);

  std::expected<Invocation, Error> Prepare(const AgentRequest& request, const ProxyEndpoint* proxy) override;
  void Read(std::string_view line, AgentEvents& events) override;
  Verdict Judge(const ProcessExit& exit) const override;
  std::string ShownName(std::string_view final_name) const override;

 private:
  // What the last event, "result", says.
  struct Result {
    bool success = false;
    std::string text;
  };

  std::vector<std::string> Arguments(const AgentRequest& request, bool intercept, Invocation& invocation) const;
  void AddHome(const GeminiUser& user, const ProxyEndpoint& proxy, bool intercept, Invocation& invocation) const;
  std::expected<void, Error> KeepSessions() const;
  void AddEnvironment(const AgentRequest& request, const GeminiUser& user, bool proxy, Invocation& invocation) const;
  std::string Text(const AgentRequest& request, const GeminiUser& user, bool intercept, Invocation& invocation) const;
  void ReadText(const json::object& event, AgentEvents& events);
  void ReadToolUse(const json::object& event, AgentEvents& events);
  void ReadToolResult(const json::object& event, AgentEvents& events);
  void ReadResult(const json::object& event, AgentEvents& events);
  void TellText(AgentEvents& events);
  bool IsOurs(std::string_view name) const;
  Error ExplainExit(const ProcessExit& exit) const;
  Error ExplainResult(const ProcessExit& exit) const;

  const ProviderSetup setup_;
  std::set<std::string, std::less<>> ours_;  // shown names
  std::string resumed_;                      // session to go on with; "" for a new one
  std::filesystem::path moved_from_;         // where that one began, if in another folder

  std::optional<Result> result_;
  std::string session_, model_, last_error_;
  std::map<std::string, std::string, std::less<>> names_by_id_;  // tools in use, as shown
  TokenUsage usage_;
  AssistantText text_;
  std::string said_;  // not told as a message yet: text comes in pieces
};

}  // namespace awf::agents
