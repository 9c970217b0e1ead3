// Reads one state of a workflow.
#pragma once

#include "domain/workflow.h"
#include "infrastructure/yaml/yaml_node.h"
#include "infrastructure/yaml/yaml_reader.h"

namespace awf {

// Always yields a state, marked partial when something that decides what it does or where it leads was left out.
State LoadState(const YamlEntry& entry, YamlReader& reader);

}  // namespace awf
