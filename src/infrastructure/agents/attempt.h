// Attempt: one run of an agent CLI from preparation to verdict; AgentRunner makes one per call of Run.
//
// Prepare, Supervise and Conclude are called in this order, on one thread.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "domain/agent.h"
#include "infrastructure/agents/agent_runner.h"
#include "infrastructure/agents/cli_process.h"
#include "infrastructure/agents/cli_providers.h"
#include "infrastructure/agents/conversation_folders.h"
#include "infrastructure/agents/isolation.h"
#include "infrastructure/agents/plugin_calls.h"
#include "infrastructure/agents/proxy_monitor.h"
#include "infrastructure/agents/stream_monitor.h"
#include "infrastructure/process/keeper.h"
#include "infrastructure/step_channel/step_channel.h"

namespace awf::agents {

class Attempt {
 public:
  // `fallback`: the CLI is started for the second time, see Verdict::try_fallback.
  Attempt(const AgentHost& host, ProgramAnswers& answers, ConversationFolders& conversations,
          const AgentRequest& request, RunObserver& observer, bool fallback = false);

  // Private folder, channel, files, and the CLI's start.
  std::expected<void, Error> Prepare();
  // Until nothing of the attempt is left.
  void Supervise();
  StepResult Conclude(std::optional<Error> failure);
  bool WantsFallback() const { return wants_fallback_; }

 private:
  enum class Phase {
    kRunning,
    kTerminating,  // SIGTERM was sent; SIGKILL follows
    kDraining,     // the CLI has ended, its servers may be about to
    kEnding,       // the tree is being killed
    kDone,
  };

  std::expected<std::filesystem::path, Error> Examine(const Environment& base);
  std::expected<void, Error> StartKeeper();
  std::expected<void, Error> OpenConversation();
  std::shared_ptr<const AgentSession> SessionOf(Verdict& verdict) const;
  std::expected<ProxyEndpoint, Error> OpenProxy();
  std::expected<void, Error> StartPlugins();
  std::expected<void, Error> Launch(const std::filesystem::path& program, Invocation invocation);
  std::expected<void, Error> OpenChannel(const ProxyEndpoint& endpoint);
  StreamMonitor::Rules RulesFor(const ProxyEndpoint* endpoint) const;
  std::expected<void, Error> WriteFile(const std::string& name, const std::string& contents) const;
  Environment ChildEnvironment(const Invocation& invocation) const;
  void Warn(const std::string& text) const;
  void TellPrompts() const;

  int PollTimeout() const;
  void DrainChannel();
  void HandleEvent(const channel::ServerEvent& event);
  std::expected<void, std::string> HandlePluginEvent(const channel::ServerEvent& event);
  void CheckVersion();
  void HandleStream();
  void HandleKeeper();
  void HandleExit(const process::ExitStatus& status);
  std::optional<Error> WhyOver();  // cancelled, or the step's time is up
  void StopIfDue();
  void Terminate();
  void EnterDraining();
  void EndServers();
  void EnterEnding(std::chrono::milliseconds grace);
  void AdvancePhase();
  std::optional<Error> Failure(const Verdict& verdict) const;
  std::string WithErrorLines(std::string message) const;
  void LogErrorOutput() const;

  const AgentHost& host_;
  ProgramAnswers& answers_;
  ConversationFolders& conversations_;
  const AgentRequest& request_;
  RunObserver& observer_;
  const CliProvider* entry_ = nullptr;
  const SteadyClock::time_point begin_ = SteadyClock::now();

  std::string sandbox_, version_, doubt_;  // doubt_: Invocation::isolation_doubt
  bool version_checked_ = false;
  bool proven_ = false;                                 // by a probe
  std::filesystem::path folder_, conversation_folder_;  // the latter empty where the step has none
  std::optional<FactsOfProgram> facts_;
  std::unique_ptr<AgentProvider> provider_;
  std::unique_ptr<process::Keeper> keeper_;
  std::unique_ptr<channel::StepChannelServer> channel_;
  std::unique_ptr<PluginCalls> plugin_calls_;  // as the channel, where there is a proxy
  std::unique_ptr<CliProcess> cli_;
  ProxyMonitor proxy_;
  std::optional<StreamMonitor> stream_;
  std::size_t input_bytes_ = 0;

  Phase phase_ = Phase::kRunning;
  Deadline phase_until_;
  std::optional<SteadyClock::time_point> signalled_;
  std::multiset<SteadyClock::time_point> stray_checks_;
  std::optional<Error> stop_;  // why the CLI was stopped
  std::optional<Error> spawn_failure_;
  bool timed_out_ = false, cancelled_ = false, keeper_died_ = false, servers_ended_ = false;
  const bool fallback_;
  bool wants_fallback_ = false;
  process::ExitStatus exit_;
};

}  // namespace awf::agents
