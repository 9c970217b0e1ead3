// awf run --dry-run: loads, checks and resolves as a run does, then tells what it would do.
#pragma once

#include "cli/commands.h"

namespace awf::cli {

// Starts nothing, writes nothing but the report. Returns the exit code.
int DryRun(const RunOptions& options);

}  // namespace awf::cli
