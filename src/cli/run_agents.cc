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

// Where the agent CLIs and what they start keep their own state, for workspaces that hold the user's home.
constexpr const char* kStateOfAgents[] = {".claude", ".claude.json", ".gemini", ".codex", ".copilot",     ".vibe",
                                          ".local",  ".cache",       ".config", ".npm",   ".bash_history"};

// awf's own files, those that its output is written to, and the state of the CLIs.
std::vector<fs::path> NotToBeJudged(std::vector<fs::path> paths, const agents::Environment& environment) {
  std::error_code error;
  for (const char* output : {"/proc/self/fd/1", "/proc/self/fd/2"}) {
    if (fs::is_regular_file(output, error)) paths.push_back(fs::read_symlink(output, error));
  }
  if (const fs::path home = environment.Get("HOME"); home.is_absolute()) {
    for (const char* name : kStateOfAgents) paths.push_back(home / name);
  }
  for (fs::path& path : paths) {
    fs::path real = fs::weakly_canonical(path, error);
    if (!error) path = std::move(real);
  }
  return paths;
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

RunAgents::RunAgents(const agents::AgentHost& host, CommandExecutor& commands, std::vector<fs::path> own_files)
    : prober_(host),
      executor_(Asking(host, prober_), StepToolMaker(host)),
      commands_(commands, activity_),
      checked_(executor_, activity_, NotToBeJudged(std::move(own_files), agents::Environment(host.environment))) {}

}  // namespace awf::cli
