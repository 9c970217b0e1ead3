// For tests: calls one of the file tools in a TestWorkspace as the router would, arguments already canonical.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "infrastructure/builtins/confinement.h"
#include "infrastructure/builtins/file_locks.h"
#include "infrastructure/builtins/test_workspace.h"

namespace awf::builtins {

inline const std::string& TextOf(const ToolResult& result) { return std::get<TextContent>(result.content.at(0)).text; }

template <typename Tool>
ToolResult CallTool(const Tool& tool, const json::object& arguments) {
  return tool.Call(ToolCall{"0123456789abcdef", tool.Definition().name, arguments, {}, {}});
}

}  // namespace awf::builtins
