// Reads `providers:` of a configuration file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "application/language/scope.h"
#include "domain/config.h"
#include "infrastructure/yaml/yaml_node.h"
#include "infrastructure/yaml/yaml_reader.h"

namespace awf {

// Whose file it is. The project's comes with what was cloned.
enum class ConfigOwner { kUser, kProject };

// Into `config`, under canonical names, options checked and with canonical keys, positions too.
void LoadProviderConfigs(const YamlNode& map, YamlReader& reader, const EnvironmentLookup& environment,
                         ConfigOwner owner, Config& config);

// A finding for a key that the project's file may not have, as it names a `thing` of the user; nothing for the user's.
// True: there is one.
bool RefuseInProject(ConfigOwner owner, const YamlNode& node, const std::string& field, std::string_view thing,
                     YamlReader& reader);

// A path of the configuration, `~/` expanded with HOME.
std::optional<std::string> HomePath(const YamlNode& node, const std::string& field, YamlReader& reader,
                                    const EnvironmentLookup& environment);

}  // namespace awf
