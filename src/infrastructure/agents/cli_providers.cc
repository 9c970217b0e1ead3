#include "infrastructure/agents/cli_providers.h"

#include <algorithm>

#include "infrastructure/agents/claude.h"
#include "infrastructure/agents/codex.h"
#include "infrastructure/agents/gemini.h"
#include "infrastructure/agents/github_copilot.h"
#include "infrastructure/agents/mistral_vibe.h"
#include "infrastructure/agents/opencode.h"

namespace awf::agents {
namespace {

template <typename Provider>
std::unique_ptr<AgentProvider> Make(ProviderSetup setup) {
  return std::make_unique<Provider>(std::move(setup));
}

constexpr std::string_view kManagedClaude[] = {"/etc/claude-code/managed-settings.json",
                                               "/etc/claude-code/managed-mcp.json"};
constexpr std::string_view kManagedCodex[] = {"/etc/codex/config.toml", "/etc/codex/managed_config.toml",
                                              "/etc/codex/requirements.toml"};
constexpr std::string_view kManagedGemini[] = {"/etc/gemini-cli/settings.json", "/etc/gemini-cli/system-defaults.json"};
constexpr std::string_view kManagedOpenCode[] = {"/etc/opencode/opencode.json", "/etc/opencode/opencode.jsonc",
                                                 "/etc/opencode/config.json"};

constexpr std::string_view kVariablesOfClaude[] = {"ANTHROPIC_", "CLAUDE_"};
constexpr std::string_view kVariablesOfCodex[] = {"CODEX_"};
constexpr std::string_view kVariablesOfGemini[] = {"GEMINI_", "GOOGLE_"};
constexpr std::string_view kVariablesOfOpenCode[] = {"OPENCODE_"};
constexpr std::string_view kVariablesOfCopilot[] = {"COPILOT_", "GITHUB_COPILOT_"};
constexpr std::string_view kVariablesOfVibe[] = {"MISTRAL_", "VIBE_"};

constexpr CliProvider kProviders[] = {
    {.name = "claude",
     .program = "claude",
     .verified = kVerifiedClaude,
     .announces = true,
     .newer = IsolationLevel::kCoexisting,
     .recipe = 1,
     .budget = {},
     .make = &Make<ClaudeProvider>,
     .login = &ClaudeLogin,
     .probe = &ClaudeProbe,
     .offered_name = &OfferedByClaude,
     .managed = kManagedClaude,
     .prefixes = kVariablesOfClaude,
     .mcp_client = "claude-code",
     .install = "npm install -g @anthropic-ai/claude-code"},
    {.name = "codex",
     .program = "codex",
     .verified = kVerifiedCodex,
     .announces = false,
     .newer = IsolationLevel::kFlags,
     .recipe = 1,
     .budget = {},
     .make = &Make<CodexProvider>,
     .login = &CodexLogin,
     .probe = &CodexProbe,
     .offered_name = &OfferedByCodex,
     .managed = kManagedCodex,
     .prefixes = kVariablesOfCodex,
     .mcp_client = "codex-mcp-client",
     .install = "npm install -g @openai/codex",
     .tools_by_model = true},
    {.name = "gemini",
     .program = "gemini",
     .verified = kVerifiedGemini,
     .announces = false,
     .newer = IsolationLevel::kCoexisting,
     .recipe = 1,
     .budget = {},
     .make = &Make<GeminiProvider>,
     .login = &GeminiLogin,
     .probe = &GeminiProbe,
     .offered_name = &OfferedByGemini,
     .managed = kManagedGemini,
     .prefixes = kVariablesOfGemini,
     .mcp_client = "gemini-cli-mcp-client",
     .install = "npm install -g @google/gemini-cli"},
    {.name = "github_copilot",
     .program = "copilot",
     .verified = kVerifiedCopilot,
     .announces = false,
     .newer = IsolationLevel::kFlags,
     .recipe = 1,
     .budget = {.characters = 20'000, .bytes = 20'000},
     .make = &Make<GitHubCopilotProvider>,
     .login = &CopilotLogin,
     .probe = &CopilotProbe,
     .offered_name = &OfferedByCopilot,
     .prefixes = kVariablesOfCopilot,
     .mcp_client = "copilot-cli",
     .install = "npm install -g @github/copilot"},
    {.name = "opencode",
     .program = "opencode",
     .verified = kVerifiedOpenCode,
     .announces = false,
     .newer = IsolationLevel::kCoexisting,
     .recipe = 1,
     .budget = {.characters = 45'000, .bytes = 45'000, .lines = 1'900},
     .make = &Make<OpenCodeProvider>,
     .login = &OpenCodeLogin,
     .probe = &OpenCodeProbe,
     .offered_name = &OfferedByOpenCode,
     .managed = kManagedOpenCode,
     .prefixes = kVariablesOfOpenCode,
     .mcp_client = "opencode",
     .install = "npm install -g opencode-ai"},
    {.name = "mistral_vibe",
     .program = "vibe",
     .verified = kVerifiedVibe,
     .announces = false,
     .known = IsolationLevel::kCoexisting,
     .newer = IsolationLevel::kCoexisting,
     .recipe = 1,
     .budget = kVibeBudget,
     .make = &Make<MistralVibeProvider>,
     .login = &MistralVibeLogin,
     .probe = &MistralVibeProbe,
     .offered_name = &OfferedByMistralVibe,
     .prefixes = kVariablesOfVibe,
     .install = "pip install mistral-vibe (Python 3.12 or newer)"},
};

}  // namespace

std::span<const CliProvider> CliProviders() { return kProviders; }

const CliProvider* FindCliProvider(std::string_view name) {
  const auto found = std::ranges::find(kProviders, name, &CliProvider::name);
  return found == std::end(kProviders) ? nullptr : &*found;
}

}  // namespace awf::agents
