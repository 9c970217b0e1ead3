// What a PluginRegistry knows: everything that was read, and what of it each name stands for. Plain data, constant once
// built.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "infrastructure/plugin_registry/plugin_discovery.h"
#include "infrastructure/plugin_registry/plugin_lock.h"
#include "infrastructure/plugin_registry/plugin_registry.h"
#include "infrastructure/plugin_registry/plugin_state.h"
#include "infrastructure/plugin_registry/plugins_file.h"
#include "infrastructure/plugin_registry/shown_path.h"

namespace awf::plugin_registry {

inline constexpr const char* kPluginsFile = ".awf/plugins.yaml";

struct ResolvedPlugin {
  RegisteredPlugin row;
  ConfigRules rules;
  std::optional<Error> fault;  // why it cannot be used, whoever asks: EXECUTION.PLUGIN.CONFIG or DISABLED
};

struct RegistrySnapshot {
  RegistryPlaces places;
  std::optional<PluginsFile> entries;  // nothing: there is no such file
  PluginLock lock;
  PluginStates states;
  std::vector<SearchedFolder> searched;

  std::map<std::string, ResolvedPlugin, std::less<>> resolved;  // by name
  std::vector<RegisteredPlugin> plugins;
  std::vector<Finding> warnings;

  ShownFrom shown_from() const { return {places.project, places.home}; }
  std::string Shown(const std::filesystem::path& path) const { return ShownPath(path, shown_from()); }
  const PluginEntry* EntryOf(std::string_view name) const;
};

// Errors as PluginRegistry::Load.
std::expected<std::shared_ptr<const RegistrySnapshot>, Error> TakeSnapshot(RegistryPlaces places);

// USER.MCP_PROXY.UNKNOWN_PLUGIN: every place that was searched, what is there, what there is invalid.
Error UnknownPlugin(std::string_view name, const RegistrySnapshot& snapshot);

}  // namespace awf::plugin_registry
