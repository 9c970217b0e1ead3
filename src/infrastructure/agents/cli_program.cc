#include "infrastructure/agents/cli_program.h"

#include "infrastructure/agents/stream_json.h"

namespace awf::agents {

std::expected<std::filesystem::path, Error> CliProgram(const AgentHost& host, const CliProvider& provider,
                                                       const std::string& search_path) {
  const std::string name(provider.name);
  const auto configured = host.programs.find(name);
  if (configured == host.programs.end()) return FindProgram(provider.program, search_path);
  if (IsExecutableFile(configured->second)) return configured->second;
  return Fail("EXECUTION.AGENT.NOT_INSTALLED", configured->second.string() + " is no program that can be run",
              "Correct providers." + name + ".path of the configuration.");
}

ProofKey ProofKeyOf(const CliProvider& provider, const std::filesystem::path& program, const std::string& version,
                    const AgentRequest& request) {
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
  return key;
}

}  // namespace awf::agents
