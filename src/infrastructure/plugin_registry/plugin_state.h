// The user's own settings of plugins: <storage>/plugins/plugins.json, 0600, changed under a lock by temporary file and
// rename.
#pragma once

#include <expected>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "domain/error.h"
#include "domain/json.h"

namespace awf::plugin_registry {

struct PluginState {
  bool enabled = true;
  json::object config;
  std::string disabled_at;            // RFC 3339; empty while enabled
  json::value source_data;            // kept as it is
  std::string checksum, checksum_at;  // hex SHA-256, RFC 3339; both empty or both set
  json::object others;                // keys that this version does not know: kept
};

using PluginStates = std::map<std::string, PluginState>;

std::filesystem::path PluginStateFile(const std::filesystem::path& storage);

// An absent file is empty. USER.CONFIG.INVALID, with its position, for what cannot be read. Opening waits for nothing.
std::expected<PluginStates, Error> ReadPluginStates(const std::filesystem::path& storage);

// Reads, lets `change` change, writes, under the lock: two commands at once lose nothing. Errors as above (the file
// stays as it is), SYSTEM.IO.WRITE_FAILED, SYSTEM.IO.PERMISSION_DENIED.
std::expected<void, Error> ChangePluginStates(const std::filesystem::path& storage,
                                              const std::function<void(PluginStates&)>& change);

}  // namespace awf::plugin_registry
