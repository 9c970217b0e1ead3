// The workflow as loaded from YAML: plain data, every piece with the place it came from.
//
// Built by infrastructure/yaml, checked by application/workflow_validator, run by application/workflow_runner.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "domain/error.h"
#include "domain/json.h"
#include "domain/mcp_proxy_settings.h"

namespace awf {

// A string that may hold templates, and where its text begins in the file.
struct TemplateText {
  std::string text;
  Position position;
  bool empty() const { return text.empty(); }
};

struct WorkflowInput {
  std::string name;
  std::string type = "string";  // string | integer | boolean
  std::string description;
  bool required = false;
  bool secret = false;
  std::optional<std::string> default_value;
  Position position;
};

struct StateTarget {
  std::string state;
  Position position;
};

// on_failure: {message, status}: ends the run as failed with this process exit code.
struct InlineFailure {
  TemplateText message;
  int status = 1;  // 1…255
  Position position;
};

using FailureTarget = std::variant<StateTarget, InlineFailure>;

// Seconds or a Go duration; may be a template, then the text is kept until the state starts.
struct TimeoutSetting {
  std::optional<std::chrono::milliseconds> value;  // 0: none
  TemplateText text;                               // set when it is a template
  Position position;
};

struct CommandState {
  TemplateText command;
};

struct AgentState {
  TemplateText provider;
  TemplateText prompt;
  TemplateText system_prompt;
  json::object options;  // strings may be templates
  std::map<std::string, Position> option_positions;
  std::optional<McpProxySettings> mcp_proxy;
  Position mcp_proxy_position;
};

struct TerminalState {
  bool success = true;
  TemplateText message;
};

struct State {
  std::string name;
  Position position;
  std::string description;
  std::variant<CommandState, AgentState, TerminalState> body;
  TemplateText dir;
  std::optional<TimeoutSetting> timeout;
  std::optional<StateTarget> on_success;
  std::optional<FailureTarget> on_failure;
};

struct Workflow {
  std::string name, version, description;
  std::string file;    // as given
  std::string sha256;  // of the file's bytes
  std::vector<WorkflowInput> inputs;
  StateTarget initial;
  std::vector<State> states;  // in file order

  const State* Find(std::string_view name) const {
    for (const State& state : states)
      if (state.name == name) return &state;
    return nullptr;
  }
};

enum class Severity { kError, kWarning, kNote };

// A finding of `awf validate`.
struct Finding {
  Severity severity = Severity::kError;
  Error error;
};

}  // namespace awf
