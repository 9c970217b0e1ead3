// What an agent step's request means for its built-in tools: their settings, and what of the sandbox holds.
#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <vector>

#include "domain/agent.h"
#include "domain/error.h"
#include "domain/run_observer.h"
#include "domain/tool_settings.h"
#include "domain/trace_context.h"

namespace awf::agents {

// With the budget of the request's provider. `environment` is the user's; `private_folder` that of the run. The request
// must have a proxy.
ToolSettings MakeToolSettings(const AgentRequest& request, const std::vector<std::string>& environment,
                              const std::filesystem::path& private_folder, const Tracing& tracing);

// How the sandbox of commands is enforced: its mode, or "degraded". A mode or `network: false` that the user wrote and
// that cannot be enforced is USER.MCP_PROXY.UNSUPPORTED_PROVIDER.
std::expected<std::string, Error> EnforcedSandbox(const SandboxSettings& sandbox);

// The same for the sandbox of that step; tells a degraded one before anything runs in it.
std::expected<std::string, Error> EnforcedSandbox(const SandboxSettings& sandbox, const StepContext& step,
                                                  RunObserver& observer);

}  // namespace awf::agents
