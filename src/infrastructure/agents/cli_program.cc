#include "infrastructure/agents/cli_program.h"

#include <algorithm>

#include "domain/secret_names.h"
#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

// By the runtimes of all of them.
constexpr std::string_view kHeeded[] = {"BUN_OPTIONS", "LD_AUDIT",   "LD_LIBRARY_PATH", "LD_PRELOAD",   "NODE_OPTIONS",
                                        "NODE_PATH",   "PYTHONHOME", "PYTHONPATH",      "PYTHONSTARTUP"};

bool IsHeeded(const CliProvider& provider, std::string_view name) {
  return std::ranges::find(kHeeded, name) != std::end(kHeeded) ||
         std::ranges::any_of(provider.prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
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
    return !IsHeeded(provider, name) || IsSecretName(name);
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
  key.intercept = request.Intercepts();
  key.extra_args = TextsAt(request.options, "extra_args");
  if (const json::object* variables = ObjectAt(request.options, "env")) key.env = *variables;
  if (provider.tools_by_model) key.model = OptionText(request.options, "model");
  key.managed.assign(provider.managed.begin(), provider.managed.end());
  key.ambient = AmbientVariables(provider, environment);
  return key;
}

}  // namespace awf::agents
