// Runs a checked workflow: enters one state after the other until one ends the run.
//
// Renders templates, gives each state its deadline, retries, runs hooks, hands the work to the executors, follows
// transitions, on_success and on_failure, writes the journal, tells the observer. Blocks; one run at a time per object.
// Ports and observer are not owned and outlive the runner. Executors and observer are used by several threads at once
// when branches run in parallel.
//
// Every state that is entered is told as started and as ended, whatever goes wrong with it; its end is told when it is
// in the journal. Cancellation: no new state is entered after it, the running ones end as cancelled, and so does the
// run. A run may enter 10 000 states at its top level; what loops enter is bounded by theirs (10 000 passes, 10 000
// states in each).
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "application/language/folders.h"
#include "application/language/scope.h"
#include "application/running/run_result.h"
#include "application/running/run_state.h"
#include "domain/agent.h"
#include "domain/command.h"
#include "domain/config.h"
#include "domain/operation.h"
#include "domain/regex.h"
#include "domain/run_journal.h"
#include "domain/run_observer.h"
#include "domain/text_files.h"
#include "domain/trace_context.h"
#include "domain/workflow.h"

namespace awf {

inline constexpr int kMaxStatesEntered = 10'000;
inline constexpr int kMaxLoopDepth = 10;
inline constexpr std::chrono::hours kDefaultAgentTimeout{1};

// Waits between attempts: false when `cancelled` cut the wait short. Tests put in their own.
using WaitBetweenAttempts = std::function<bool(std::chrono::milliseconds, const std::stop_token&)>;
bool WaitOrCancelled(std::chrono::milliseconds delay, const std::stop_token& cancelled);

struct RunPorts {
  CommandExecutor& commands;
  AgentExecutor& agents;
  RunObserver& observer;
  EnvironmentLookup environment = ProcessEnvironment;
  RunJournal* journal = nullptr;           // null: the run leaves no state behind
  TextFiles* files = nullptr;              // prompt_file, script_file, readFile; required when a workflow has them
  const RegexCompiler* regexes = nullptr;  // `matches`
  WaitBetweenAttempts wait = WaitOrCancelled;
  OperationProviders* operations = nullptr;  // required when a workflow has operation steps
};

struct RunRequest {
  std::string run_id;
  TraceId trace_id;
  SpanId span_id;                     // of the run
  SpanId parent_span_id;              // from TRACEPARENT; may be empty
  std::string traceparent;            // as found in the environment; may be empty
  std::string tracestate;             // beside it
  Tracing tracing;                    // commands get the TRACEPARENT of their step where spans are made
  std::filesystem::path working_dir;  // awf's own, absolute: `dir` is relative to it
  Folders folders;
  std::filesystem::path run_dir;  // the run folder; may be empty
  std::string user, hostname;     // of the `context` namespace
  json::object inputs;            // from ResolveInputs
  // Defaults from the configuration; 0: none.
  std::chrono::milliseconds step_timeout{0};
  std::chrono::milliseconds agent_timeout = kDefaultAgentTimeout;
  std::map<std::string, ProviderConfig> providers;  // options under a step's own
  std::optional<RunState> resume;                   // taken up from there; its inputs are overlaid by `inputs`
  TraceId resumed_trace_id;                         // with `resume`: root of the run that is continued
  SpanId resumed_span_id;
  // Run this one and stop, whatever follows it; `mocks` stand for the results of what ran before. Such a run cannot be
  // resumed: it should have no journal.
  std::string only_state;
  StateResults mocks;
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
