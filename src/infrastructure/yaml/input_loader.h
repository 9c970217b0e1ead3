// Reads the `inputs:` of a workflow.
#pragma once

#include <vector>

#include "application/language/inputs.h"
#include "domain/workflow.h"
#include "infrastructure/yaml/yaml_node.h"
#include "infrastructure/yaml/yaml_reader.h"

namespace awf {

// Inputs without a usable name are left out, as is of the others what could not be read. Defaults are checked like
// values that a user gives.
std::vector<WorkflowInput> LoadInputs(const YamlNode& list, YamlReader& reader, const InputContext& context);

}  // namespace awf
