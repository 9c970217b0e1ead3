#include "cli/plugin_session.h"

#include <algorithm>
#include <utility>

#include "cli/run_setup.h"
#include "infrastructure/process/environment.h"
#include "infrastructure/process/keeper.h"
#include "infrastructure/process/private_folder.h"

namespace awf::cli {
namespace {

using plugin_registry::PluginRegistry;
using plugins::PluginLaunch;

bool IsBuiltinName(std::string_view name) {
  return std::ranges::find(operations::BuiltinPlugins(), name) != operations::BuiltinPlugins().end();
}

// An entry of .awf/plugins.yaml that only refines something names no plugin of its own.
bool Knows(const PluginRegistry& registry, std::string_view name) {
  return std::ranges::any_of(registry.plugins(), [name](const plugin_registry::RegisteredPlugin& plugin) {
    return plugin.name == name &&
           (plugin.status != plugin_registry::PluginStatus::kNotFound || !plugin.executable.empty());
  });
}

Error AlreadyStopped(const std::string& name) {
  return {"EXECUTION.PLUGIN.START", name + ": the plugins of this run are being stopped", {}, {}, {}, {}};
}

// The record "plugin log": what the plugin itself put beside its message stands under `fields`.
json::object LogFields(std::string_view message, const json::object& fields) {
  json::object record, own = fields;
  if (const json::value* plugin = fields.if_contains("plugin")) {
    record["plugin"] = *plugin;
    own.erase("plugin");
  }
  record["text"] = message;
  if (!own.empty()) record["fields"] = std::move(own);
  return record;
}

}  // namespace

plugin_registry::RegistryPlaces PluginPlaces(const Folders& folders, const std::filesystem::path& working_dir,
                                             const GlobalOptions& global) {
  plugin_registry::RegistryPlaces places;
  places.project = working_dir;
  places.user_data = folders.data;
  places.storage = StorageFolder(global.storage, NonEmptyVariable).value_or(folders.data);
  places.folders = folders.plugins;
  places.home = NonEmptyVariable("HOME").value_or("");
  places.builtins = operations::BuiltinPlugins();
  return places;
}

PluginSession::PluginSession(plugin_registry::RegistryPlaces places, const Config& config)
    : places_(std::move(places)) {
  builtin_settings_.environment = [](std::string_view name) { return NonEmptyVariable(std::string(name)); };
  builtin_settings_.working_dir = places_.project;
  builtin_settings_.notify = {config.notify.default_backend, config.notify.webhook_url, config.notify.slack_webhook_url,
                              config.notify.smtp_url};
  runtime_.environment = process::CurrentEnvironment();
}

PluginSession::~PluginSession() { Stop(); }

void PluginSession::Prepare(PluginRuntime runtime) {
  runtime_ = std::move(runtime);
  builtin_settings_.workflow = runtime_.workflow;
  const std::lock_guard lock(mutex_);
  builtins_.clear();  // they were made without the name of the workflow
}

std::expected<const PluginRegistry*, Error> PluginSession::RegistryLocked() {
  if (!registry_) registry_ = PluginRegistry::Load(places_);
  if (!*registry_) return std::unexpected(registry_->error());
  return &**registry_;
}

std::expected<const PluginRegistry*, Error> PluginSession::Registry() {
  const std::lock_guard lock(mutex_);
  return RegistryLocked();
}

std::vector<Finding> PluginSession::Warnings() {
  const std::lock_guard lock(mutex_);
  return registry_ && *registry_ ? (*registry_)->warnings() : std::vector<Finding>();
}

bool PluginSession::IsBuiltin(std::string_view name) {
  if (!IsBuiltinName(name)) return false;
  const auto registry = Registry();
  return registry && !Knows(**registry, name);
}

bool PluginSession::ReplacesBuiltin(std::string_view name) {
  if (!IsBuiltinName(name)) return false;
  const auto registry = Registry();
  return registry && Knows(**registry, name);
}

std::shared_ptr<OperationProvider> PluginSession::Builtin(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = builtins_.find(name);
  if (found != builtins_.end()) return found->second;
  auto made = operations::MakeBuiltinOperations(name, builtin_settings_);
  if (made != nullptr) builtins_.emplace(std::string(name), made);
  return made;
}

std::expected<PluginLaunch, Error> PluginSession::Launch(std::string_view name) {
  const auto registry = Registry();
  if (!registry) return std::unexpected(registry.error());
  return (*registry)->Launch(name);
}

std::expected<plugins::PluginHost*, Error> PluginSession::Host() {
  const std::lock_guard lock(mutex_);
  if (stopped_) return std::unexpected(AlreadyStopped("plugin"));
  if (host_ != nullptr) return host_.get();
  auto folder = process::PrivateFolder::Open();
  if (!folder) return std::unexpected(folder.error());
  process::BecomeSubreaper();
  plugins::PluginHostOptions options;
  options.environment = runtime_.environment;
  options.private_folder = folder->path();
  if (runtime_.logged) {
    options.logged = [logged = runtime_.logged](LogLevel level, std::string_view message, const json::object& fields) {
      logged(level, LogFields(message, fields));
    };
  }
  options.stopped = runtime_.stopped;
  options.stage = runtime_.stage;
  host_ = std::make_unique<plugins::PluginHost>(std::move(options));
  return host_.get();
}

std::vector<std::expected<RunningPlugin, Error>> PluginSession::Start(std::span<const std::string> names,
                                                                      Deadline deadline,
                                                                      const std::stop_token& cancelled) {
  std::vector<std::expected<RunningPlugin, Error>> results(names.size());
  std::vector<PluginLaunch> launches;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (IsBuiltin(names[i])) {
      RunningPlugin builtin;
      builtin.provider = Builtin(names[i]);
      builtin.start.plugin = names[i];
      results[i] = std::move(builtin);
    } else if (auto launch = Launch(names[i])) {
      launches.push_back(std::move(*launch));
      places.push_back(i);
    } else {
      results[i] = std::unexpected(std::move(launch.error()));
    }
  }
  if (launches.empty()) return results;
  auto started = Start(launches, deadline, cancelled);
  for (std::size_t i = 0; i < places.size(); ++i) results[places[i]] = std::move(started[i]);
  return results;
}

std::vector<std::expected<RunningPlugin, Error>> PluginSession::Start(std::span<const PluginLaunch> launches,
                                                                      Deadline deadline,
                                                                      const std::stop_token& cancelled) {
  std::vector<std::expected<RunningPlugin, Error>> results;
  const auto host = Host();
  if (!host) {
    for (std::size_t i = 0; i < launches.size(); ++i) results.emplace_back(std::unexpected(host.error()));
    return results;
  }
  for (auto& started : (*host)->Start(launches, deadline, cancelled)) {
    if (!started) {
      results.emplace_back(std::unexpected(std::move(started.error())));
      continue;
    }
    RunningPlugin running{std::move(started->provider), std::move(started->start)};
    const std::lock_guard lock(mutex_);
    if (brought_up_.insert(running.start.plugin).second) {
      if (const auto registry = RegistryLocked())
        (*registry)->Remember(running.start.plugin, running.start.sha256, running.provider->Operations());
    }
    results.emplace_back(std::move(running));
  }
  return results;
}

// The host itself stays until the end: threads may still be inside of it.
void PluginSession::Stop() {
  plugins::PluginHost* host = nullptr;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    host = host_.get();
  }
  if (host != nullptr) host->StopAll();
}

}  // namespace awf::cli
