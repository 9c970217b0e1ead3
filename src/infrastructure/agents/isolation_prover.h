// IsolationProver: the port through which a step that requires proven isolation has its CLI probed.
#pragma once

#include <string>
#include <vector>

#include "domain/agent.h"

namespace awf::agents {

struct ProbeReport {
  bool proven = false;
  std::string provider, version;
  std::vector<std::string> offered;  // every name that a request to the model offered, sorted
  std::vector<std::string> foreign;  // those that are not ours
  std::string reason;                // why it is not proven: one sentence
  // Why the outcome could not be written down, though it holds; told by the first report of its kind alone.
  std::string not_kept{};
};

class IsolationProver {
 public:
  virtual ~IsolationProver() = default;
  // Drives the CLI of the request's provider, with its options, against a scripted model on loopback. Errors: the CLI
  // could not be driven at all; EXECUTION.AGENT.TIMEOUT: the request's deadline passed first, which proves nothing
  // either way. Keeps the proof. Thread-safe; probes of one key run one after another, and the second finds the proof
  // of the first.
  virtual std::expected<ProbeReport, Error> Prove(const AgentRequest& request) = 0;
};

}  // namespace awf::agents
