#include "application/language/provider_schemas.h"

#include <algorithm>

namespace awf {
namespace {

using enum OptionType;

constexpr double kMaxCount = 1'000'000'000;

constexpr OptionSchema kClaude[] = {
    {"model"},
    {"max_turns", kInteger, 1, kMaxCount},
    {"max_budget_usd", kNumber, 0},
    {"effort"},
    {"allowed_tools", kWords},
    {"dangerously_skip_permissions", kBool},
    {"extra_args", kStringList},
    {"env", kStringMap},
    {"output_format", kIgnored},
    {"workdir", kIgnored},
};

constexpr OptionSchema kGemini[] = {
    {"model"},
    {"dangerously_skip_permissions", kBool},
    {"extra_args", kStringList},
    {"env", kStringMap},
    {"output_format", kIgnored},
    {"workdir", kIgnored},
};

constexpr OptionSchema kCodex[] = {
    {"model"},
    {"reasoning_effort"},
    {"dangerously_skip_permissions", kBool},
    {"config", kMap},
    {"extra_args", kStringList},
    {"env", kStringMap},
    {"output_format", kIgnored},
    {"workdir", kIgnored},
};

constexpr OptionSchema kOpenCode[] = {
    {"model", kProviderModel},   {"dangerously_skip_permissions", kBool},
    {"extra_args", kStringList}, {"env", kStringMap},
    {"framework", kIgnored},     {"verbose", kIgnored},
    {"output_dir", kIgnored},    {"output_format", kIgnored},
    {"workdir", kIgnored},
};

constexpr std::string_view kCopilotModes[] = {"interactive", "plan", "autopilot"};
constexpr OptionSchema kGitHubCopilot[] = {
    {"model"},
    {"effort"},
    {"allowed_tools", kWords},
    {"denied_tools", kWords},
    {"allow_all", kBool},
    {"dangerously_skip_permissions", kBool},
    {.key = "mode", .type = kChoice, .choices = kCopilotModes},
    {"extra_args", kStringList},
    {"env", kStringMap},
    {"output_format", kIgnored},
    {"workdir", kIgnored},
};

constexpr OptionSchema kMistralVibe[] = {
    {"model"},
    {"agent_profile"},
    {"max_turns", kInteger, 1, kMaxCount},
    {"max_tokens", kInteger, 1, kMaxCount},
    {"max_price", kNumber, 0},
    {"trust", kBool},
    {"enabled_tools", kWords},
    {"add_dirs", kStringList},
    {"dangerously_skip_permissions", kBool},
    {"extra_args", kStringList},
    {"env", kStringMap},
    {"output_format", kIgnored},
    {"workdir", kIgnored},
};

constexpr OptionSchema kOpenAiCompatible[] = {
    {"base_url"},
    {"model"},
    {"api_key"},
    {"temperature", kNumber, 0, 2},
    {"top_p", kNumber, 0, 1},
    {"max_completion_tokens", kInteger, 1, kMaxCount},
    {"max_tokens", kInteger, 1, kMaxCount},
    {"system_prompt"},
    {"max_turns", kInteger, 1, kMaxCount},
    {"stream", kBool},
};

constexpr ProviderSchema kProviders[] = {
    {"claude", kClaude, false},
    {"gemini", kGemini},
    {"codex", kCodex},
    {"opencode", kOpenCode},
    {"github_copilot", kGitHubCopilot},
    {"mistral_vibe", kMistralVibe},
    {"openai_compatible", kOpenAiCompatible, false},
};

}  // namespace

std::span<const ProviderSchema> ProviderSchemas() { return kProviders; }

const ProviderSchema* FindProviderSchema(std::string_view name) {
  const auto found = std::ranges::find(kProviders, name, &ProviderSchema::name);
  return found == std::end(kProviders) ? nullptr : &*found;
}

}  // namespace awf
