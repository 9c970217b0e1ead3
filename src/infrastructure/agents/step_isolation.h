// What is known of a step's isolation before its CLI has said anything: by its version, by a probe's proof.
#pragma once

#include <expected>
#include <filesystem>
#include <string>

#include "domain/agent.h"
#include "infrastructure/agents/agent_runner.h"
#include "infrastructure/agents/cli_providers.h"
#include "infrastructure/agents/isolation.h"

namespace awf::agents {

// True when a proof holds for this program and step. Where the step requires one that neither is there nor can come
// from the CLI's own announcement, the host's prover is asked, which takes seconds; when it proves nothing the step
// must not start: USER.MCP_PROXY.UNSUPPORTED_PROVIDER, with what was offered; when the step's time is over before that
// is known, EXECUTION.AGENT.TIMEOUT. False for steps that don't intercept.
std::expected<bool, Error> IsProven(const AgentHost& host, const CliProvider& provider,
                                    const std::filesystem::path& program, const std::string& version,
                                    const AgentRequest& request, RunObserver& observer);

// Holds where the CLI announces nothing. `doubt` is Invocation::isolation_doubt.
IsolationClaim ClaimOf(const CliProvider& provider, const std::string& version, const AgentRequest& request,
                       const std::string& doubt, bool proven);

}  // namespace awf::agents
