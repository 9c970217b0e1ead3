// What --dry-run prints, as text and as JSON. All that is shown is masked. Pure, thread-safe.
#pragma once

#include <string>

#include "application/running/dry_run.h"
#include "cli/run_loading.h"
#include "domain/masker.h"

namespace awf::cli {

// One block a state, in the order of the walk; safe for a terminal.
std::string DryRunText(const RunPlan& plan, const LoadedRun& run, const Masker& masker);

// {workflow, version, file, dry_run: true, inputs, states: […], not_walked}
json::object DryRunJson(const RunPlan& plan, const LoadedRun& run, const Masker& masker);

}  // namespace awf::cli
