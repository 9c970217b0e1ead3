#include "application/validation/agent_checker.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "application/language/provider_options.h"
#include "application/language/provider_schemas.h"
#include "application/language/template.h"

namespace awf {
namespace {

// What allows native tools, of whichever providers have it.
constexpr std::string_view kOptionsOfNativeTools[] = {
    "add_dirs",     "agent_profile", "allow_all", "allowed_tools", "dangerously_skip_permissions",
    "denied_tools", "enabled_tools", "mode"};

bool Intercepts(const AgentState& agent) {
  return agent.mcp_proxy && agent.mcp_proxy->enable && agent.mcp_proxy->intercept_builtins;
}

// A template's value is not known yet.
bool SaysSomething(const json::value& value) {
  if (value.is_array()) return !value.get_array().empty();
  return value != json::value(false) && !(value.is_string() && HasTemplate(value.get_string()));
}

}  // namespace

void AgentChecker::Check(const State& state, const AgentState& agent) {
  if (agent.mcp_proxy) EmptyProxy(state, agent);
  if (agent.provider.empty() || HasTemplate(agent.provider.text)) return;
  const auto provider = ResolveProvider(agent.provider.text);
  if (provider) {
    NeedOfProbe(state, agent, *provider);
    IgnoredOptions(state, agent, *provider);
    return Options(state, agent, *provider);
  }
  Error error = provider.error();
  error.position = agent.provider.position;
  error.step = state.name;
  error.field = "provider";
  findings_.push_back({Severity::kError, std::move(error)});
}

void AgentChecker::Options(const State& state, const AgentState& agent, const std::string& provider) {
  const json::object* defaults = nullptr;
  if (context_.providers != nullptr) {
    const auto configured = context_.providers->find(provider);
    if (configured != context_.providers->end()) defaults = &configured->second.options;
  }
  const CheckedOptions checked =
      CheckProviderOptions({provider, agent.options, agent.option_sources, false, defaults}, context_.environment);
  for (Finding finding : checked.findings) {
    const auto position = agent.option_positions.find(finding.error.field);
    finding.error.position = position == agent.option_positions.end() ? agent.provider.position : position->second;
    finding.error.step = state.name;
    finding.error.field = finding.error.field.empty() ? "options" : "options." + finding.error.field;
    findings_.push_back(std::move(finding));
  }
}

void AgentChecker::IgnoredOptions(const State& state, const AgentState& agent, const std::string& provider) {
  if (!Intercepts(agent)) return;
  const std::span<const OptionSchema> schema = FindProviderSchema(provider)->options;
  for (const auto& [key, value] : agent.options) {
    const std::string name = CanonicalOption(provider, key);
    if (std::ranges::find(kOptionsOfNativeTools, name) == std::end(kOptionsOfNativeTools) || !SaysSomething(value))
      continue;
    if (std::ranges::find(schema, name, &OptionSchema::key) == schema.end()) continue;
    const auto position = agent.option_positions.find(std::string(key));
    findings_.push_back(
        {Severity::kWarning,
         {"WORKFLOW.PARSE.INVALID_VALUE", "option '" + name + "' is ignored while the built-in tools are intercepted",
          "remove it, or let the step go without mcp_proxy",
          position == agent.option_positions.end() ? agent.provider.position : position->second, state.name,
          "options." + std::string(key)}});
  }
}

void AgentChecker::EmptyProxy(const State& state, const AgentState& agent) {
  const McpProxySettings& proxy = *agent.mcp_proxy;
  const bool exposes = std::ranges::any_of(proxy.plugin_tools, [](const auto& entry) { return !entry.expose.empty(); });
  if (!proxy.enable || proxy.intercept_builtins || exposes) return;
  findings_.push_back(
      {Severity::kError,
       {"USER.MCP_PROXY.EMPTY_PROXY",
        "mcp_proxy is enabled but offers no tool: intercept_builtins is false and nothing is exposed",
        "set intercept_builtins: true, or remove the block", agent.mcp_proxy_position, state.name, "mcp_proxy"}});
}

void AgentChecker::NeedOfProbe(const State& state, const AgentState& agent, const std::string& provider) {
  const ProviderSchema* schema = FindProviderSchema(provider);
  if (!Intercepts(agent)) return;
  if (schema == nullptr || !schema->needs_probe) return;
  const std::string& name = agent.provider.text;
  const bool required = agent.mcp_proxy->isolation_required;
  findings_.push_back({Severity::kNote,
                       {"USER.MCP_PROXY.UNSUPPORTED_PROVIDER",
                        std::string("level proven needs a probe for ") + name +
                            (required ? "; the step runs it when there is no proof" : ""),
                        "run awf doctor --probe " + name, agent.mcp_proxy_position, state.name, "mcp_proxy"}});
}

}  // namespace awf
