// The sessions that agent steps leave behind, for the steps that go on with them. No state of its own; thread-safe.
#pragma once

#include <expected>
#include <memory>

#include "application/running/run_context.h"
#include "domain/agent.h"
#include "domain/workflow.h"

namespace awf {

// Gives the rendered request of an attempt the name of its conversation and the session to go on with, as the run's
// memory has it: the same for each attempt of a step. EXECUTION.AGENT.SESSION_LOST: there is none, or another provider,
// or another folder, makes it useless.
std::expected<void, Error> JoinConversation(const RunContext& run, const State& state, const AgentState& agent,
                                            AgentRequest& request);

// What the memory keeps of the step that has ended: its own session. One that goes on from itself and failed before it
// had one keeps what it went on with, so that it can try again. May be null.
std::shared_ptr<const AgentSession> SessionToKeep(const RunContext& run, const State& state, const StepResult& result);

}  // namespace awf
