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
#include "infrastructure/agents/proxy_monitor.h"
#include "infrastructure/agents/stream_monitor.h"
#include "infrastructure/process/keeper.h"
#include "infrastructure/step_channel/step_channel.h"

namespace awf::agents {

class Attempt {
 public:
  Attempt(const AgentHost& host, ProgramVersions& versions, const AgentRequest& request, RunObserver& observer);

  // Private folder, channel, files, and the CLI's start.
  std::expected<void, Error> Prepare();
  std::expected<std::filesystem::path, Error> Program(const std::string& search_path) const;
  // Until nothing of the attempt is left.
  void Supervise();
  StepResult Conclude(std::optional<Error> failure);

 private:
  enum class Phase {
    kRunning,
    kTerminating,  // SIGTERM was sent; SIGKILL follows
    kDraining,     // the CLI has ended, its servers may be about to
    kEnding,       // the tree is being killed
    kDone,
  };

  std::expected<void, Error> StartKeeper();
  std::expected<void, Error> OpenChannel(const ProxyEndpoint& endpoint);
  std::expected<void, Error> WriteFile(const std::string& name, const std::string& contents) const;
  Environment ChildEnvironment(const Invocation& invocation) const;
  void Warn(const std::string& text) const;
  void TellPrompts() const;

  int PollTimeout() const;
  void DrainChannel();
  void HandleStream();
  void HandleKeeper();
  void HandleExit(const process::ExitStatus& status);
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
  ProgramVersions& versions_;
  const AgentRequest& request_;
  RunObserver& observer_;
  const CliProvider* entry_ = nullptr;
  const SteadyClock::time_point begin_ = SteadyClock::now();

  std::string sandbox_;
  std::filesystem::path folder_;
  std::unique_ptr<AgentProvider> provider_;
  std::unique_ptr<process::Keeper> keeper_;
  std::unique_ptr<channel::StepChannelServer> channel_;
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
  process::ExitStatus exit_;
};

}  // namespace awf::agents
