#include "infrastructure/plugin_registry/plugin_discovery.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "domain/utf8.h"

namespace awf::plugin_registry {
namespace fs = std::filesystem;

bool HasManifest(const fs::path& folder) {
  struct stat status{};
  if (::lstat((folder / "plugin.yaml").c_str(), &status) == 0) return true;
  return errno != ENOENT && errno != ENOTDIR;
}

std::string FoundManifest::name() const {
  return read.manifest.name.empty() ? RepairUtf8(folder.filename().string()) : read.manifest.name;
}

SearchedFolder SearchPluginFolder(const fs::path& folder) {
  SearchedFolder searched{folder, {}, {}};
  std::error_code fault;
  std::vector<fs::path> plugins;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault)) {
    if (HasManifest(entry->path())) plugins.push_back(entry->path());
  }
  if (fault == std::errc::no_such_file_or_directory) {
    searched.fault = "does not exist";
  } else if (fault == std::errc::not_a_directory) {
    searched.fault = "is not a folder";
  } else if (fault) {
    searched.fault = "cannot be read: " + fault.message();
  }
  std::ranges::sort(plugins);
  for (fs::path& plugin : plugins) {
    FoundManifest found;
    found.folder = std::move(plugin);
    found.read = ReadManifestFile(found.file());
    searched.manifests.push_back(std::move(found));
  }
  return searched;
}

fs::path ExecutableIn(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return folder / (name.starts_with("awf-plugin-") ? name : "awf-plugin-" + name);
}

fs::path NormalPath(const fs::path& path) {
  fs::path normal = path.lexically_normal();
  return normal.has_filename() || normal == normal.root_path() ? normal : normal.parent_path();
}

}  // namespace awf::plugin_registry
