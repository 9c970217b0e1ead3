// PluginToolAdapter: the chosen operations of one plugin, as tools of an agent.
//
// Thread-safe: calls run at the same time.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "domain/error.h"
#include "domain/operation.h"
#include "domain/tool.h"
#include "domain/tool_settings.h"

namespace awf {

class PluginToolAdapter final : public ToolProvider {
 public:
  // Errors: USER.MCP_PROXY.UNKNOWN_OPERATION (with the nearest name and the list), INVALID_NAME, NAME_COLLISION for one
  // exposed twice, EXECUTION.PLUGIN.INIT for a schema that cannot be offered.
  static std::expected<std::shared_ptr<PluginToolAdapter>, Error> Make(std::shared_ptr<OperationProvider> provider,
                                                                       const std::vector<std::string>& operations,
                                                                       const ToolSettings& settings);

  std::vector<ToolDefinition> Tools() const override { return definitions_; }
  // Checks what the router cannot see in the sent schema: `url` and `email`, numbers in arrays and objects.
  ToolResult Call(const ToolCall& call) override;

  // Of the schemas: what had to be left out.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  friend std::expected<std::vector<std::shared_ptr<PluginToolAdapter>>, Error> MakePluginTools(
      const McpProxySettings& proxy, const std::vector<std::shared_ptr<OperationProvider>>& providers,
      const ToolSettings& settings);

  PluginToolAdapter(std::shared_ptr<OperationProvider> provider, const ToolSettings& settings);
  std::expected<void, Error> Offer(const std::string& operation);

  std::shared_ptr<OperationProvider> provider_;
  ResultBudget budget_;
  CommandTrace trace_;
  std::vector<ToolDefinition> definitions_;
  std::vector<const Operation*> operations_;  // beside the definitions
  std::vector<std::string> warnings_;
};

// All tools that the settings of a step expose, entry by entry; entries of one plugin are taken together. Errors as
// above, each at the place of its operation, and NAME_COLLISION between plugins by CollisionKey. A plugin that is not
// among the providers: USER.MCP_PROXY.UNKNOWN_PLUGIN.
std::expected<std::vector<std::shared_ptr<PluginToolAdapter>>, Error> MakePluginTools(
    const McpProxySettings& proxy, const std::vector<std::shared_ptr<OperationProvider>>& providers,
    const ToolSettings& settings);

}  // namespace awf
