// The agent CLIs that awf knows: a line each.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "domain/agent.h"
#include "infrastructure/agents/environment.h"

namespace awf::agents {

struct CliProvider {
  std::string_view name;      // canonical
  std::string_view program;   // on the PATH
  std::string_view verified;  // newest version that the recipe was verified with
  std::unique_ptr<AgentProvider> (*make)(const Environment& environment, const std::filesystem::path& step_folder,
                                         const std::string& version);
};

// Null when no CLI has that name.
const CliProvider* FindCliProvider(std::string_view name);

}  // namespace awf::agents
