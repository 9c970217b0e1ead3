#include "infrastructure/agents/cli_program.h"

#include <algorithm>
#include <array>

#include "domain/secret_names.h"
#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

constexpr std::string_view kHeeded[] = {"BUN_OPTIONS", "LD_AUDIT",   "LD_LIBRARY_PATH", "LD_PRELOAD",   "NODE_OPTIONS",
                                        "NODE_PATH",   "PYTHONHOME", "PYTHONPATH",      "PYTHONSTARTUP"};

struct OwnPrefixes {
  std::string_view provider;
  std::array<std::string_view, 2> prefixes;
};
constexpr OwnPrefixes kOwn[] = {{"claude", {"ANTHROPIC_", "CLAUDE_"}},
                                {"codex", {"CODEX_", "CODEX_"}},
                                {"gemini", {"GEMINI_", "GOOGLE_"}},
                                {"opencode", {"OPENCODE_", "OPENCODE_"}},
                                {"github_copilot", {"COPILOT_", "GITHUB_COPILOT_"}},
                                {"mistral_vibe", {"MISTRAL_", "VIBE_"}}};

bool IsHeeded(std::string_view provider, std::string_view name) {
  if (std::ranges::find(kHeeded, name) != std::end(kHeeded)) return true;
  const auto own = std::ranges::find(kOwn, provider, &OwnPrefixes::provider);
  return own != std::end(kOwn) &&
         std::ranges::any_of(own->prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

std::expected<std::filesystem::path, Error> CliProgram(const AgentHost& host, const CliProvider& provider,
                                                       const std::string& search_path) {
  const std::string name(provider.name);
  const auto configured = host.programs.find(name);
  if (configured == host.programs.end()) return FindProgram(provider.program, search_path);
  if (IsExecutableFile(configured->second)) return configured->second;
  return Fail("EXECUTION.AGENT.NOT_INSTALLED", configured->second.string() + " is no program that can be run",
              "Correct providers." + name + ".path of the configuration.");
}

std::vector<std::string> AmbientVariables(const CliProvider& provider, const std::vector<std::string>& environment) {
  std::vector<std::string> variables = Environment(environment).Block();
  std::erase_if(variables, [&](const std::string& variable) {
    const std::string_view name = std::string_view(variable).substr(0, variable.find('='));
    return !IsHeeded(provider.name, name) || IsSecretName(name);
  });
  std::ranges::sort(variables);
  return variables;
}

ProofKey ProofKeyOf(const CliProvider& provider, const std::filesystem::path& program, const std::string& version,
                    const AgentRequest& request, const std::vector<std::string>& environment) {
  ProofKey key;
  key.provider = provider.name;
  key.version = version;
  key.program = program;
  key.recipe = provider.recipe;
  key.intercept = request.proxy && request.proxy->intercept_builtins;
  key.extra_args = TextsAt(request.options, "extra_args");
  if (const json::object* variables = ObjectAt(request.options, "env")) key.env = *variables;
  if (provider.tools_by_model) key.model = OptionText(request.options, "model");
  key.managed.assign(provider.managed.begin(), provider.managed.end());
  key.ambient = AmbientVariables(provider, environment);
  return key;
}

}  // namespace awf::agents
