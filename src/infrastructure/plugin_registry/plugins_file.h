// .awf/plugins.yaml: what a project writes down of its plugins. Reads the text only: whether paths lead anywhere is for
// others to say.
#pragma once

#include <chrono>
#include <expected>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/error.h"
#include "infrastructure/plugin_registry/config_rules.h"

namespace awf::plugin_registry {

struct PluginEntry {
  Position position;  // of its name
  std::string path;   // as written; empty: a discovered plugin is refined
  Position path_position;
  bool enabled = true;
  Position enabled_position;
  GivenConfig config;
  std::vector<std::pair<std::string, std::string>> env;  // in file order
  std::string sha256;                                    // lower case; empty: not given
  bool tls_required = true;
  std::optional<std::chrono::milliseconds> start_timeout;
};

using PluginsFile = std::map<std::string, PluginEntry>;  // by name

// `file` is the file's name in positions. USER.CONFIG.INVALID with a line for every fault (20 at most), at the
// position of the first; unknown keys are faults. An empty text is no plugins.
std::expected<PluginsFile, Error> ParsePluginsFile(std::string_view text, const std::string& file);
// Nothing when there is no such file. Opening waits for nothing, whatever the path names.
std::expected<std::optional<PluginsFile>, Error> ReadPluginsFile(const std::filesystem::path& path);

// 64 hex digits, in lower case; nothing for anything else.
std::optional<std::string> ParseSha256(std::string_view text);

}  // namespace awf::plugin_registry
