// Reads what a state of each type has of its own. What could not be read stays empty and is a finding.
#pragma once

#include "domain/workflow.h"
#include "infrastructure/yaml/state_reader.h"

namespace awf {

CommandState LoadCommand(StateReader& reader);
AgentState LoadAgent(StateReader& reader);
TerminalState LoadTerminal(StateReader& reader);
ParallelState LoadParallel(StateReader& reader);
ForEachState LoadForEach(StateReader& reader);
OperationState LoadOperation(StateReader& reader);

}  // namespace awf
