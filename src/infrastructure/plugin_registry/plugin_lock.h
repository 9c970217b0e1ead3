// .awf/plugins.lock: what the plugins of a project were when they were last looked at: committed, so that a review sees
// changed tools, and `run` starts nothing else.
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

struct LockedPlugin {
  std::string version;
  std::map<std::string, std::string> sha256;  // by platform, as "linux-x86_64"
  std::vector<Operation> operations;
};

using PluginLock = std::map<std::string, LockedPlugin>;  // by name

// Of this build: "linux-x86_64", "linux-aarch64".
std::string Platform();

// An absent file is an empty lock. USER.CONFIG.INVALID with its position.
std::expected<PluginLock, Error> ReadPluginLock(const std::filesystem::path& path);
// Keys sorted, two blanks of indentation, by temporary file and rename.
std::expected<void, Error> WritePluginLock(const std::filesystem::path& path, const PluginLock& lock);

// One line per difference, for people: "+ kubernetes.kubectl_get", "~ kubernetes: sha256 9f86… → 1b4f…".
std::vector<std::string> Differences(const PluginLock& before, const PluginLock& after);

json::value OperationsJson(const std::vector<Operation>& operations);
std::expected<std::vector<Operation>, std::string> OperationsOf(const json::value& value);

}  // namespace awf::plugin_registry
