// Glob: lists the files whose paths match a pattern, newest first.
#pragma once

#include <memory>

#include "domain/tool.h"
#include "domain/tool_settings.h"
#include "infrastructure/builtins/confinement.h"

namespace awf::builtins {

// Thread-safe.
class GlobTool {
 public:
  GlobTool(std::shared_ptr<const Confinement> confinement, const ToolSettings& settings);

  ToolDefinition Definition() const;
  ToolResult Call(const ToolCall& call) const;

 private:
  std::shared_ptr<const Confinement> confinement_;
  ResultBudget budget_;
};

}  // namespace awf::builtins
