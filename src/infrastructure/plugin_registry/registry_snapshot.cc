#include "infrastructure/plugin_registry/registry_snapshot.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "application/validation/findings.h"

namespace awf::plugin_registry {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = "EXECUTION.PLUGIN.CONFIG";
constexpr std::size_t kMostWarnings = 20;  // of one manifest

bool IsBelow(const fs::path& path, const fs::path& folder) { return path.string().starts_with(folder.string() + "/"); }

class SnapshotBuilder {
 public:
  explicit SnapshotBuilder(RegistryPlaces places) : snapshot_(std::make_shared<RegistrySnapshot>()) {
    for (fs::path* path : {&places.project, &places.user_data, &places.home}) {
      if (!path->empty()) *path = NormalPath(*path);
    }
    snapshot_->places = std::move(places);
  }

  std::expected<std::shared_ptr<const RegistrySnapshot>, Error> Build() {
    if (auto read = ReadFiles(); !read) return std::unexpected(read.error());
    for (const SearchedFolder& folder : snapshot_->searched) AddFolder(folder);
    for (auto& [name, plugin] : nameless_) snapshot_->resolved.emplace(name, plugin);
    if (snapshot_->entries) {
      for (const auto& [name, entry] : *snapshot_->entries) AddEntry(name, entry);
    }
    for (auto& [name, plugin] : snapshot_->resolved) Finish(plugin);
    AddRows();
    SortFindings(snapshot_->warnings);
    return snapshot_;
  }

 private:
  std::expected<void, Error> ReadFiles() {
    const RegistryPlaces& places = snapshot_->places;
    auto entries = ReadPluginsFile(places.project / kPluginsFile);
    if (!entries) return std::unexpected(std::move(entries.error()));
    auto lock = ReadPluginLock(places.project / kLockFile);
    if (!lock) return std::unexpected(std::move(lock.error()));
    auto states = ReadPluginStates(places.storage);
    if (!states) return std::unexpected(std::move(states.error()));
    snapshot_->entries = std::move(*entries);
    snapshot_->lock = std::move(*lock);
    snapshot_->states = std::move(*states);
    for (const fs::path& folder : places.folders) {
      const fs::path normal = NormalPath(folder);
      const auto& searched = snapshot_->searched;
      if (std::ranges::find(searched, normal, &SearchedFolder::folder) == searched.end())
        snapshot_->searched.push_back(SearchPluginFolder(normal));
    }
    return {};
  }

  void Warn(std::string message, const Position& position, std::string hint = {}, std::string field = {}) {
    snapshot_->warnings.push_back(
        {Severity::kWarning, {kConfig, std::move(message), std::move(hint), position, {}, std::move(field)}});
  }

  void WarnOf(const FoundManifest& found) {
    std::size_t told = 0;
    for (const Finding& finding : found.read.findings) {
      if (told++ == kMostWarnings) {
        const std::size_t rest = found.read.findings.size() - kMostWarnings;
        return Warn(snapshot_->Shown(found.file()) + ": " + std::to_string(rest) + " more", {});
      }
      const Error& error = finding.error;
      const bool placed = error.position.known();
      Warn(placed ? error.message : snapshot_->Shown(found.file()) + " " + error.message, error.position, error.hint,
           error.field);
    }
  }

  void AddFolder(const SearchedFolder& folder) {
    const std::string shown = snapshot_->Shown(folder.folder);
    if (!folder.fault.empty() && folder.fault != "does not exist") Warn(shown + " " + folder.fault, {});
    std::map<std::string, fs::path> here;
    for (const FoundManifest& found : folder.manifests) {
      WarnOf(found);
      ResolvedPlugin plugin = OfManifest(found, shown);
      if (found.read.manifest.name.empty()) {
        nameless_.emplace(plugin.row.name, std::move(plugin));
        continue;
      }
      const auto [twin, first_here] = here.emplace(plugin.row.name, found.file());
      if (!first_here) {
        Warn("plugin '" + plugin.row.name + "' stands twice in " + shown + ": " + snapshot_->Shown(twin->second) +
                 " counts, " + snapshot_->Shown(found.file()) + " does not",
             {});
      }
      const auto [winner, first] = snapshot_->resolved.emplace(plugin.row.name, plugin);
      if (!first) winner->second.row.shadowed.push_back(found.file());
    }
  }

