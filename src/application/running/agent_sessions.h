// The sessions that agent steps leave behind, for the steps that go on with them. Thread-safe.
#pragma once

#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "application/running/run_context.h"
#include "domain/agent.h"
#include "domain/workflow.h"

namespace awf {

// Which running state goes on with which session, of one run. Outlives the leases.
class SessionsInUse {
 public:
  using Session = std::pair<std::string, std::string>;  // provider, id

 private:
  friend class SessionLease;
  std::mutex mutex_;
  std::map<Session, std::string> states_;
};

// The session that a state goes on with while it runs, also between its attempts. Of one thread.
class SessionLease {
 public:
  SessionLease(SessionsInUse& all, std::string state) : all_(all), state_(std::move(state)) {}
  ~SessionLease() { Release(); }
  SessionLease(const SessionLease&) = delete;
  SessionLease& operator=(const SessionLease&) = delete;

  // Of this session, and no other any more. Returns the state that has it; empty: it is ours.
  std::string Take(const AgentSession& session);

 private:
  void Release();

  SessionsInUse& all_;
  const std::string state_;
  SessionsInUse::Session held_;  // both empty: none
};

// Gives the rendered request of an attempt the name of its conversation and the session to go on with, as the run's
// memory has it: the same for each attempt of a step. EXECUTION.AGENT.SESSION_LOST: there is none, or another provider,
// or another folder, makes it useless, or another running step goes on with it, of which the provider keeps one only.
std::expected<void, Error> JoinConversation(const RunContext& run, const State& state, const AgentState& agent,
                                            AgentRequest& request, SessionLease& lease);

// What the memory keeps of the step that has ended: its own session. One that goes on from itself and failed before it
// had one keeps what it went on with, so that it can try again. May be null.
std::shared_ptr<const AgentSession> SessionToKeep(const RunContext& run, const State& state, const StepResult& result);

}  // namespace awf
