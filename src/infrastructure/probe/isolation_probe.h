// IsolationProbe: proves that an agent CLI offers its model our tools alone, by driving it against a scripted model.
//
// The CLI is started by AgentRunner with the very adapter, options and arguments of a step, in an empty workspace of
// its own; only where it finds its model is changed. The model first calls native tools of the CLI, then each of our
// tools, then says that it is done. Proven is what the requests to the model, the step channel, the workspace, the
// CLI's own stream and the level of the step say together (probe_judge.h). Costs no token and a few seconds, at most
// 60; nothing leaves the machine. The user's HOME is the CLI's as in any step, and awf writes nothing there but the
// proof.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "infrastructure/agents/agent_runner.h"
#include "infrastructure/agents/cli_providers.h"
#include "infrastructure/agents/isolation_prover.h"
#include "infrastructure/agents/probe_proofs.h"

namespace awf::probe {

class IsolationProbe final : public agents::IsolationProver {
 public:
  // As the steps' own; its proofs are added to and taken from, its prover is not used.
  // A CLI that needs more than `patience` is not proven.
  explicit IsolationProbe(agents::AgentHost host, std::chrono::milliseconds patience = std::chrono::seconds(60));

  // Waits for a probe of the same kind that runs already, and then takes its report. The request's deadline and cancel
  // hold, also while it waits: EXECUTION.AGENT.TIMEOUT and EXECUTION.RUN.CANCELLED say nothing about the CLI, are no
  // other step's report, and leave proofs as they are. A proof that cannot be kept holds as long as this object.
  std::expected<agents::ProbeReport, Error> Prove(const AgentRequest& request) override;

 private:
  struct Turn {
    std::timed_mutex running;
    std::mutex guard;
    int finished = 0;  // probes that came to a report
    // Of who holds `running`:
    agents::ProbeReport last;
    bool unkept = false;  // `last` is a proof, and kept nowhere else
  };
  // What is probed.
  struct Subject {
    const agents::CliProvider* provider = nullptr;
    agents::ProofKey key;
    std::string digest;  // of the key, before anything was started
  };

  std::expected<Subject, Error> SubjectOf(const AgentRequest& request);
  std::expected<agents::ProbeReport, Error> Drive(const Subject& subject, const AgentRequest& request);
  // Why it could not; "" when it could.
  std::string Keep(const Subject& subject, bool proven);

  agents::AgentHost host_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Turn>> turns_;  // by digest
};

}  // namespace awf::probe
