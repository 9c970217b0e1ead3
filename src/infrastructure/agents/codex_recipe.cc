#include "infrastructure/agents/codex_recipe.h"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <string_view>

#include "domain/joined.h"
#include "infrastructure/agents/stream_json.h"
#include "infrastructure/agents/toml_text.h"

namespace awf::agents {
namespace {

// What gives a model tools, and what starts programs beside it: hooks.json is read although the user's configuration is
// not, and a snapshot of the shell's variables runs the user's shell.
constexpr std::array<std::string_view, 12> kToolFeatures = {
    "shell_tool", "unified_exec",     "view_image",   "multi_agent",  "goals", "apps",
    "plugins",    "image_generation", "tool_suggest", "skill_search", "hooks", "shell_snapshot"};
// With it Codex waits for a network that is not there until the step's timeout; without it, it gives up after five
// tries, 25 s.
constexpr std::string_view kPatience = "unbounded_connection_retries";

Error BadConfig(std::string message, std::string hint) {
  return {"WORKFLOW.PARSE.INVALID_VALUE", std::move(message), std::move(hint), {}, {}, "options.config"};
}

// The first words of the lines of `codex features list`.
std::set<std::string, std::less<>> FirstWords(const std::string& list) {
  std::set<std::string, std::less<>> words;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream parts(line);
    if (std::string word; parts >> word) words.insert(std::move(word));
  }
  return words;
}

// "model_providers.NAME", and deeper.
bool IsProviderKey(std::string_view key) {
  if (!key.starts_with("model_providers.")) return false;
  key.remove_prefix(key.find('.') + 1);
  for (std::size_t dot = 0; dot != std::string_view::npos;) {
    dot = key.find('.');
    if (!IsBareTomlKey(key.substr(0, dot))) return false;
    if (dot != std::string_view::npos) key.remove_prefix(dot + 1);
  }
  return true;
}

}  // namespace

void AddSetting(std::vector<std::string>& argv, const std::string& key, const std::string& toml) {
  argv.insert(argv.end(), {"-c", key + "=" + toml});
}

std::string CodexServer(const ProxyEndpoint& proxy, bool intercept) {
  const std::string seconds = std::to_string(std::max(1LL, (proxy.timeout_ms + 999) / 1000));
  return "{command=" + TomlString(proxy.program.string()) + R"(,args=["mcp-serve","--config",)" +
         TomlString(proxy.config.string()) +
         "],env={},required=true,startup_timeout_sec=30,tool_timeout_sec=" + seconds +
         R"(,default_tools_approval_mode="approve",omit_tools_from=)" +
         (intercept ? R"(["deferred","code_mode"])" : R"(["deferred"])") + ",supports_parallel_tool_calls=true}";
}

CodexFeatures ChooseCodexFeatures(const ProgramFacts* facts, bool intercept) {
  const auto list = facts != nullptr ? facts->Ask({"features", "list"}) : std::nullopt;
  const auto known = FirstWords(list.value_or(""));
  CodexFeatures features;
  std::vector<std::string> missing;
  if (intercept) {
    for (const std::string_view name : kToolFeatures) {
      const bool there = !list || known.contains(name);
      (there ? features.off : missing).emplace_back(name);
    }
  }
  if (!list || known.contains(kPatience)) features.off.emplace_back(kPatience);
  if (facts != nullptr && !list) {
    features.doubt = "codex features list failed";
  } else if (!missing.empty()) {
    features.doubt = "codex has no feature " + Joined(missing, ", ") + " to switch off";
  }
  return features;
}

std::expected<void, Error> AddCodexConfig(const json::object& options, std::vector<std::string>& argv) {
  const json::object* config = ObjectAt(options, "config");
  if (config == nullptr) return {};
  for (const auto& [key, value] : *config) {
    const std::string name(key);
    if (name == "model_providers" && value.is_object()) {
      // One by one: those of the user's configuration stay.
      for (const auto& [provider, settings] : value.get_object()) {
        if (!IsBareTomlKey(provider)) {
          return std::unexpected(
              BadConfig("options.config: model_providers has the name '" + std::string(provider) + "'",
                        "Names consist of letters, digits, '_' and '-'."));
        }
        AddSetting(argv, "model_providers." + std::string(provider), TomlValue(settings));
      }
    } else if (name == "model_provider" || name == "openai_base_url" || IsProviderKey(name)) {
      AddSetting(argv, name, TomlValue(value));
    } else {
      return std::unexpected(BadConfig("options.config: the key '" + name + "' is not allowed",
                                       "It takes model_provider, model_providers.NAME and openai_base_url."));
    }
  }
  return {};
}

}  // namespace awf::agents
