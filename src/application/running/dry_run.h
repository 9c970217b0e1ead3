// The plan of a run: what each state would do, told without doing any of it. For --dry-run.
//
// States are walked as if each succeeded: each once, loops with their first pass, parallel states with all branches;
// where transitions leave it open which way the run goes, all ways. What only a run can know stands as
// "<states.x.Output>"; of a state that succeeds Status, ExitCode, Error and ErrorCode are known. Files are read through
// the port; nothing is started or written. Texts are unmasked.
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "application/running/workflow_runner.h"
#include "domain/agent.h"
#include "domain/workflow.h"

namespace awf {

// How an agent step would be started, as far as the provider can tell.
struct AgentPreview {
  std::string provider, model;              // canonical; the model may be the provider's own
  std::vector<std::string> argv;            // empty: runs inside awf
  std::vector<std::string> set_env;         // names
  std::vector<std::string> unset_env;       // names
  std::vector<PrivateFile> files;           // injected
  std::vector<std::string> tools;           // on offer through the proxy
  std::optional<IsolationLevel> isolation;  // the best that can be reached; none without interception
  std::vector<std::string> notes;
};
using PreviewAgent = std::function<std::expected<AgentPreview, Error>(const AgentRequest&)>;

struct PlannedText {
  std::string field;  // command, prompt, …
  std::string text;
  std::string fault;  // why the text is as written, its templates unrendered; empty: rendered
};

struct PlannedTarget {
  std::string when;  // "on_success", "on_failure", "transitions", or the condition of a transition
  std::string goes;  // a state, or "the run fails with exit code 3"
};

struct PlannedState {
  std::string name, path;  // path as in the records: "loop:0/fix"
  StepKind kind = StepKind::kCommand;
  std::string description;
  std::vector<PlannedText> texts;
  std::string timeout;  // "10m0s", "none"; as written when it cannot be known
  RetryPolicy retry;
  std::vector<PlannedTarget> targets;
  std::vector<std::string> holds;  // branches, or the body
  std::optional<AgentPreview> agent;
  std::vector<std::string> notes;  // what could not be told
};

struct RunPlan {
  std::vector<PlannedState> states;
  std::vector<std::string> not_walked;  // reached after a failure only, or not at all
};

// `request` as for a run; `preview` and `operations` may ask the surroundings, but must start nothing. `operations`
// tells which operations of the steps are known; may be null.
RunPlan PlanRun(const Workflow& workflow, const RunRequest& request, const RunPorts& ports, const PreviewAgent& preview,
                OperationCatalogue* operations = nullptr);

}  // namespace awf
