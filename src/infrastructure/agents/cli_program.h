// Which program a step's agent CLI is, and what a probe's proof of it is kept under.
#pragma once

#include <expected>
#include <filesystem>
#include <string>

#include "domain/agent.h"
#include "infrastructure/agents/agent_runner.h"
#include "infrastructure/agents/cli_providers.h"
#include "infrastructure/agents/environment.h"
#include "infrastructure/agents/probe_proofs.h"

namespace awf::agents {

// The configured program, else the one on the PATH; EXECUTION.AGENT.NOT_INSTALLED.
std::expected<std::filesystem::path, Error> CliProgram(const AgentHost& host, const CliProvider& provider,
                                                       const std::string& search_path);

// `version` as --version told it.
ProofKey ProofKeyOf(const CliProvider& provider, const std::filesystem::path& program, const std::string& version,
                    const AgentRequest& request);

}  // namespace awf::agents
