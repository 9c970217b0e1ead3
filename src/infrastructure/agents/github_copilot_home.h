// The private home of GitHub Copilot CLI for an intercepting step.
//
// Hooks, MCP servers, plugins and trusted folders (which let the hooks and servers of a workspace run) come from the
// folder of COPILOT_HOME, and no flag shuts them all. So the step gets a folder of its own with nothing in it but the
// user's login and the settings that say where the model is. Logins in the system's key store are found from any
// folder. Reads files of the user, writes none; thread-safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "domain/agent.h"
#include "infrastructure/agents/environment.h"

namespace awf::agents {

// COPILOT_HOME, else ~/.copilot; empty when there is no home.
std::filesystem::path CopilotFolder(const Environment& environment);

struct CopilotHome {
  std::vector<PrivateFile> files;   // config.json with the login, settings.json
  std::filesystem::path providers;  // the user's own model providers; empty: there are none
  bool login_stored = false;        // config.json names a user
  std::vector<std::string> warnings;
};

// What a private home takes over from the user's `folder`.
CopilotHome ReadCopilotHome(const std::filesystem::path& folder);

}  // namespace awf::agents
