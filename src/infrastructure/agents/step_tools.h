// What an agent step's request means for its tools: their settings, what of the sandbox holds, the tools of plugins.
#pragma once

#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "domain/agent.h"
#include "domain/error.h"
#include "domain/operation.h"
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

// The tools that the step's plugin_tools expose, of plugins that run from here on; none when it has none. `operations`
// of the run, null when there are none: then every plugin is unknown. Errors as those of OperationProviders::Start and
// MakePluginTools. What their schemas lose is told at the first attempt.
std::expected<std::vector<std::shared_ptr<ToolProvider>>, Error> StartPluginTools(const AgentRequest& request,
                                                                                  const ToolSettings& settings,
                                                                                  OperationProviders* operations,
                                                                                  RunObserver& observer);

}  // namespace awf::agents
