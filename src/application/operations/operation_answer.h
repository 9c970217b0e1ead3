// What an operation's result becomes: blocks of a tool result, or the output of a step.
#pragma once

#include "domain/operation.h"
#include "domain/tool.h"
#include "domain/tool_settings.h"

namespace awf {

// First block: the JSON object {"output": output, if there is one} ∪ data (data wins, keys sorted), "(no output)" when
// there is nothing; second block: the error, if there is one. Cut to the budget, as every result.
ToolResult ToolResultOf(const OperationResult& result, const ResultBudget& budget);

}  // namespace awf
