// PluginRegistry: which plugins there are, where, and how each is to be started, out of .awf/plugins.yaml, the lock,
// the plugin folders and the user's state file. Reads files only: nothing of a plugin runs here.
//
// A snapshot of the moment of Load, but for the cache of operations and the executables, which are looked at when they
// are asked for. Constant afterwards, so thread-safe.
#pragma once

#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/error.h"
#include "domain/operation.h"
#include "domain/workflow.h"
#include "infrastructure/plugin_registry/manifest.h"
#include "infrastructure/plugins/plugin_launch.h"

namespace awf::plugin_registry {

struct RegistryPlaces {
  std::filesystem::path project;               // of .awf; absolute
  std::filesystem::path user_data;             // of awf: $XDG_DATA_HOME/awf
  std::filesystem::path storage;               // state file and cache lie in its folder "plugins"
  std::vector<std::filesystem::path> folders;  // AWF_PLUGINS_PATH, or .awf/plugins and user_data/plugins
  std::filesystem::path home;                  // for ~/; may be empty
  std::vector<std::string> builtins{};         // plugins that awf itself brings: named in hints
};

// kNotFound: its executable is not there, or cannot be executed.
enum class PluginStatus { kOk, kDisabled, kInvalid, kNotFound };

struct RegisteredPlugin {
  std::string name, version, description;
  std::string author, license, homepage;
  std::vector<std::string> capabilities;
  std::vector<std::string> subscribes, emits;
  PluginStatus status = PluginStatus::kOk;
  std::string reason;                        // of all but kOk; of an invalid one with file:line
  std::filesystem::path executable, folder;  // folder: of the manifest; empty without one
  std::string place;                         // ".awf/plugins.yaml", or the plugin folder that it was found in, as shown
  std::vector<std::filesystem::path> shadowed;  // manifests of the same name that lost
  // Lies in the user's data folder, and the project sets nothing of its environment and configuration: may be started
  // to validate a project that nobody has looked at yet.
  bool user_installed = false;
};

struct RegistrySnapshot;

class PluginRegistry {
 public:
  // The error is that of .awf/plugins.yaml, .awf/plugins.lock or the state file (USER.CONFIG.INVALID, with its
  // position): what somebody writes down must be right. Manifests that are wrong are entries.
  static std::expected<PluginRegistry, Error> Load(RegistryPlaces places);

  // Sorted by name; invalid ones whose name cannot be read stand under their folder's.
  const std::vector<RegisteredPlugin>& plugins() const;
  // What is wrong with manifests, plugin folders that cannot be read, what .awf/plugins.yaml refines that is not there,
  // fields of its `config` that the manifest does not know: EXECUTION.PLUGIN.CONFIG, warnings all of them.
  const std::vector<Finding>& warnings() const;

  // How to start it. Errors: USER.MCP_PROXY.UNKNOWN_PLUGIN with every place and what was found there,
  // EXECUTION.PLUGIN.DISABLED, EXECUTION.PLUGIN.CONFIG. Whether the executable is there is for the host to see.
  std::expected<plugins::PluginLaunch, Error> Launch(std::string_view name) const;

  // From the lock, else from the cache by the executable's hash; unknown otherwise. Errors as of Launch.
  std::expected<KnownOperations, Error> Operations(std::string_view name) const;

  // After a start: what the plugin itself said, for the cache. Failures are nobody's problem.
  void Remember(std::string_view name, const std::string& sha256, const std::vector<Operation>& operations) const;

  const RegistryPlaces& places() const;

 private:
  explicit PluginRegistry(std::shared_ptr<const RegistrySnapshot> snapshot) : snapshot_(std::move(snapshot)) {}

  std::shared_ptr<const RegistrySnapshot> snapshot_;
};

// Hex SHA-256 of a regular file. Opening waits for nothing. The error names path and cause: SYSTEM.IO.READ_FAILED.
std::expected<std::string, Error> Sha256OfFile(const std::filesystem::path& path);

}  // namespace awf::plugin_registry
