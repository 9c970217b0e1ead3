#include "cli/run_display.h"

#include <algorithm>

namespace awf::cli {

ProgressOptions ProgressOf(const RunOptions& options, const Workflow& workflow) {
  const GlobalOptions& global = options.global;
  ProgressOptions progress;
  progress.states = !global.quiet && !global.json_log;
  progress.output = global.format != OutputFormat::kJson;
  progress.mode = options.output;
  progress.verbose = global.verbose;
  for (const State& state : workflow.states)
    if (state.retry.max_attempts > 1) progress.attempts[state.name] = state.retry.max_attempts;
  return progress;
}

telemetry::ConsoleLogOptions ConsoleLoggingOf(const GlobalOptions& global) {
  const bool all = global.verbose || (global.json_log && !global.quiet);  // JSON lines stand for the progress, too
  return {all ? global.log_level : std::max(global.log_level, LogLevel::kWarn), global.json_log, !global.verbose};
}

}  // namespace awf::cli
