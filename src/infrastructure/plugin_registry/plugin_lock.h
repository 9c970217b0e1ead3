// .awf/plugins.lock: what the plugins of a project were when they were last looked at: committed, so that a review sees
// changed tools, and `run` starts nothing else.
//
// JSON: {"plugins": {NAME: {"operations": […], "sha256": {PLATFORM: HEX}, "version": "1.2.3"}}, "version": 1}. The same
// plugins are the same bytes, in whatever order a plugin lists its operations.
#pragma once

#include <expected>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.h"
#include "domain/json.h"
#include "domain/operation.h"

namespace awf::plugin_registry {

inline constexpr const char* kLockFile = ".awf/plugins.lock";  // in the project

struct LockedPlugin {
  std::string version;                        // of the manifest; may be empty
  std::map<std::string, std::string> sha256;  // by platform, as "linux-x86_64"; hex, lower case
  std::vector<Operation> operations;
};

using PluginLock = std::map<std::string, LockedPlugin>;  // by name

// Of this build: "linux-x86_64", "linux-aarch64".
std::string Platform();

// `file` is the file's name in positions. USER.CONFIG.INVALID with its position.
std::expected<PluginLock, Error> ParsePluginLock(std::string text, const std::string& file);
// An absent file is an empty lock. Opening waits for nothing, whatever the path names.
std::expected<PluginLock, Error> ReadPluginLock(const std::filesystem::path& path);
// Keys sorted, two blanks of indentation, by temporary file and rename. SYSTEM.IO.WRITE_FAILED, PERMISSION_DENIED.
std::expected<void, Error> WritePluginLock(const std::filesystem::path& path, const PluginLock& lock);
std::string PluginLockText(const PluginLock& lock);

// One line per difference, for people: "+ kubernetes.kubectl_get", "~ kubernetes: sha256 9f86d081… → 1b4f0e98…".
std::vector<std::string> Differences(const PluginLock& before, const PluginLock& after);

}  // namespace awf::plugin_registry
