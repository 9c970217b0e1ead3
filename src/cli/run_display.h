// What of a run is shown while it goes on, worked out from the options.
#pragma once

#include "cli/commands.h"
#include "cli/progress_view.h"
#include "domain/workflow.h"
#include "infrastructure/telemetry/console_log.h"

namespace awf::cli {

ProgressOptions ProgressOf(const RunOptions& options, const Workflow& workflow);

// Log lines on stderr, beside the progress or in its place.
telemetry::ConsoleLogOptions ConsoleLoggingOf(const GlobalOptions& global);

}  // namespace awf::cli