  ResolvedPlugin OfManifest(const FoundManifest& found, const std::string& place) {
    const Manifest& manifest = found.read.manifest;
    ResolvedPlugin plugin;
    RegisteredPlugin& row = plugin.row;
    row.name = found.name();
    row.version = manifest.version;
    row.description = manifest.description;
    row.author = manifest.author;
    row.license = manifest.license;
    row.homepage = manifest.homepage;
    row.capabilities = manifest.capabilities;
    row.subscribes = manifest.subscribes;
    row.emits = manifest.emits;
    row.folder = found.folder;
    row.executable = ExecutableIn(found.folder);
    row.place = place;
    plugin.rules = manifest.config;
    if (!found.read.valid()) {
      const std::string reason = found.read.Reason(snapshot_->Shown(found.file()));
      MakeInvalid(plugin, reason, "plugin '" + row.name + "' is invalid: " + reason);
    }
    return plugin;
  }

  static void MakeInvalid(ResolvedPlugin& plugin, std::string reason, std::string message,
                          const Position& position = {}, std::string hint = {}) {
    plugin.row.status = PluginStatus::kInvalid;
    plugin.row.reason = std::move(reason);
    plugin.fault = Error{kConfig, std::move(message), std::move(hint), position, {}, {}};
  }

  void AddEntry(const std::string& name, const PluginEntry& entry) {
    const auto discovered = snapshot_->resolved.find(name);
    const bool known = discovered != snapshot_->resolved.end();
    if (entry.path.empty()) {
      if (known) return;
      Warn("plugins." + name + " has no path, and no plugin folder has a plugin of that name", entry.position, {},
           "plugins." + name);
      return;
    }
    ResolvedPlugin plugin = OfEntry(name, entry);
    if (known) {
      const RegisteredPlugin& loser = discovered->second.row;
      plugin.row.shadowed = loser.shadowed;
      const fs::path manifest = loser.folder / "plugin.yaml";
      if (plugin.row.folder != loser.folder) plugin.row.shadowed.insert(plugin.row.shadowed.begin(), manifest);
    }
    snapshot_->resolved.insert_or_assign(name, std::move(plugin));
  }

  ResolvedPlugin OfEntry(const std::string& name, const PluginEntry& entry) {
    const fs::path path = Resolve(entry.path);
    const std::string shown = snapshot_->Shown(path);
    struct stat status{};
    const bool there = ::stat(path.c_str(), &status) == 0;
    ResolvedPlugin plugin;
    if (there && S_ISDIR(status.st_mode) && !HasManifest(path)) {
      plugin.row.place = kPluginsFile;
      Misplaced(plugin, entry, shown + " has no plugin.yaml", "path is such a folder, or the executable itself");
    } else if (there && S_ISDIR(status.st_mode)) {
      FoundManifest found{path, ReadManifestFile(path / "plugin.yaml")};
      WarnOf(found);
      plugin = OfManifest(found, kPluginsFile);
      const std::string& own = found.read.manifest.name;
      if (!own.empty() && own != name) {
        Misplaced(plugin, entry, shown + " is the plugin '" + own + "', not '" + name + "'",
                  "name the entry '" + own + "'");
      }
    } else {
      plugin.row.executable = path;
      plugin.row.place = kPluginsFile;
      if (there && !S_ISREG(status.st_mode))
        Misplaced(plugin, entry, shown + " is neither a folder nor a regular file", "");
    }
    plugin.row.name = name;
    return plugin;
  }

  // What its path leads to is not what it should be.
  void Misplaced(ResolvedPlugin& plugin, const PluginEntry& entry, const std::string& fault, const std::string& hint) {
    const Position& at = entry.path_position;
    Warn(fault, at, hint);
    const std::string place =
        std::string(kPluginsFile) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
    MakeInvalid(plugin, place + fault, fault, at, hint);
  }

  // As written in .awf/plugins.yaml.
  fs::path Resolve(const std::string& written) const {
    const RegistryPlaces& places = snapshot_->places;
    if (written.starts_with("~/") && !places.home.empty()) {
      return NormalPath(places.home / fs::path(written.substr(1)).relative_path());
    }
    return NormalPath(places.project / written);
  }

