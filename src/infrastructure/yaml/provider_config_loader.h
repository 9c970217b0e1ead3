// Reads `providers:` of a configuration file.
#pragma once

#include <optional>
#include <string>

#include "application/language/scope.h"
#include "domain/config.h"
#include "infrastructure/yaml/yaml_node.h"
#include "infrastructure/yaml/yaml_reader.h"

namespace awf {

// Into `config`, under canonical names, options checked and with canonical keys.
void LoadProviderConfigs(const YamlNode& map, YamlReader& reader, const EnvironmentLookup& environment, Config& config);

// A path of the configuration, `~/` expanded with HOME.
std::optional<std::string> HomePath(const YamlNode& node, const std::string& field, YamlReader& reader,
                                    const EnvironmentLookup& environment);

}  // namespace awf
