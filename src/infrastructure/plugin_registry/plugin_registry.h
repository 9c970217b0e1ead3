// PluginRegistry: which plugins there are, where, and how each is to be started, out of .awf/plugins.yaml, the lock,
// the plugin folders and the user's state file. Reads files only: nothing of a plugin runs here.
//
// A snapshot of the moment of Load. Constant afterwards, so thread-safe.
#pragma once

#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.h"
#include "domain/operation.h"
#include "domain/workflow.h"
#include "infrastructure/plugins/plugin_launch.h"

namespace awf::plugin_registry {

// The plugin level that awf declares to `awf_version` of manifests; not awf's own version.
inline constexpr std::string_view kPluginLevel = "0.11.0";

struct RegistryPlaces {
  std::filesystem::path project;               // of .awf; absolute
  std::filesystem::path user_data;             // of awf: $XDG_DATA_HOME/awf
  std::filesystem::path storage;               // state file and cache lie in its folder "plugins"
  std::vector<std::filesystem::path> folders;  // AWF_PLUGINS_PATH, or .awf/plugins and user_data/plugins
  std::filesystem::path home;                  // for ~/
};

enum class PluginStatus { kOk, kDisabled, kInvalid };

struct RegisteredPlugin {
  std::string name, version, description;
  std::vector<std::string> capabilities;
  PluginStatus status = PluginStatus::kOk;
  std::string reason;                           // of an invalid one, with file:line
  std::filesystem::path executable, folder;     // folder: of the manifest; empty without one
  std::string place;                            // "plugins.yaml", or the plugin folder that it was found in
  std::vector<std::filesystem::path> shadowed;  // manifests of the same name that lost
  bool user_installed = false;                  // lies in the user's data folder: may be started to validate
};

class PluginRegistry {
 public:
  // The error is that of .awf/plugins.yaml or .awf/plugins.lock (USER.CONFIG.INVALID, with its position): what a
  // project writes down must be right. Manifests that are wrong are entries.
  static std::expected<PluginRegistry, Error> Load(RegistryPlaces places);

  // Sorted by name; invalid ones whose name cannot be read stand under their folder's.
  const std::vector<RegisteredPlugin>& plugins() const { return plugins_; }
  const std::vector<Finding>& warnings() const { return warnings_; }

  // How to start it. Errors: USER.MCP_PROXY.UNKNOWN_PLUGIN with every place and what was found there,
  // EXECUTION.PLUGIN.DISABLED, EXECUTION.PLUGIN.CONFIG.
  std::expected<plugins::PluginLaunch, Error> Launch(std::string_view name) const;

  // From the lock, else from the cache by the executable's hash; unknown otherwise.
  std::expected<KnownOperations, Error> Operations(std::string_view name) const;

  // After a start: what the plugin itself said, for the cache. Failures are nobody's problem.
  void Remember(std::string_view name, const std::string& sha256, const std::vector<Operation>& operations) const;

  const RegistryPlaces& places() const { return places_; }

 private:
  explicit PluginRegistry(RegistryPlaces places) : places_(std::move(places)) {}
  struct Files;

  RegistryPlaces places_;
  std::vector<RegisteredPlugin> plugins_;
  std::vector<Finding> warnings_;
  std::shared_ptr<const Files> files_;
};

// Hex SHA-256 of a file. The error names path and cause.
std::expected<std::string, Error> Sha256OfFile(const std::filesystem::path& path);

}  // namespace awf::plugin_registry
