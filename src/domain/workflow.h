// The workflow as loaded from YAML: plain data, every piece with the place it came from.
//
// Built by infrastructure/yaml, checked by application/workflow_validator, run by application/workflow_runner.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "domain/error.h"
#include "domain/json.h"
#include "domain/mcp_proxy_settings.h"

namespace awf {

// Where the byte at `offset` of a text stands in the file.
struct TextMark {
  std::size_t offset = 0;
  std::size_t line = 0, column = 0;
};

// A string that may hold templates, and where it stands in the file.
struct TemplateText {
  std::string text;
  Position position;            // of the value, quotes and block indicator included
  std::vector<TextMark> marks;  // by offset: where pieces of the text begin whose columns run on; may be empty

  bool empty() const { return text.empty(); }
  // Of the byte at `offset`: exact as far as the marks go.
  Position At(std::size_t offset) const;
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
  json::object options;                               // as written: keys unchecked, strings may be templates
  std::map<std::string, Position> option_positions;   // of the keys; values by their path, as "env.NAME" or "tools[0]"
  std::map<std::string, std::string> option_sources;  // numbers, booleans and null as spelt in the file, by path
  std::map<std::string, TemplateText> option_templates;  // strings that hold templates, by path
  std::optional<McpProxySettings> mcp_proxy;             // sandbox paths as written
  Position mcp_proxy_position;                           // of the key
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
  // The loader had to leave something out (and told so): what the state does and where it leads is not known.
  bool partial = false;
};

struct Workflow {
  std::string name, version, description;
  std::string file;    // as given
  std::string sha256;  // of the file's bytes; set by whoever runs it
  std::vector<WorkflowInput> inputs;
  StateTarget initial;
  std::vector<State> states;  // in file order

  const State* Find(std::string_view wanted) const {
    for (const State& state : states)
      if (state.name == wanted) return &state;
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
