// Which program a step's agent CLI is, and what a probe's proof of it is kept under.
#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <vector>

#include "domain/agent.h"
#include "infrastructure/agents/agent_runner.h"
#include "infrastructure/agents/cli_providers.h"
#include "infrastructure/agents/environment.h"
#include "infrastructure/agents/probe_proofs.h"

namespace awf::agents {

// The configured program, else the one on the PATH; EXECUTION.AGENT.NOT_INSTALLED.
std::expected<std::filesystem::path, Error> CliProgram(const AgentHost& host, const CliProvider& provider,
                                                       const std::string& search_path);

// Of the user's variables those that may change what the CLI does: what loaders and runtimes heed, and the provider's
// own by their prefix. NAME=value, sorted; no secrets: their value would be guessable by the digest, and changes
// nothing.
std::vector<std::string> AmbientVariables(const CliProvider& provider, const std::vector<std::string>& environment);

// `version` as --version told it; `environment` is the user's, without options.env.
ProofKey ProofKeyOf(const CliProvider& provider, const std::filesystem::path& program, const std::string& version,
                    const AgentRequest& request, const std::vector<std::string>& environment);

}  // namespace awf::agents
