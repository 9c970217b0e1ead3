// Runs a checked workflow: enters one state after the other until one ends the run.
//
// Renders templates, gives each state its deadline, hands the work to the executors, follows on_success and on_failure,
// tells the observer. Blocks; one run at a time per object. Ports and observer are not owned and outlive the runner.
//
// Every state that is entered is told as started and as ended, whatever goes wrong with it. Cancellation: no new state
// is entered after it, the running one ends as cancelled, and so does the run. Limits are the specification's.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "application/provider_options.h"
#include "application/run_result.h"
#include "domain/agent.h"
#include "domain/command.h"
#include "domain/run_observer.h"
#include "domain/workflow.h"

namespace awf {

inline constexpr int kMaxStatesEntered = 10'000;
inline constexpr std::chrono::hours kDefaultAgentTimeout{1};

struct RunPorts {
  CommandExecutor& commands;
  AgentExecutor& agents;
  RunObserver& observer;
  EnvironmentLookup environment = ProcessEnvironment;
};

struct RunRequest {
  std::string run_id;
  TraceId trace_id;
  SpanId span_id;                     // of the run
  SpanId parent_span_id;              // from TRACEPARENT; may be empty
  std::string traceparent;            // as found in the environment; may be empty
  bool spans = false;                 // spans are made, so commands get the TRACEPARENT of their step
  std::filesystem::path working_dir;  // awf's own, absolute: `dir` is relative to it
  json::object inputs;                // from ResolveInputs
  std::stop_token cancelled;
};

class WorkflowRunner {
 public:
  explicit WorkflowRunner(RunPorts ports) : ports_(std::move(ports)) {}

  // The workflow must be free of errors (LoadedWorkflow::Runnable).
  RunResult Run(const Workflow& workflow, const RunRequest& request);

 private:
  RunPorts ports_;
};

}  // namespace awf
