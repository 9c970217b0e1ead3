#include "application/tools/plugin_tool_adapter.h"

#include <algorithm>
#include <utility>

#include "application/operations/exposed_names.h"
#include "application/operations/operation_answer.h"
#include "application/operations/operation_inputs.h"
#include "application/operations/operation_schema.h"
#include "application/operations/tool_name.h"
#include "domain/trace_context.h"

namespace awf {
namespace {

// The operations of one plugin that a step exposes, over all its entries.
struct Group {
  std::string plugin;
  Position position;
  std::vector<ExposedOperation> exposed;
};

std::vector<Group> GroupsOf(const McpProxySettings& proxy) {
  std::vector<Group> groups;
  for (const PluginToolsEntry& entry : proxy.plugin_tools) {
    auto group = std::ranges::find(groups, entry.plugin, &Group::plugin);
    if (group == groups.end()) group = groups.insert(groups.end(), Group{entry.plugin, entry.position, {}});
    group->exposed.insert(group->exposed.end(), entry.expose.begin(), entry.expose.end());
  }
  return groups;
}

std::unexpected<Error> At(const Position& position, Error error) {
  if (!error.position.known()) error.position = position;
  if (error.field.empty()) error.field = "mcp_proxy.plugin_tools";
  return std::unexpected(std::move(error));
}

}  // namespace

PluginToolAdapter::PluginToolAdapter(std::shared_ptr<OperationProvider> provider, const ToolSettings& settings)
    : provider_(std::move(provider)), budget_(settings.budget), trace_(settings.trace) {}

std::expected<void, Error> PluginToolAdapter::Offer(const std::string& name) {
  const std::string_view plugin = provider_->Name();
  const std::vector<Operation>& operations = provider_->Operations();
  const auto operation = std::ranges::find(operations, name, &Operation::name);
  if (operation == operations.end()) return std::unexpected(UnknownOperation(plugin, name, operations));
  auto tool_name = OperationToolName(plugin, name);
  if (!tool_name) return Fail("USER.MCP_PROXY.INVALID_NAME", std::move(tool_name.error()));
  auto made = SchemaOf(*operation);
  if (!made) return Fail("EXECUTION.PLUGIN.INIT", "plugin " + std::string(plugin) + ": " + made.error());
  ToolDefinition tool;
  tool.name = std::move(*tool_name);
  tool.description = DescriptionOf(*operation, plugin);
  tool.input_schema = std::move(made->sent);
  tool.source = "plugin:" + std::string(plugin);
  tool.rules.checked = std::move(made->checked);
  definitions_.push_back(std::move(tool));
  operations_.push_back(&*operation);
  std::ranges::move(made->warnings, std::back_inserter(warnings_));
  return {};
}

std::expected<std::shared_ptr<PluginToolAdapter>, Error> PluginToolAdapter::Make(
    std::shared_ptr<OperationProvider> provider, const std::vector<std::string>& operations,
    const ToolSettings& settings) {
  std::shared_ptr<PluginToolAdapter> adapter(new PluginToolAdapter(std::move(provider), settings));
  ExposedNames names;
  for (const std::string& operation : operations) {
    if (auto offered = adapter->Offer(operation); !offered) return std::unexpected(std::move(offered.error()));
    if (auto name = names.Add(adapter->provider_->Name(), operation); !name)
      return std::unexpected(std::move(name.error()));
  }
  return adapter;
}

ToolResult PluginToolAdapter::Call(const ToolCall& call) {
  const auto tool = std::ranges::find(definitions_, call.tool, &ToolDefinition::name);
  if (tool == definitions_.end()) return ToolResult::Failure("unknown tool " + std::string(call.tool));
  const Operation& operation = *operations_[static_cast<std::size_t>(tool - definitions_.begin())];
  if (auto checked = CheckOperationInputs(operation, call.arguments); !checked) {
    ToolResult refused = ToolResult::Failure(std::move(checked.error()));
    refused.fields.invalid_arguments = true;
    return refused;
  }
  OperationCall request{call.id, operation.name, call.arguments, call.deadline, call.cancelled, {}, {}};
  if (!trace_.trace_id.empty()) {
    request.traceparent = FormatTraceParent(trace_.trace_id, call.id, trace_.sampled);
    request.tracestate = trace_.trace_state;
  }
  return ToolResultOf(provider_->Execute(request), budget_);
}

std::expected<std::vector<std::shared_ptr<PluginToolAdapter>>, Error> MakePluginTools(
    const McpProxySettings& proxy, const std::vector<std::shared_ptr<OperationProvider>>& providers,
    const ToolSettings& settings) {
  std::vector<std::shared_ptr<PluginToolAdapter>> adapters;
  ExposedNames names;
  for (const Group& group : GroupsOf(proxy)) {
    const auto provider = std::ranges::find(providers, group.plugin, [](const auto& known) { return known->Name(); });
    if (provider == providers.end()) {
      return At(group.position,
                Error{"USER.MCP_PROXY.UNKNOWN_PLUGIN", "plugin '" + group.plugin + "' does not run", {}, {}, {}, {}});
    }
    std::shared_ptr<PluginToolAdapter> adapter(new PluginToolAdapter(*provider, settings));
    for (const ExposedOperation& exposed : group.exposed) {
      if (auto offered = adapter->Offer(exposed.name); !offered) return At(exposed.position, offered.error());
      if (auto name = names.Add(group.plugin, exposed.name); !name) return At(exposed.position, name.error());
    }
    adapters.push_back(std::move(adapter));
  }
  return adapters;
}

}  // namespace awf
