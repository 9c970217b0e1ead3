// RunSession: one run of a workflow with all that belongs to it: loading and checking, the run folder, records, live
// display, executors, signals. The one place that wires them, for `awf run`, `awf resume`, --step and `awf demo`.
#pragma once

#include "cli/commands.h"
#include "cli/resumed_run.h"
#include "cli/run_summary.h"

namespace awf::cli {

struct RunOutcome {
  int exit_code = 0;
  int signal = 0;  // the run was cancelled by it, and awf has to end by it
};

// Runs the workflow and shows it as the options say. Errors are reported before this returns. `summary` gets what the
// run came to, when it came to start; may be null. Call it on the main thread before any other thread is made.
RunOutcome ExecuteRun(const RunOptions& options, RunSummary* summary);

// The same for a run that is taken up again: `run` tells where it stood, options.from where to go on.
RunOutcome ExecuteResume(const ResumeOptions& options, ResumedRun run);

// The exit code of the process, or its end by the signal.
int EndOf(const RunOutcome& outcome);

}  // namespace awf::cli
