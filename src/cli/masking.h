// Maskers of the commands: what the configuration says of secrets, and what is masked in errors that end a command.
#pragma once

#include <expected>
#include <memory>
#include <vector>

#include "cli/commands.h"
#include "domain/config.h"
#include "domain/error.h"
#include "domain/masker.h"
#include "domain/secret_names.h"
#include "infrastructure/plugins/plugin_launch.h"

namespace awf::cli {

// Those of masking.keys.
SecretNames ConfiguredNames(const Config& config);

// Knows the names and patterns of the configuration, and no values yet. USER.CONFIG.INVALID with the place of
// masking.keys or masking.patterns for a name without letters, a pattern that does not compile, and one that matches
// where there is nothing: all of them.
std::expected<Masker, std::vector<Error>> ConfiguredMasker(const Config& config);

// For errors that come before a run knows its own secrets: beside the above those of the environment and of the options
// of providers. Never null; what of the configuration is wrong is left out.
std::shared_ptr<const Masker> MaskerOfErrors(const Config& config);

// The URLs of `notify`: whoever has one may write there.
void LearnNotifyUrls(const Config& config, Masker& masker);

// What .awf/plugins.yaml hands to a plugin, by the names of its settings and variables.
void LearnPluginSecrets(const plugins::PluginLaunch& launch, Masker& masker);

Error MaskedError(Error error, const Masker& masker);

// With the masker of `global`, else with one that knows the environment.
std::vector<Error> MaskedErrors(std::vector<Error> errors, const GlobalOptions& global);

}  // namespace awf::cli
