// What the adapter of an agent CLI is made with.
#pragma once

#include <filesystem>
#include <string>

#include "infrastructure/agents/environment.h"
#include "infrastructure/agents/program_facts.h"

namespace awf::agents {

// The name under which CLIs know our MCP server. Gemini takes no '_' in it.
inline constexpr char kProxyName[] = "awf-proxy";

struct ProviderSetup {
  Environment environment{};                    // what the CLI will start with, before the recipe
  std::filesystem::path step_folder{};          // private, 0700: the adapter's own files go there; need not exist yet
  std::filesystem::path conversation_folder{};  // private, 0700, lives as long as the run; empty: the step has none
  std::string version{};                        // N.N.N as --version told it; may be empty
  // The text shall hold the sentence that keeps the model to MCP tools, as isolation may be less than proven.
  bool mitigate = false;
  // The CLI refused a flag of the recipe before it asked a model (Verdict::try_fallback): leave that out.
  bool fallback = false;
  // Asks the program about itself; null where no program may be started (dry runs). Outlives the adapter.
  const ProgramFacts* facts = nullptr;
  std::string server = kProxyName;  // another one only in recorded streams
};

}  // namespace awf::agents
