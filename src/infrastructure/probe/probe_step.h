// The step that a probe drives: what of the asked one is kept, and what the scripted model says in it. Pure.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "domain/agent.h"
#include "infrastructure/agents/cli_providers.h"
#include "infrastructure/model_server/scripted_model.h"
#include "infrastructure/probe/probe_workspace.h"

namespace awf::probe {

// The tools of awf that a probe calls, by final name: none of the calls changes anything.
std::map<std::string, json::object> OurCalls(const std::filesystem::path& file, const std::string& text);

// First the native calls, offered or not; then Read; then the others of ours; then text.
std::vector<model_server::ScriptedTurn> ProbeScript(const agents::CliProvider& provider,
                                                    const agents::ProbeTarget& target, const ProbeWorkspace& workspace);

// The request with the target's options and model, without what would end the probe early or send it elsewhere.
AgentRequest ProbeRequest(const AgentRequest& request, const agents::CliProvider& provider,
                          const agents::ProbeTarget& target, const std::filesystem::path& workspace, Deadline deadline);

// The user's variables with the target's, without proxies on the way to the model.
std::vector<std::string> ProbeEnvironment(const std::vector<std::string>& environment,
                                          const agents::ProbeTarget& target);

}  // namespace awf::probe
