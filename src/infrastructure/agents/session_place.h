// Where the session of a conversation lies: in the home that its steps share within the run, or in the user's.
#pragma once

#include <expected>
#include <string_view>

#include "domain/agent.h"
#include "domain/error.h"

namespace awf::agents {

// What all steps of a conversation have to have in common for it.
enum class SessionPlace {
  kByInterception,  // a step that intercepts has its session in the shared home
  kByProxy,         // every step with the proxy has
};

// EXECUTION.AGENT.SESSION_LOST, when a step that looks in the shared home (`shared`) or in the user's is to go on with
// a session that lies in the other one. `name`: of the CLI.
std::expected<void, Error> CheckSessionPlace(std::string_view name, const AgentSession& session, SessionPlace place,
                                             bool shared);

}  // namespace awf::agents
