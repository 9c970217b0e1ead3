#include "infrastructure/probe/probe_step.h"

#include <algorithm>

#include "infrastructure/agents/environment.h"

namespace awf::probe {
namespace {

constexpr std::string_view kProxyVariables[] = {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
                                                "http_proxy", "https_proxy", "all_proxy"};

// Limits of the step that are none of its isolation, and would cut the script.
constexpr std::string_view kLimits[] = {"max_turns", "max_budget_usd", "max_price", "max_tokens"};

json::object MergedOptions(const json::object& asked, const agents::CliProvider& provider,
                           const agents::ProbeTarget& target) {
  json::object options = asked;
  for (const std::string_view limit : kLimits) options.erase(limit);
  for (const auto& [name, value] : target.options) {
    if (name == "model" && provider.tools_by_model && asked.contains("model")) continue;
    json::value& place = options[name];
    if (!place.is_object() || !value.is_object()) {
      place = value;
      continue;
    }
    for (const auto& [key, member] : value.get_object()) place.get_object()[key] = member;
  }
  json::value* variables = options.if_contains("env");
  if (variables == nullptr || !variables->is_object()) return options;
  for (const auto& [name, value] : target.environment) variables->get_object().erase(name);
  for (const std::string_view name : kProxyVariables) variables->get_object().erase(name);
  return options;
}

}  // namespace

std::map<std::string, json::object> OurCalls(const std::filesystem::path& file, const std::string& text) {
  const std::string path = file.string();
  return {{"Bash", {{"command", "true"}}},
          {"Edit", {{"path", path}, {"old_string", "not in the file"}, {"new_string", "nor this"}}},
          {"Glob", {{"pattern", "*"}}},
          {"Grep", {{"pattern", "not in the file"}}},
          {"Read", {{"path", path}}},
          {"Write", {{"path", path}, {"content", text}}}};
}

std::vector<model_server::ScriptedTurn> ProbeScript(const agents::CliProvider& provider,
                                                    const agents::ProbeTarget& target,
                                                    const ProbeWorkspace& workspace) {
  std::vector<model_server::ScriptedTurn> script(target.native_calls.empty() ? 2 : 3);
  if (!target.native_calls.empty()) {
    script[0].calls = target.native_calls;
    for (model_server::ScriptedCall& call : script[0].calls) call.unoffered = true;
  }
  model_server::ScriptedTurn& others = script[script.size() - 1];
  model_server::ScriptedTurn& read = script[script.size() - 2];
  for (const auto& [name, arguments] : OurCalls(workspace.file(), workspace.text())) {
    (name == "Read" ? read : others).calls.push_back({provider.offered_name(name), arguments});
  }
  script.push_back({"done", {}});
  return script;
}

AgentRequest ProbeRequest(const AgentRequest& request, const agents::CliProvider& provider,
                          const agents::ProbeTarget& target, const std::filesystem::path& workspace,
                          Deadline deadline) {
  AgentRequest probe = request;
  probe.prompt = "This is a probe of awf. Nothing is to be done.";
  probe.system_prompt.clear();
  probe.options = MergedOptions(request.options, provider, target);
  probe.working_dir = workspace;
  probe.deadline = Earlier(request.deadline, deadline);
  probe.continued.reset();
  probe.conversation.clear();
  if (!probe.proxy) probe.proxy.emplace();
  probe.proxy->enable = true;
  probe.proxy->intercept_builtins = true;
  probe.proxy->isolation_required = false;
  probe.proxy->plugin_tools.clear();
  probe.proxy->sandbox = {};
  return probe;
}

std::vector<std::string> ProbeEnvironment(const std::vector<std::string>& environment,
                                          const agents::ProbeTarget& target) {
  agents::Environment variables(environment);
  for (const std::string_view name : kProxyVariables) variables.Unset(name);
  for (const auto& [name, value] : target.environment) variables.Set(name, value);
  return variables.Block();
}

}  // namespace awf::probe
