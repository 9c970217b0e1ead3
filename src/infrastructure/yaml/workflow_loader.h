// From a YAML file to a checked workflow.
//
// Reads the file, builds the model, runs the semantic checks: the one way in for `run`, `validate` and everything else,
// so that all of them apply the same checks. All findings are collected, not only the first, and sorted by position.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/workflow_validator.h"
#include "domain/workflow.h"

namespace awf {

struct LoadedWorkflow {
  std::optional<Workflow> workflow;  // absent when there was nothing to build a model from; sha256 is left empty
  std::string source;                // the file's bytes, for its hash and for the run folder
  std::vector<Finding> findings;

  // Nothing stands in the way of running it.
  bool Runnable() const;
};

// USER.WORKFLOW.NOT_FOUND when there is no such file or its name does not end in .yaml or .yml.
LoadedWorkflow LoadWorkflow(const std::string& path, const EnvironmentLookup& environment = ProcessEnvironment);

// The same for a text in memory; `file` is its name in positions.
LoadedWorkflow LoadWorkflowText(std::string_view text, const std::string& file,
                                const EnvironmentLookup& environment = ProcessEnvironment);

}  // namespace awf
