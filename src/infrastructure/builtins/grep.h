// Grep: searches files for a regular expression.
#pragma once

#include <memory>

#include "domain/regex.h"
#include "domain/tool.h"
#include "domain/tool_settings.h"
#include "infrastructure/builtins/confinement.h"

namespace awf::builtins {

// Thread-safe. The compiler must outlive the tool.
class GrepTool {
 public:
  GrepTool(std::shared_ptr<const Confinement> confinement, const ToolSettings& settings, const RegexCompiler& compiler);

  ToolDefinition Definition() const;
  ToolResult Call(const ToolCall& call) const;

 private:
  std::shared_ptr<const Confinement> confinement_;
  ResultBudget budget_;
  const RegexCompiler& compiler_;
};

}  // namespace awf::builtins
