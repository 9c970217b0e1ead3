// For tests: the plugins of a run, which do what the test says, and how a step exposes the operations of one.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "application/tools/test_operation_provider.h"
#include "domain/mcp_proxy_settings.h"
#include "domain/operation.h"

namespace awf::agents {

// Plugins that need no start, and those that fail.
class ScriptedProviders final : public OperationProviders {
 public:
  std::expected<std::vector<std::shared_ptr<OperationProvider>>, Error> Start(std::span<const std::string> plugins,
                                                                              const StepContext& step, Deadline,
                                                                              const std::stop_token&) override {
    std::vector<std::shared_ptr<OperationProvider>> started;
    for (const std::string& plugin : plugins) {
      asked.push_back(step.step + " " + plugin);
      if (const auto fault = faults.find(plugin); fault != faults.end()) return std::unexpected(fault->second);
      started.push_back(providers.at(plugin));
    }
    return started;
  }

  std::map<std::string, std::shared_ptr<OperationProvider>> providers;
  std::map<std::string, Error> faults;
  std::vector<std::string> asked;
};

// The parts of a step with tools of the plugin `forge`.
inline PluginToolsEntry ExposeForge(const std::vector<std::string>& operations) {
  PluginToolsEntry entry{"forge", {}, {}};
  for (const std::string& operation : operations) entry.expose.push_back({operation, {}});
  return entry;
}

}  // namespace awf::agents
