// RunAgents: everything that runs the agent steps of one run: the executor of providers, the probe that it asks, the
// workspace check around it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "domain/config.h"
#include "infrastructure/agents/agent_executor.h"
#include "infrastructure/probe/isolation_probe.h"
#include "infrastructure/workspace/watched_commands.h"
#include "infrastructure/workspace/workspace_check.h"

namespace awf::cli {

// The file that XDG_STATE_HOME and HOME of that environment lead to.
agents::ProbeProofs ProofsOfUser(const std::vector<std::string>& environment);

// What agents need to know of this process. `environment` is the user's; `providers` those of the configuration.
agents::AgentHost MakeAgentHost(const std::filesystem::path& awf, const process::PrivateFolder& private_folder,
                                std::vector<std::string> environment, const Tracing& tracing,
                                const std::map<std::string, ProviderConfig>& providers);

class RunAgents {
 public:
  // `commands` runs those of the run; `own_files`: what awf itself writes meanwhile, wherever it lies.
  RunAgents(const agents::AgentHost& host, CommandExecutor& commands, std::vector<std::filesystem::path> own_files);
  RunAgents(const RunAgents&) = delete;
  RunAgents& operator=(const RunAgents&) = delete;

  AgentExecutor& executor() { return checked_; }
  CommandExecutor& commands() { return commands_; }
  RunObserver& observer() { return activity_; }  // must see the whole run

 private:
  probe::IsolationProbe prober_;
  agents::ProviderExecutor executor_;
  workspace::WorkspaceActivity activity_;
  workspace::WatchedCommands commands_;
  workspace::WorkspaceCheck checked_;
};

}  // namespace awf::cli
