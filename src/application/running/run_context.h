// RunContext: what all parts of one run share. Lives as long as the run; owns nothing.
#pragma once

#include <filesystem>
#include <string>

#include "application/language/scope.h"
#include "application/running/place.h"
#include "application/running/run_memory.h"
#include "application/running/step_renderer.h"
#include "application/running/workflow_runner.h"
#include "domain/json.h"
#include "domain/time.h"
#include "domain/workflow.h"

namespace awf {

struct RunContext {
  RunPorts& ports;
  const Workflow& workflow;
  const RunRequest& request;
  RunMemory& memory;
  SteadyClock::time_point start;
  WallClock::time_point started;

  // All namespaces as a state at that place sees them now.
  Scope ScopeAt(const Place& place, const std::string& state) const;
  // With that scope, which must outlive it.
  StepRenderer Renderer(const Scope& scope) const;
};

// The namespaces that stay the same: inputs, awf, context.
Scope ConstantScope(const RunPorts& ports, const RunRequest& request, const json::object& inputs);

// The folder from which a workflow's relative paths start.
std::filesystem::path FolderOf(const Workflow& workflow, const std::filesystem::path& working_dir);

}  // namespace awf
