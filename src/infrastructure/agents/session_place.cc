#include "infrastructure/agents/session_place.h"

#include <utility>

#include "infrastructure/agents/agent_errors.h"

namespace awf::agents {

std::expected<void, Error> CheckSessionPlace(std::string_view name, const AgentSession& session, SessionPlace place,
                                             bool shared) {
  if (shared != session.folder.empty()) return {};
  Error lost = SessionLost(name, session.id, "it lies in another home");
  lost.hint = place == SessionPlace::kByProxy
                  ? "Let all steps of a conversation have mcp_proxy, or none."
                  : "Let all steps of a conversation intercept the built-in tools, or none.";
  return std::unexpected(std::move(lost));
}

}  // namespace awf::agents
