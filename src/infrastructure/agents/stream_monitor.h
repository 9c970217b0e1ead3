// StreamMonitor: what a CLI's own event stream proves: isolation, bypasses, refusals, tokens.
//
// Receives what the provider makes of the stream, tells the observer, and says when the CLI must be stopped: not
// connected although the model speaks, isolation that is required and not had, a bypass under `required`, retries that
// cannot help. Passes messages on; before one with a tool's result it lets the step channel be read, so that the call
// is always told before its result. One thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "domain/agent.h"
#include "domain/run_observer.h"
#include "infrastructure/agents/isolation.h"

namespace awf::agents {

class StreamMonitor final : public AgentEvents {
 public:
  struct Rules {
    StepContext step{};
    std::string provider{};  // as written in the file
    std::string version{};   // as --version told it; the announcement's wins
    std::string verified{};  // the newest version that was verified, for the warning
    bool proxy = false, intercept = false, required = false;
    std::set<std::string> ours{};  // shown names
    IsolationClaim claim{};        // holds where nothing is announced
    std::string probe_model{};     // a probe must name this model to prove it
  };

  // `connected` reads what the step channel has to say and tells whether the agent is connected.
  StreamMonitor(Rules rules, RunObserver& observer, std::function<bool()> connected)
      : rules_(std::move(rules)), observer_(observer), connected_(std::move(connected)) {}

  void Announced(const std::vector<std::string>& tools, bool connected, std::string_view version) override;
  void ServerFailed(std::string_view why) override;
  void IsolationIs(IsolationLevel level, std::string_view reason) override;
  void Text(std::string_view text) override;
  void ToolUse(std::string_view id, std::string_view name, bool native, std::string_view event_type) override;
  void ToolEnded(std::string_view id, bool is_error, bool refused) override;
  void Message(const AgentMessage& message) override;
  void PermissionDenied(std::string_view name) override;
  void Tokens(const TokenUsage& usage) override;
  void Session(std::string_view) override {}
  void HopelessRetry(const Error& why) override { Stop(why); }
  void FinalEvent() override { final_event_ = true; }

  // The stream is over: native uses without a result count as bypasses, a step without announcement gets its level; but
  // not when it was `cancelled` before it could announce anything, which proves nothing.
  void Finish(bool cancelled = false);
  // After Finish: what the CLI wrote to stderr lowers the level.
  void Doubt(std::string_view reason);

  // The CLI's MCP client has told its version: `claim` holds from now on, unless a level is known.
  void VersionIs(std::string_view version, IsolationClaim claim);

  // Set as soon as the CLI must be stopped; the first reason stays.
  const std::optional<Error>& stop_reason() const { return stop_reason_; }
  bool final_event() const { return final_event_; }
  // Failures that show only when the stream is over.
  std::optional<Error> Failure() const;

  std::optional<IsolationLevel> level() const { return level_; }
  const std::string& version() const { return rules_.version; }
  int bypasses() const { return bypasses_; }
  std::size_t text_bytes() const { return text_bytes_; }

 private:
  void Stop(Error why);
  void ModelSpoke();
  void Report(IsolationReport report);
  void ReportClaim();
  void Bypass(const NativeUse& use);

  Rules rules_;
  RunObserver& observer_;
  std::function<bool()> connected_;
  std::optional<Error> stop_reason_;
  std::optional<IsolationLevel> level_;
  std::vector<std::string> announced_;
  std::map<std::string, NativeUse, std::less<>> native_;  // by id, result not seen yet
  bool spoke_ = false, final_event_ = false;
  int bypasses_ = 0, our_uses_ = 0, denied_ = 0;
  std::size_t text_bytes_ = 0;
};

}  // namespace awf::agents
