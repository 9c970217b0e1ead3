// Read: a page of a text file with line numbers, or a picture.
#pragma once

#include <memory>

#include "domain/tool.h"
#include "domain/tool_settings.h"
#include "infrastructure/builtins/confinement.h"

namespace awf::builtins {

// Thread-safe.
class ReadTool {
 public:
  ReadTool(std::shared_ptr<const Confinement> confinement, const ToolSettings& settings);

  ToolDefinition Definition() const;
  ToolResult Call(const ToolCall& call) const;

 private:
  std::shared_ptr<const Confinement> confinement_;
  ResultBudget budget_;
};

}  // namespace awf::builtins
