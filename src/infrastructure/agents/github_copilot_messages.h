// The messages in the event stream of GitHub Copilot CLI.
#pragma once

#include <string_view>

#include "domain/json.h"
#include "domain/run_observer.h"

namespace awf::agents {

// What the `data` of an assistant.message says: thinking, text, calls. Calls with `server` as their MCP server are
// ours.
AgentMessage ReadCopilotMessage(const json::object& data, std::string_view server);

// What the `data` of a tool.execution_complete says: the result as the model gets it.
AgentMessage ReadCopilotResult(const json::object& data);

}  // namespace awf::agents
