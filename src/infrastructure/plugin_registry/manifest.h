// plugin.yaml: what a plugin says of itself.
//
// Everything that is wrong is a finding EXECUTION.PLUGIN.CONFIG with its position, all of them at once: an error makes
// the manifest invalid, an unknown key is a warning. Nothing of the plugin runs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "domain/workflow.h"
#include "infrastructure/plugin_registry/config_rules.h"

namespace awf::plugin_registry {

// The plugin level that awf declares to `awf_version` of manifests; not awf's own version.
inline constexpr std::string_view kPluginLevel = "0.11.0";

struct Manifest {
  std::string name, version, awf_version;
  std::string description, author, license, homepage;
  std::vector<std::string> capabilities;       // of the known ones
  std::vector<std::string> subscribes, emits;  // `events`
  ConfigRules config;
};

struct ReadManifest {
  Manifest manifest;              // as far as it could be read; an empty name: it could not
  std::vector<Finding> findings;  // by position

  bool valid() const;
  // "FILE:3:1: version is missing; 2 more faults" of an invalid one, `file` being the name to show.
  std::string Reason(const std::string& file) const;
};

// ^[a-zA-Z][a-zA-Z0-9_-]*$
bool IsPluginName(std::string_view name);

// `file` is the file's name in positions.
ReadManifest ParseManifest(std::string_view text, const std::string& file);
// Opening waits for nothing, whatever the path names.
ReadManifest ReadManifestFile(const std::filesystem::path& path);

}  // namespace awf::plugin_registry
