// Write: a file with exactly the given bytes, made or replaced whole.
#pragma once

#include <memory>

#include "domain/tool.h"
#include "domain/tool_settings.h"
#include "infrastructure/builtins/confinement.h"
#include "infrastructure/builtins/file_locks.h"

namespace awf::builtins {

// Thread-safe.
class WriteTool {
 public:
  WriteTool(std::shared_ptr<const Confinement> confinement, const ToolSettings& settings,
            std::shared_ptr<FileLocks> locks);

  ToolDefinition Definition() const;
  ToolResult Call(const ToolCall& call) const;

 private:
  std::shared_ptr<const Confinement> confinement_;
  ResultBudget budget_;
  std::shared_ptr<FileLocks> locks_;
};

}  // namespace awf::builtins
