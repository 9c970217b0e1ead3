// Bash: runs a shell command in the command child and answers with what it printed and how it ended.
//
// Every call is a new shell: nothing carries over but files, and what was started with & lives until the step ends.
// Thread-safe; eight calls may run at once.
#pragma once

#include <chrono>
#include <expected>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "domain/tool.h"
#include "domain/tool_settings.h"
#include "infrastructure/builtins/command_child.h"
#include "infrastructure/builtins/command_environment.h"
#include "infrastructure/builtins/command_output.h"
#include "infrastructure/builtins/result_text.h"

namespace awf::builtins {

class BashTool {
 public:
  BashTool(const ToolSettings& settings, std::shared_ptr<CommandChild> child);

  ToolDefinition Definition() const;
  ToolResult Call(const ToolCall& call) const;

 private:
  struct TimeLimit {
    std::chrono::milliseconds value{0};
    bool asked = false;    // the call names one
    std::string cut_note;  // empty when it is what was asked for, or the default
  };

  // Makes $XDG_CACHE_HOME, so that it can be opened to the commands by its path.
  void MakeCacheFolder() const;

  ToolResult Failure(const std::string& text) const;
  ToolResult Refused() const;
  ToolResult Run(const ToolCall& call, std::string_view command, const std::filesystem::path& folder,
                 const TimeLimit& limit) const;
  ToolResult Answer(const CommandEnd& end, std::string_view command, const ShownOutput& shown,
                    const TimeLimit& limit) const;

  // Why the call cannot be run, from its arguments alone; empty when it can.
  std::string FaultOf(const json::object& arguments) const;
  std::expected<std::filesystem::path, std::string> WorkingFolder(const json::object& arguments) const;
  TimeLimit LimitOf(const ToolCall& call) const;
  OutputLimits LimitsFor(bool is_error) const;

  const ToolSettings settings_;
  const CommandEnvironment environment_;
  const std::string shell_;
  const std::shared_ptr<CommandChild> child_;
  mutable std::once_flag cache_made_;
};

}  // namespace awf::builtins
