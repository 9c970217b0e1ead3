// The arguments with which `codex exec` is started. Pure but for ProgramFacts.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "domain/agent.h"
#include "domain/error.h"
#include "infrastructure/agents/provider_setup.h"

namespace awf::agents {

// Adds "-c KEY=VALUE"; `toml` is TOML text.
void AddSetting(std::vector<std::string>& argv, const std::string& key, const std::string& toml);

// Our MCP server. `intercept`: it is the only one, and no model may reach it by JavaScript alone.
std::string CodexServer(const ProxyEndpoint& proxy, bool intercept);

// Features of this Codex that are to be switched off, of those that the recipe names.
struct CodexFeatures {
  std::vector<std::string> off;
  std::string doubt;  // why that is not all of them; empty when it is
};
CodexFeatures ChooseCodexFeatures(const ProgramFacts* facts, bool intercept);

// options.config as "-c KEY=VALUE": model_provider, model_providers and what is below it, openai_base_url; other keys
// are refused, as they would undo the recipe.
std::expected<void, Error> AddCodexConfig(const json::object& options, std::vector<std::string>& argv);

}  // namespace awf::agents
