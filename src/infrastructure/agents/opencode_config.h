// OpenCode's configuration as the user has it, and what of it an intercepting step takes over.
//
// A configuration folder also brings plugins, tools, agents, MCP servers and instructions. OpenCode 1.18.33 loads the
// plugins of a folder even with --pure, so the step gets a folder of its own with nothing in it but the model
// providers. Reads files of the user, writes none; thread-safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "domain/agent.h"
#include "infrastructure/agents/environment.h"

namespace awf::agents {

struct OpenCodeConfig {
  json::object kept;                  // providers, models and limits; {file:…} made absolute
  std::vector<std::string> warnings;  // files that cannot be read
};

// $XDG_CONFIG_HOME/opencode, else ~/.config/opencode; empty when there is no home.
std::filesystem::path OpenCodeConfigFolder(const Environment& environment);
// $XDG_DATA_HOME/opencode, else ~/.local/share/opencode; empty when there is no home.
std::filesystem::path OpenCodeDataFolder(const Environment& environment);

// From the global files, OPENCODE_CONFIG and OPENCODE_CONFIG_CONTENT, the later over the earlier.
OpenCodeConfig ReadOpenCodeConfig(const Environment& environment);

// OPENCODE_CONFIG_CONTENT as the user has it: `over` is merged over it.
json::object OverUsersContent(const Environment& environment, const json::object& over,
                              std::vector<std::string>& warnings);

// The private configuration folder's files, below "config/opencode/". What would be missed there is declared as being
// installed, so that nothing is fetched from a registry in each step.
std::vector<PrivateFile> OpenCodePrivateConfig(json::object kept);

}  // namespace awf::agents
