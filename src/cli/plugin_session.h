// PluginSession: the plugins of one process of awf, and the operations that awf brings itself, behind one name each.
//
// Everything is made when it is first needed: the registry is read at the first question, a host with its threads comes
// with the first plugin that is started, and nothing of a plugin runs before that. A plugin of the user's or of the
// project's takes the place of a built-in of the same name. Thread-safe once Prepare was called; several threads may
// start plugins at the same time.
#pragma once

#include <expected>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "application/language/folders.h"
#include "cli/commands.h"
#include "domain/operation.h"
#include "infrastructure/operations/builtin_operations.h"
#include "infrastructure/plugin_registry/plugin_registry.h"
#include "infrastructure/plugins/plugin_host.h"

namespace awf::cli {

// Where plugins are looked for: `working_dir` is the project's; storage as --storage and its environment say.
plugin_registry::RegistryPlaces PluginPlaces(const Folders& folders, const std::filesystem::path& working_dir,
                                             const GlobalOptions& global);

// What plugins are started with. Callbacks may be empty; they come from any thread, until Stop has returned.
struct PluginRuntime {
  std::vector<std::string> environment;  // NAME=value, awf's own
  std::string workflow;                  // its name, for notifications
  // A line that a plugin logged or printed; `fields` as the record "plugin log" has them.
  std::function<void(LogLevel, const json::object& fields)> logged;
  std::function<void(const PluginEnd&)> stopped;
  std::function<void(std::string_view plugin, const plugins::StartStage&)> stage;
};

struct RunningPlugin {
  std::shared_ptr<OperationProvider> provider;
  PluginStart start;  // of what is built in the name alone
};

class PluginSession {
 public:
  PluginSession(plugin_registry::RegistryPlaces places, const Config& config);
  ~PluginSession();  // stops what runs
  PluginSession(const PluginSession&) = delete;
  PluginSession& operator=(const PluginSession&) = delete;

  // USER.CONFIG.INVALID for what a project wrote down wrong.
  std::expected<const plugin_registry::PluginRegistry*, Error> Registry();
  // What the registry warns of; empty as long as nobody has asked it.
  std::vector<Finding> Warnings();

  // Built in, and nothing stands in its place.
  bool IsBuiltin(std::string_view name);
  bool ReplacesBuiltin(std::string_view name);
  std::shared_ptr<OperationProvider> Builtin(std::string_view name);  // null: there is none

  // How to start a plugin that is not built in. As PluginRegistry::Launch.
  std::expected<plugins::PluginLaunch, Error> Launch(std::string_view name);

  // Before the first start. Without it plugins get awf's environment and nobody is told anything.
  void Prepare(PluginRuntime runtime);

  // One result per name, in order; those that do not run yet start at the same time.
  std::vector<std::expected<RunningPlugin, Error>> Start(std::span<const std::string> names, Deadline deadline,
                                                         const std::stop_token& cancelled);
  // The same with what is to be started in the caller's hands.
  std::vector<std::expected<RunningPlugin, Error>> Start(std::span<const plugins::PluginLaunch> launches,
                                                         Deadline deadline, const std::stop_token& cancelled);

  // Stops all that run; nothing can be started afterwards.
  void Stop();

 private:
  std::expected<const plugin_registry::PluginRegistry*, Error> RegistryLocked();
  std::expected<plugins::PluginHost*, Error> Host();

  const plugin_registry::RegistryPlaces places_;
  operations::BuiltinOperationSettings builtin_settings_;
  PluginRuntime runtime_;
  std::mutex mutex_;  // guards what follows
  std::optional<std::expected<plugin_registry::PluginRegistry, Error>> registry_;
  std::map<std::string, std::shared_ptr<OperationProvider>, std::less<>> builtins_;
  std::unique_ptr<plugins::PluginHost> host_;
  std::set<std::string> brought_up_;
  bool stopped_ = false;
};

}  // namespace awf::cli
