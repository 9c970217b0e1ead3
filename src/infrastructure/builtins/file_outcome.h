// How Write and Edit tell what became of a file: the text, and path and success for those who read the struct.
#pragma once

#include <string_view>

#include "domain/tool.h"
#include "domain/tool_settings.h"
#include "infrastructure/builtins/confinement.h"

namespace awf::builtins {

ToolResult FileSuccess(std::string_view path, std::string_view text, const ResultBudget& budget);
ToolResult FileFailure(std::string_view path, const PathFault& fault, const ResultBudget& budget);

// For Read, which has no such fields.
ToolResult FaultResult(const PathFault& fault, const ResultBudget& budget);

}  // namespace awf::builtins
