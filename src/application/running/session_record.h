// The session that an agent step leaves behind, as it stands in the journal. Pure, thread-safe.
#pragma once

#include <optional>

#include "domain/agent.h"
#include "domain/json.h"

namespace awf {

// Always valid UTF-8.
json::object ToJson(const AgentSession& session);
// Nothing when it is no session.
std::optional<AgentSession> AgentSessionOf(const json::object& written);

}  // namespace awf
