// ServeConfig: all that `awf mcp-serve` is told, in the file that `--config` names (serve.json of the step's private
// folder, 0600). Written by awf run, read once at the start of each server of the step.
//
// Both ends are the same build of awf, so nothing is optional: an unknown or missing key is an error with its position.
// Paths and environment need not be UTF-8; their bytes pass as they are. The deadline travels as milliseconds of the
// monotonic clock (the key is `deadline_ms`), which is the same for both processes: a server that is started again late
// in the step does not get the time a second time.
#pragma once

#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.h"
#include "domain/tool_settings.h"
#include "infrastructure/mcp/forwarded_tool.h"

namespace awf {

struct ServeConfig {
  std::filesystem::path socket;  // of the step channel
  std::string token;
  ToolSettings tools;
  bool intercept_builtins = true;  // false: the six are not offered
  std::vector<ForwardedTool> plugin_tools;
  std::string instructions;  // for the model, may be empty
  bool content = false;      // calls are told to awf run with their arguments and results
  std::string step_span_id;  // 16 hex digits; empty as tools.trace.trace_id when no spans are made
};

// "workspace-write", "read-only", "strict", "off".
std::optional<SandboxMode> ParseSandboxMode(std::string_view text);

// The text of the file.
std::string EncodeServeConfig(const ServeConfig& config);

// `file` is only named in errors.
std::expected<ServeConfig, Error> DecodeServeConfig(std::string_view text, const std::string& file);

// Refuses what is no regular file, belongs to someone else or is open to others: it holds the token.
std::expected<ServeConfig, Error> LoadServeConfig(const std::filesystem::path& path);

}  // namespace awf
