// ForwardedTool: a tool of which the calls are run by awf run: an operation of a plugin.
#pragma once

#include <string>

#include "domain/tool.h"

namespace awf {

struct ForwardedTool {
  ToolDefinition definition;  // without annotations: operations of plugins have none
  std::string plugin, operation;
};

}  // namespace awf
