#include "infrastructure/agents/mistral_vibe_variables.h"

#include <algorithm>
#include <set>

namespace awf::agents {
namespace {

// These reach an intercepted step.
constexpr std::string_view kKeptVariables[] = {"VIBE_ALLOWED_MODELS",
                                               "VIBE_API_CONNECT_TIMEOUT",
                                               "VIBE_API_POOL_TIMEOUT",
                                               "VIBE_API_RETRY_MAX_ELAPSED_TIME",
                                               "VIBE_API_STREAM_IDLE_TIMEOUT",
                                               "VIBE_API_TIMEOUT",
                                               "VIBE_API_WRITE_TIMEOUT",
                                               "VIBE_ACTIVE_MODEL",
                                               "VIBE_AUTO_COMPACT_THRESHOLD",
                                               "VIBE_COMPACTION_MODEL",
                                               "VIBE_ENABLE_SYSTEM_TRUST_STORE",
                                               "VIBE_MODELS",
                                               "VIBE_PROVIDERS",
                                               "VIBE_UTILITY_MODELS",
                                               "VIBE_VISION_MODEL"};

std::string Upper(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}

bool IsKept(std::string_view upper_name) {
  return std::ranges::any_of(kKeptVariables, [&](std::string_view kept) {
    return upper_name == kept || upper_name.starts_with(std::string(kept) + "__");
  });
}

std::string NameOf(std::string_view variable) { return std::string(variable.substr(0, variable.find('='))); }

}  // namespace

bool IsVibeVariable(std::string_view name) { return Upper(name).starts_with("VIBE_"); }

bool HasVibeVariable(const Environment& environment, std::string_view name) {
  return std::ranges::any_of(environment.Block(), [&](const std::string& variable) {
    const std::string found = NameOf(variable);
    return Upper(found) == name && !environment.Get(found).empty();
  });
}

std::vector<std::string> UnwantedVibeVariables(const Environment& environment, const std::vector<std::string>& decided,
                                               bool intercept) {
  const std::set<std::string, std::less<>> exact(decided.begin(), decided.end());
  std::set<std::string, std::less<>> in_any_case;
  for (const std::string& name : decided) in_any_case.insert(Upper(name));
  std::vector<std::string> unwanted;
  for (const std::string& variable : environment.Block()) {
    const std::string name = NameOf(variable), upper = Upper(name);
    if (!IsVibeVariable(name) || exact.contains(name)) continue;
    if (in_any_case.contains(upper) || (intercept && !IsKept(upper))) unwanted.push_back(name);
  }
  return unwanted;
}

}  // namespace awf::agents
