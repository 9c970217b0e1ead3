#include "infrastructure/agents/step_tools.h"

#include <algorithm>
#include <utility>

#include "application/tools/plugin_tool_adapter.h"
#include "domain/masker.h"
#include "infrastructure/agents/cli_providers.h"

namespace awf::agents {
namespace {

// Of providers in options.config (codex): which variable holds their key.
void AddKeyVariables(const json::object& config, std::vector<std::string>& names) {
  for (const auto& [key, value] : config) {
    if (value.is_object()) AddKeyVariables(value.get_object(), names);
    if (key == "env_key" && value.is_string()) names.emplace_back(value.get_string());
  }
}

}  // namespace

ToolSettings MakeToolSettings(const AgentRequest& request, const std::vector<std::string>& environment,
                              const std::filesystem::path& private_folder, const Tracing& tracing) {
  ToolSettings settings;
  settings.root = request.working_dir;
  settings.sandbox = request.proxy->sandbox;
  if (const CliProvider* cli = FindCliProvider(request.provider)) settings.budget = cli->budget;
  settings.env = request.proxy->env;
  settings.environment = environment;
  settings.private_folder = private_folder;
  settings.deadline = request.deadline;
  if (tracing.spans) settings.trace = {request.step.trace_id, tracing.sampled, tracing.trace_state};
  const json::value* variables = request.options.if_contains("env");
  if (variables != nullptr && variables->is_object()) {
    for (const auto& [name, value] : variables->get_object()) {
      if (IsSecretName(name)) settings.secret_names.emplace_back(name);
    }
  }
  const json::value* config = request.options.if_contains("config");
  if (config != nullptr && config->is_object()) AddKeyVariables(config->get_object(), settings.secret_names);
  return settings;
}

std::expected<std::string, Error> EnforcedSandbox(const SandboxSettings& sandbox) {
  if (sandbox.mode == SandboxMode::kOff && sandbox.network) return std::string(ToString(sandbox.mode));
  // This build confines the file tools; nothing confines commands yet, so what was asked for explicitly cannot hold.
  if (sandbox.explicit_mode || !sandbox.network) {
    return Fail("USER.MCP_PROXY.UNSUPPORTED_PROVIDER",
                "sandbox " + std::string(sandbox.network ? ToString(sandbox.mode) : "network: false") +
                    " cannot be enforced for commands on this machine",
                "Leave mcp_proxy.sandbox out (the default degrades, and says so), or set it to off.");
  }
  return std::string("degraded");
}

std::expected<std::string, Error> EnforcedSandbox(const SandboxSettings& sandbox, const StepContext& step,
                                                  RunObserver& observer) {
  auto enforced = EnforcedSandbox(sandbox);
  if (enforced && *enforced == "degraded") {
    observer.Logged(&step, LogLevel::kWarn, "sandbox degraded", {{"missing", "landlock"}});
  }
  return enforced;
}

std::expected<std::vector<std::shared_ptr<ToolProvider>>, Error> StartPluginTools(const AgentRequest& request,
                                                                                  const ToolSettings& settings,
                                                                                  OperationProviders* operations,
                                                                                  RunObserver& observer) {
  std::vector<std::string> plugins;
  for (const PluginToolsEntry& entry : request.proxy->plugin_tools) {
    if (std::ranges::find(plugins, entry.plugin) == plugins.end()) plugins.push_back(entry.plugin);
  }
  if (plugins.empty()) return std::vector<std::shared_ptr<ToolProvider>>();
  if (operations == nullptr) {
    return Fail("USER.MCP_PROXY.UNKNOWN_PLUGIN", "unknown plugin '" + plugins.front() + "': no plugins run here");
  }
  const auto started = operations->Start(plugins, request.step, request.deadline, request.cancelled);
  if (!started) return std::unexpected(started.error());
  const auto adapters = MakePluginTools(*request.proxy, *started, settings);
  if (!adapters) return std::unexpected(adapters.error());
  for (const auto& adapter : *adapters) {
    for (const std::string& warning : adapter->warnings()) {
      if (request.step.attempt == 1) observer.Logged(&request.step, LogLevel::kWarn, warning, {});
    }
  }
  return std::vector<std::shared_ptr<ToolProvider>>(adapters->begin(), adapters->end());
}

}  // namespace awf::agents
