// What plugins answered when they were last asked for their operations, by the hash of their executable:
// <storage>/plugins/cache/<sha256>.json, 0600. Only saves starting them: what is not there, damaged, or cannot be
// written is nobody's problem. Thread-safe.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/operation.h"

namespace awf::plugin_registry {

// `sha256` is hex, lower case; anything else is in no cache.
std::optional<std::vector<Operation>> CachedOperations(const std::filesystem::path& storage, const std::string& sha256);

// Written only where it changes something. `plugin` is for people who look into the file.
void CacheOperations(const std::filesystem::path& storage, const std::string& sha256, std::string_view plugin,
                     const std::vector<Operation>& operations);

}  // namespace awf::plugin_registry
