#include "infrastructure/plugin_registry/plugin_registry.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "infrastructure/plugin_registry/operation_cache.h"
#include "infrastructure/plugin_registry/registry_snapshot.h"
#include "infrastructure/process/fd.h"
#include "infrastructure/telemetry/file_failure.h"
#include "infrastructure/telemetry/sha256.h"

namespace awf::plugin_registry {
namespace {

using Source = KnownOperations::Source;

KnownOperations Unknown(std::string why) { return {Source::kUnknown, {}, std::move(why)}; }

std::expected<json::object, Error> ConfigOf(const ResolvedPlugin& plugin, const RegistrySnapshot& snapshot) {
  const std::string& name = plugin.row.name;
  std::vector<const GivenConfig*> given;
  GivenConfig state;
  if (const auto found = snapshot.states.find(name); found != snapshot.states.end()) {
    state.values = found->second.config;
    state.place = name + ".config";
    state.file = snapshot.Shown(PluginStateFile(snapshot.places.storage));
    given.push_back(&state);
  }
  const PluginEntry* entry = snapshot.EntryOf(name);
  if (entry != nullptr) given.push_back(&entry->config);
  return MergeConfig(name, plugin.rules, given, entry == nullptr ? Position() : entry->position);
}

std::vector<plugins::ExpectedChecksum> ChecksumsOf(const std::string& name, const RegistrySnapshot& snapshot) {
  std::vector<plugins::ExpectedChecksum> checksums;
  if (const auto locked = snapshot.lock.find(name); locked != snapshot.lock.end()) {
    const auto digest = locked->second.sha256.find(Platform());
    if (digest != locked->second.sha256.end()) checksums.push_back({digest->second, kLockFile});
  }
  const PluginEntry* entry = snapshot.EntryOf(name);
  if (entry != nullptr && !entry->sha256.empty()) checksums.push_back({entry->sha256, kPluginsFile});
  const auto state = snapshot.states.find(name);
  if (state != snapshot.states.end() && !state->second.checksum.empty()) {
    checksums.push_back({state->second.checksum, "state file"});
  }
  return checksums;
}

}  // namespace

std::expected<PluginRegistry, Error> PluginRegistry::Load(RegistryPlaces places) {
  auto snapshot = TakeSnapshot(std::move(places));
  if (!snapshot) return std::unexpected(std::move(snapshot.error()));
  return PluginRegistry(std::move(*snapshot));
}

const std::vector<RegisteredPlugin>& PluginRegistry::plugins() const { return snapshot_->plugins; }
const std::vector<Finding>& PluginRegistry::warnings() const { return snapshot_->warnings; }
const RegistryPlaces& PluginRegistry::places() const { return snapshot_->places; }

std::expected<plugins::PluginLaunch, Error> PluginRegistry::Launch(std::string_view name) const {
  const auto found = snapshot_->resolved.find(name);
  if (found == snapshot_->resolved.end()) return std::unexpected(UnknownPlugin(name, *snapshot_));
  const ResolvedPlugin& plugin = found->second;
  if (plugin.fault) return std::unexpected(*plugin.fault);
  auto config = ConfigOf(plugin, *snapshot_);
  if (!config) return std::unexpected(std::move(config.error()));
  plugins::PluginLaunch launch;
  launch.name = plugin.row.name;
  launch.version = plugin.row.version;
  launch.executable = plugin.row.executable;
  launch.checksums = ChecksumsOf(launch.name, *snapshot_);
  launch.config = std::move(*config);
  if (const PluginEntry* entry = snapshot_->EntryOf(name)) {
    launch.env = entry->env;
    launch.tls_required = entry->tls_required;
    launch.start_timeout = entry->start_timeout.value_or(launch.start_timeout);
  }
  return launch;
}

std::expected<KnownOperations, Error> PluginRegistry::Operations(std::string_view name) const {
  const auto launch = Launch(name);
  if (!launch) return std::unexpected(launch.error());
  const auto locked = snapshot_->lock.find(launch->name);
  const auto sha256 = Sha256OfFile(launch->executable);
  if (!sha256)
    return Unknown("the executable cannot be compared with the lock and the cache: " + sha256.error().message);
  const bool is_locked = locked != snapshot_->lock.end();
  if (is_locked) {
    const auto digest = locked->second.sha256.find(Platform());
    const bool here = digest != locked->second.sha256.end();
    if (here && digest->second == *sha256) return KnownOperations{Source::kLock, locked->second.operations, {}};
    if (here) {
      return Unknown("the executable of plugin '" + launch->name + "' is not the one of " + kLockFile +
                     ", which expects " + digest->second + ", found " + *sha256);
    }
  }
  if (auto cached = CachedOperations(snapshot_->places.storage, *sha256)) {
    return KnownOperations{Source::kCache, std::move(*cached), {}};
  }
  return Unknown("plugin '" + launch->name + "' " +
                 (is_locked ? "has no checksum for " + Platform() + " in " : std::string("is not in ")) + kLockFile +
                 ", and this executable has not been started before");
}

void PluginRegistry::Remember(std::string_view name, const std::string& sha256,
                              const std::vector<Operation>& operations) const {
  CacheOperations(snapshot_->places.storage, sha256, name, operations);
}

std::expected<std::string, Error> Sha256OfFile(const std::filesystem::path& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return telemetry::ReadFailure(path, errno);
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return telemetry::ReadFailure(path, errno);
  if (!S_ISREG(status.st_mode)) return telemetry::ReadFailure(path, "it is not a regular file");
  auto sha256 = telemetry::Sha256OfDescriptor(fd.get());
  if (!sha256) return telemetry::ReadFailure(path, sha256.error());
  return std::move(*sha256);
}

}  // namespace awf::plugin_registry
