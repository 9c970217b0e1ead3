// BuiltinToolProvider: the six built-in tools as one provider, behind mcp-serve, mcp serve and the in-process path.
#pragma once

#include <memory>
#include <vector>

#include "domain/regex.h"
#include "domain/tool.h"
#include "domain/tool_settings.h"
#include "infrastructure/builtins/bash.h"
#include "infrastructure/builtins/command_child.h"
#include "infrastructure/builtins/confinement.h"
#include "infrastructure/builtins/edit.h"
#include "infrastructure/builtins/file_locks.h"
#include "infrastructure/builtins/glob.h"
#include "infrastructure/builtins/grep.h"
#include "infrastructure/builtins/read.h"
#include "infrastructure/builtins/write.h"

namespace awf::builtins {

// Thread-safe. The compiler must outlive the provider.
class BuiltinToolProvider final : public ToolProvider {
 public:
  BuiltinToolProvider(const ToolSettings& settings, std::shared_ptr<CommandChild> child, const RegexCompiler& compiler);

  // Read, Write, Edit, Bash, Glob, Grep.
  std::vector<ToolDefinition> Tools() const override;
  ToolResult Call(const ToolCall& call) override;

 private:
  BuiltinToolProvider(const ToolSettings& settings, std::shared_ptr<CommandChild> child, const RegexCompiler& compiler,
                      const std::shared_ptr<const Confinement>& confinement, const std::shared_ptr<FileLocks>& locks);

  ReadTool read_;
  WriteTool write_;
  EditTool edit_;
  BashTool bash_;
  GlobTool glob_;
  GrepTool grep_;
};

}  // namespace awf::builtins
