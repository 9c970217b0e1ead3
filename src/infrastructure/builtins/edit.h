// Edit: replaces a text in a file, exactly, or by regular expression on request.
//
// Works on bytes: whatever is not replaced stays as it is, encoding and line ends included. Never guesses: a text that
// is not there, or there more than once, is an error that leaves the file alone.
#pragma once

#include <memory>

#include "domain/regex.h"
#include "domain/tool.h"
#include "domain/tool_settings.h"
#include "infrastructure/builtins/confinement.h"
#include "infrastructure/builtins/file_locks.h"

namespace awf::builtins {

// Thread-safe.
class EditTool {
 public:
  EditTool(std::shared_ptr<const Confinement> confinement, const ToolSettings& settings,
           std::shared_ptr<FileLocks> locks, std::shared_ptr<const RegexCompiler> regex);

  ToolDefinition Definition() const;
  ToolResult Call(const ToolCall& call) const;

 private:
  std::shared_ptr<const Confinement> confinement_;
  ResultBudget budget_;
  std::shared_ptr<FileLocks> locks_;
  std::shared_ptr<const RegexCompiler> regex_;
};

}  // namespace awf::builtins
