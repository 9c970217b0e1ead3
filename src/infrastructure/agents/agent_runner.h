// AgentRunner: runs one attempt of an agent step with an agent CLI. The one place that spawns, streams, supervises,
// kills, and proves connection and success, for all CLIs; what differs between them is in their AgentProvider.
//
// One thread with one poll over the CLI's pipes, the keeper, the step channel, the deadline and a wake-up for
// cancelling. When Run returns, no process of the attempt is left and its private folder is gone.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "domain/agent.h"
#include "domain/operation.h"
#include "domain/trace_context.h"
#include "infrastructure/agents/conversation_folders.h"
#include "infrastructure/agents/isolation_prover.h"
#include "infrastructure/agents/probe_proofs.h"
#include "infrastructure/agents/program_answers.h"
#include "infrastructure/process/private_folder.h"

namespace awf::agents {

// What the runner needs to know of the awf process that it runs in.
struct AgentHost {
  std::filesystem::path program;          // absolute path of awf, for keeper and MCP server
  process::PrivateFolder private_folder;  // the steps' folders are made in it
  std::vector<std::string> environment;   // NAME=value, the user's
  Tracing tracing;
  std::map<std::string, std::filesystem::path> programs;  // by provider, absolute; others are looked up on PATH
  ProbeProofs proofs{};                                   // which CLIs were proven to be isolated
  // Asked where a step requires what no proof shows yet; null: such a step fails. Outlives the runner.
  IsolationProver* prover = nullptr;
  std::shared_ptr<ProgramAnswers> answers{};  // null: the runner has its own
  OperationProviders* operations = nullptr;   // of the run, for plugin_tools; null: there are none
};

class AgentRunner {
 public:
  // Makes this process a subreaper, so that orphans of a killed keeper can be found.
  explicit AgentRunner(AgentHost host);

  // `request.provider` must be a CLI's. Starts the CLI once more, without a flag that it refused before it asked any
  // model, where its adapter can do without. Thread-safe.
  StepResult Run(const AgentRequest& request, RunObserver& observer);

 private:
  AgentHost host_;
  std::shared_ptr<ProgramAnswers> answers_;
  ConversationFolders conversations_;
};

}  // namespace awf::agents