  // What depends on all files together.
  void Finish(ResolvedPlugin& plugin) {
    RegisteredPlugin& row = plugin.row;
    const PluginEntry* entry = snapshot_->EntryOf(row.name);
    row.user_installed = IsUserInstalled(row, entry);
    if (row.status == PluginStatus::kInvalid) return;
    Disable(plugin, entry);
    if (row.status == PluginStatus::kOk) LookForExecutable(row);
    if (entry == nullptr) return;
    for (Finding& finding : UnknownFields(plugin.rules, entry->config))
      snapshot_->warnings.push_back(std::move(finding));
  }

  void Disable(ResolvedPlugin& plugin, const PluginEntry* entry) {
    const std::string& name = plugin.row.name;
    const auto state = snapshot_->states.find(name);
    Error fault{"EXECUTION.PLUGIN.DISABLED", {}, {}, {}, {}, {}};
    if (state != snapshot_->states.end() && !state->second.enabled) {
      const std::string& since = state->second.disabled_at;
      plugin.row.reason = since.empty() ? "by awf plugin disable" : "since " + since;
      fault.message = "plugin '" + name + "' is disabled" + (since.empty() ? "" : " since " + since);
      fault.hint = "awf plugin enable " + name;
    } else if (entry != nullptr && !entry->enabled) {
      plugin.row.reason = std::string("in ") + kPluginsFile;
      fault.message = "plugin '" + name + "' is disabled in " + kPluginsFile;
      fault.hint = "remove enabled: false there";
      fault.position = entry->enabled_position;
    } else {
      return;
    }
    plugin.row.status = PluginStatus::kDisabled;
    plugin.fault = std::move(fault);
  }

  void LookForExecutable(RegisteredPlugin& row) const {
    struct stat status{};
    const std::string shown = snapshot_->Shown(row.executable);
    if (::stat(row.executable.c_str(), &status) != 0) {
      row.reason = errno == ENOENT || errno == ENOTDIR ? "there is no " + shown
                                                       : shown + ": " + std::generic_category().message(errno);
    } else if (!S_ISREG(status.st_mode)) {
      row.reason = shown + " is not a regular file";
    } else if (::access(row.executable.c_str(), X_OK) != 0) {
      row.reason = shown + " is not executable";
    } else {
      return;
    }
    row.status = PluginStatus::kNotFound;
  }

  // A variable or a setting of the project could make the user's own plugin run what the project brings along.
  bool IsUserInstalled(const RegisteredPlugin& row, const PluginEntry* entry) const {
    const RegistryPlaces& places = snapshot_->places;
    if (entry != nullptr && (!entry->path.empty() || !entry->env.empty() || !entry->config.values.empty()))
      return false;
    std::error_code fault;
    const fs::path users = fs::canonical(places.user_data / "plugins", fault);
    if (fault) return false;
    // Where there is no home folder, the project's stands for it.
    const fs::path projects = fs::weakly_canonical(places.project / ".awf", fault);
    if (fault || IsBelow(users, projects)) return false;
    const fs::path executable = fs::canonical(row.executable, fault);
    return !fault && IsBelow(executable, users);
  }

  void AddRows() {
    for (const auto& [name, plugin] : snapshot_->resolved) snapshot_->plugins.push_back(plugin.row);
    // Those that stand behind another of their name are no less invalid.
    for (const auto& [name, plugin] : nameless_) {
      if (snapshot_->resolved.at(name).row.folder != plugin.row.folder) snapshot_->plugins.push_back(plugin.row);
    }
    std::ranges::stable_sort(snapshot_->plugins, {}, &RegisteredPlugin::name);
  }

  std::shared_ptr<RegistrySnapshot> snapshot_;
  std::multimap<std::string, ResolvedPlugin> nameless_;  // their manifests give no name; by that of the folder
};

}  // namespace

const PluginEntry* RegistrySnapshot::EntryOf(std::string_view name) const {
  if (!entries) return nullptr;
  const auto found = entries->find(std::string(name));
  return found == entries->end() ? nullptr : &found->second;
}

std::expected<std::shared_ptr<const RegistrySnapshot>, Error> TakeSnapshot(RegistryPlaces places) {
  return SnapshotBuilder(std::move(places)).Build();
}

}  // namespace awf::plugin_registry
