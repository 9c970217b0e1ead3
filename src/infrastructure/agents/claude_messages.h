// The messages in the event stream of Claude Code. It tells each block of a message as soon as that is whole, in an
// event of its own.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "domain/json.h"
#include "domain/run_observer.h"

namespace awf::agents {

// What an event of type `assistant` or `user` says; without blocks when that is nothing: of texts, those of subagents
// and the CLI's own about an error. `final_name` tells the final name of a tool of ours by that which the CLI shows,
// "" for others.
AgentMessage ReadClaudeMessage(const json::object& event, MessageRole role,
                               const std::function<std::string(std::string_view)>& final_name);

}  // namespace awf::agents
