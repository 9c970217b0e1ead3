// Reads .awf/config.yaml and the user's config.yaml.
//
// Everything that is wrong is a finding USER.CONFIG.INVALID with its position, all of them at once. Keys that are not
// known are errors, like in workflows. The project's file, which a cloned repository brings along, may not name
// programs and files of the user.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/language/folders.h"
#include "application/language/scope.h"
#include "domain/config.h"
#include "domain/workflow.h"
#include "infrastructure/yaml/provider_config_loader.h"

namespace awf {

struct LoadedConfig {
  std::optional<Config> config;   // absent when a file could not be read as a map
  std::vector<Finding> findings;  // by position, of one file after the other

  // Nothing stands in the way of using it.
  bool Usable() const;
};

// The text of one file; `file` is its name in positions. `~/` in `storage` and `providers.NAME.path` is expanded with
// HOME of the environment; a relative `storage` stays as written. An empty text sets nothing.
LoadedConfig LoadConfigText(std::string_view text, const std::string& file, const EnvironmentLookup& environment,
                            ConfigOwner owner = ConfigOwner::kUser);

// `project` over `user`, key by key: each input, each path and each option of a provider by itself.
Config MergeConfig(Config user, Config project);

// .awf/config.yaml below the working folder; empty when --config or AWF_CONFIG_PATH names a file in its place, which
// counts as the user's, or when it is the user's own.
std::filesystem::path ProjectConfigFile(const std::string& named, const Folders& folders,
                                        const EnvironmentLookup& environment, const std::filesystem::path& working_dir);

// The configuration of a run: the file that `named` (--config), else AWF_CONFIG_PATH names, which must exist, else
// .awf/config.yaml below the working folder if there is one; that over the user's config.yaml, if there is one.
LoadedConfig LoadConfiguration(const std::string& named, const Folders& folders, const EnvironmentLookup& environment,
                               const std::filesystem::path& working_dir);

}  // namespace awf
