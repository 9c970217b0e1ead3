// The `mcp_proxy:` block of an agent step, as parsed and checked.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.h"

namespace awf {

enum class SandboxMode { kWorkspaceWrite, kReadOnly, kStrict, kOff };

constexpr std::string_view ToString(SandboxMode mode) {
  switch (mode) {
    case SandboxMode::kWorkspaceWrite:
      return "workspace-write";
    case SandboxMode::kReadOnly:
      return "read-only";
    case SandboxMode::kStrict:
      return "strict";
    case SandboxMode::kOff:
      return "off";
  }
  return "workspace-write";
}

struct SandboxSettings {
  SandboxMode mode = SandboxMode::kWorkspaceWrite;
  bool explicit_mode = false;                // the user wrote it: it must hold, or nothing runs
  std::vector<std::filesystem::path> write;  // additional folders, absolute
  std::vector<std::filesystem::path> read;   // additional folders in strict, absolute
  bool network = true;
};

// An operation that is offered as a tool, and where it stands in the file.
struct ExposedOperation {
  std::string name;
  Position position;
};

// One entry of plugin_tools. Several of one plugin are taken together.
struct PluginToolsEntry {
  std::string plugin;
  std::vector<ExposedOperation> expose;
  Position position;  // of the plugin's name
};

struct EnvironmentPolicy {
  std::vector<std::string> pass;  // names that reach commands although they are on the list of dropped ones
  std::vector<std::string> drop;  // names that do not reach commands
};

struct McpProxySettings {
  bool enable = false;
  bool intercept_builtins = true;
  std::vector<PluginToolsEntry> plugin_tools;
  SandboxSettings sandbox;
  bool isolation_required = false;  // isolation: required (default best_effort)
  EnvironmentPolicy env;
  bool project_memory = true;
};

}  // namespace awf
