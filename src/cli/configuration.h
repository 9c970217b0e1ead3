// What the configuration files say, and what of it holds once environment and flags have had their say: default < user
// file < project file < environment < flag.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "domain/config.h"

namespace awf::cli {

// Reads the files (--config, AWF_CONFIG_PATH, .awf/config.yaml, the user's). All that is wrong in them comes at once,
// as USER.CONFIG.INVALID with its place.
std::expected<Config, std::vector<Error>> ReadConfiguration(const GlobalOptions& global);

// What the project's file sets that a cloned repository can do harm with: programs' arguments and environment, where
// prompts, keys and spans go. For one line in the run; empty: nothing.
std::string ProjectSettings(const Config& config, const GlobalOptions& global);

// As given on the command line; empty where not.
struct GivenSettings {
  std::string log_level, log_format;
};

// Fills storage, log level and log format of `global` where no flag gave them. USER.INPUT.INVALID_FORMAT for an
// environment variable that holds none of the possible words.
std::expected<void, Error> SettleGlobals(const GivenSettings& given, const Config& config, GlobalOptions& global);

}  // namespace awf::cli
