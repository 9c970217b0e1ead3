// Semantic checks of a workflow: what no single value shows.
//
// Targets, reachability, cycles, templates and their references, providers and their options, empty proxies. Offline:
// no file, no network, no program; of the environment only what stands in for a provider's options is asked.
#pragma once

#include <vector>

#include "application/provider_options.h"
#include "domain/workflow.h"

namespace awf {

// Appends to `findings`, in no order.
void ValidateWorkflow(const Workflow& workflow, const EnvironmentLookup& environment, std::vector<Finding>& findings);

}  // namespace awf
