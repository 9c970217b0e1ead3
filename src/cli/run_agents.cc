#include "cli/run_agents.h"

#include <memory>
#include <utility>

#include "cli/run_tools.h"
#include "infrastructure/agents/environment.h"

namespace awf::cli {
namespace {

namespace fs = std::filesystem;

agents::AgentHost Asking(agents::AgentHost host, agents::IsolationProver& prover) {
  host.prover = &prover;
  return host;
}

std::vector<fs::path> RealPaths(const std::vector<fs::path>& paths) {
  std::vector<fs::path> real;
  for (const fs::path& path : paths) {
    std::error_code error;
    fs::path resolved = fs::weakly_canonical(path, error);
    real.push_back(error ? path : std::move(resolved));
  }
  return real;
}

}  // namespace

agents::ProbeProofs ProofsOfUser(const std::vector<std::string>& environment) {
  const agents::Environment variables(environment);
  return agents::ProbeProofs(agents::ProbeProofs::FileFor(variables.Get("XDG_STATE_HOME"), variables.Get("HOME")));
}

agents::AgentHost MakeAgentHost(const fs::path& awf, const process::PrivateFolder& private_folder,
                                std::vector<std::string> environment, const Tracing& tracing,
                                const std::map<std::string, ProviderConfig>& providers) {
  agents::AgentHost host{awf, private_folder, {}, tracing, {}, ProofsOfUser(environment)};
  host.environment = std::move(environment);
  for (const auto& [name, provider] : providers) {
    if (!provider.path.empty()) host.programs[name] = provider.path;
  }
  host.answers = std::make_shared<agents::ProgramAnswers>(awf);
  return host;
}

RunAgents::RunAgents(agents::AgentHost host, const std::vector<fs::path>& own_files)
    : prober_(host),
      executor_(Asking(host, prober_), StepToolMaker(host.environment, host.private_folder.path(), host.tracing)),
      checked_(executor_, activity_, RealPaths(own_files)) {}

}  // namespace awf::cli
