// Checks the names that states capture their output under: each can be captured once in a workflow.
#pragma once

#include <vector>

#include "domain/workflow.h"

namespace awf {

void CheckCaptureNames(const Workflow& workflow, std::vector<Finding>& findings);

}  // namespace awf
