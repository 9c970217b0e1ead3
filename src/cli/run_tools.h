// The tools of a step that run inside awf, without an agent CLI and its mcp-serve.
#pragma once

#include "infrastructure/agents/agent_runner.h"
#include "infrastructure/agents/openai_compatible.h"

namespace awf::cli {

// Makes the six built-in tools for a step that intercepts, and those of plugins for every step that exposes any. Of the
// host it keeps the user's environment, the private folder (refused to the file tools), what spans need, and the
// operations, which outlive it.
agents::OpenAiCompatible::MakeTools StepToolMaker(const agents::AgentHost& host);

}  // namespace awf::cli
