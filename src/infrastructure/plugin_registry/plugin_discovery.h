// Looks for plugins in folders: each subfolder with a plugin.yaml is one. Reads files only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "infrastructure/plugin_registry/manifest.h"

namespace awf::plugin_registry {

struct FoundManifest {
  std::filesystem::path folder;  // of the plugin
  ReadManifest read;

  std::filesystem::path file() const { return folder / "plugin.yaml"; }
  // The manifest's name; the folder's when that cannot be read.
  std::string name() const;
};

struct SearchedFolder {
  std::filesystem::path folder;
  std::string fault;                     // "does not exist", "cannot be read: …"; empty: it was searched
  std::vector<FoundManifest> manifests;  // by folder name
};

// Something of that name is there. One in name only (a dangling link, a folder, a pipe) counts: it is told, not passed
// over.
bool HasManifest(const std::filesystem::path& folder);

SearchedFolder SearchPluginFolder(const std::filesystem::path& folder);

// <folder>/awf-plugin-<its name>, or <folder>/<its name> when that begins so.
std::filesystem::path ExecutableIn(const std::filesystem::path& folder);

// The path with "." and ".." resolved as text, without a slash at its end.
std::filesystem::path NormalPath(const std::filesystem::path& path);

}  // namespace awf::plugin_registry
