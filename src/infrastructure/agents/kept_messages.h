// The messages of a conversation that awf itself keeps, for providers that have no sessions of their own.
#pragma once

#include <cstddef>

#include "domain/agent.h"
#include "domain/json.h"
#include "domain/run_observer.h"

namespace awf::agents {

// As JSON text. They go into the run's state after every step, and into every request of the steps that follow.
inline constexpr std::size_t kMaxKeptMessages = 8U << 20;

// What may be kept of them: null when no other step goes on with the conversation, or when they are too large, which a
// warning tells. Thread-safe.
json::value KeptMessages(json::value messages, const AgentRequest& request, RunObserver& observer);

}  // namespace awf::agents
