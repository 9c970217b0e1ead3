// Order of findings, wherever they were found.
#pragma once

#include <string>
#include <vector>

#include "domain/workflow.h"

namespace awf {

// By file and position (those without one first), then severity, code, field; equal ones are dropped (an aliased YAML
// node is read once per use).
void SortFindings(std::vector<Finding>& findings);

bool HasErrors(const std::vector<Finding>& findings);
std::vector<Error> ErrorsOf(const std::vector<Finding>& findings);

}  // namespace awf
