// From a YAML file to a checked workflow.
//
// Reads the file, builds the model, runs the semantic checks: the one way in for `run`, `validate` and everything else,
// so that all of them apply the same checks. All findings are collected, not only the first, and sorted by position.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/validation/workflow_validator.h"
#include "domain/workflow.h"

namespace awf {

struct LoadedWorkflow {
  std::optional<Workflow> workflow;  // absent when there was nothing to build a model from; sha256 is left empty
  std::string source;                // the file's bytes, for its hash and for the run folder
  std::vector<Finding> findings;

  // Nothing stands in the way of running it.
  bool Runnable() const;
};

// The path of the workflow that a user means: an existing path that ends in .yaml or .yml, else NAME.yaml in the first
// of the folders that has it. USER.WORKFLOW.NOT_FOUND names the places searched and the nearest name.
std::expected<std::string, Error> FindWorkflow(const std::string& name_or_path, const Folders& folders);

// `path` is a file, as FindWorkflow returns it.
LoadedWorkflow LoadWorkflow(const std::string& path, const ValidationContext& context);

// The same for a text in memory; `file` is its name in positions, and what relative paths in it start from.
LoadedWorkflow LoadWorkflowText(std::string_view text, const std::string& file, const ValidationContext& context);

}  // namespace awf
