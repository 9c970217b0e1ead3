// The workflow as loaded from YAML: plain data, every piece with the place it came from.
//
// Built by infrastructure/yaml, checked by application/validation, run by application/running.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
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

// What the value of an input must satisfy, each rule with its place for findings.
struct InputValidation {
  std::optional<std::string> pattern;    // RE2, unanchored
  std::vector<std::string> values;       // `enum`, as written; empty: anything
  std::optional<std::int64_t> min, max;  // integers only
  bool file_exists = false;
  std::vector<std::string> file_extensions;  // with dots
  Position position;
};

struct WorkflowInput {
  std::string name;
  std::string type = "string";  // string | integer | boolean
  std::string description;
  bool required = false;
  bool secret = false;
  std::optional<std::string> default_value;
  InputValidation validation;
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

// transitions[]: goes to `target` when the expression is true; always when there is none.
struct Transition {
  TemplateText when;  // an expression; empty: always
  StateTarget target;
  Position position;  // of the entry
};

// Seconds or a Go duration; may be a template, then the text is kept until the state starts.
struct TimeoutSetting {
  std::optional<std::chrono::milliseconds> value;  // 0: none
  TemplateText text;                               // set when it is a template
  Position position;
};

enum class Backoff { kConstant, kLinear, kExponential };

struct RetryPolicy {
  int max_attempts = 1;  // 1…100, counts the first
  std::chrono::milliseconds initial_delay{1000};
  std::optional<std::chrono::milliseconds> max_delay;
  Backoff backoff = Backoff::kConstant;
  double multiplier = 2;
  double jitter = 0;                      // 0…1, share of the delay by which it varies
  std::vector<int> retryable_exit_codes;  // empty: all
};

struct Hook {
  enum class Kind { kLog, kCommand };
  Kind kind = Kind::kLog;
  TemplateText text;
};

struct StateHooks {
  std::vector<Hook> pre, post;
};

enum class CaptureEncoding { kUtf8, kLatin1, kBase64 };

struct CaptureSettings {
  std::string stdout_name, stderr_name;  // names in `captures`; may be empty
  std::size_t max_size = 10U << 20;      // bytes of each stream that are kept, at most 256 MiB
  CaptureEncoding encoding = CaptureEncoding::kUtf8;
  Position stdout_position, stderr_position;
};

struct CommandState {
  TemplateText command;      // exactly one of the two is set
  TemplateText script_file;  // a path
};

enum class AgentOutputFormat { kText, kJson };

struct AgentState {
  TemplateText provider;
  TemplateText prompt;       // exactly one of the two is set
  TemplateText prompt_file;  // a path
  TemplateText system_prompt;
  std::optional<StateTarget> continue_from;  // conversation.continue_from: the step whose session this one goes on with
  AgentOutputFormat output_format = AgentOutputFormat::kText;
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

enum class ParallelStrategy { kAllSucceed, kAnySucceed, kBestEffort };

struct ParallelState {
  std::vector<StateTarget> branches;
  ParallelStrategy strategy = ParallelStrategy::kAllSucceed;
  int max_concurrent = 0;  // 0: all at once
};

struct ForEachState {
  // `items` is a list as written, or a text: a template that gives a JSON array, or an expression of list value.
  std::variant<json::array, TemplateText> items;
  std::map<std::string, TemplateText> item_templates;  // strings of the list that hold templates, by path "[0].name"
  Position items_position;
  std::vector<StateTarget> body;                         // in order
  std::variant<int, TemplateText> max_iterations = 100;  // 1…10 000; the text may be a template or arithmetic
  TemplateText break_when;                               // an expression; may be empty
};

// type: operation. `operation` is "plugin.operation", literally: what runs must be known before the run.
struct OperationState {
  std::string plugin, operation;
  Position position;                                    // of the value of `operation`
  json::object inputs;                                  // as written; strings may be templates
  std::map<std::string, Position> input_positions;      // of the keys; values by their path, as "labels[0]"
  std::map<std::string, std::string> input_sources;     // numbers, booleans and null as spelt in the file, by path
  std::map<std::string, TemplateText> input_templates;  // strings that hold templates, by path
};

using StateBody = std::variant<CommandState, AgentState, TerminalState, ParallelState, ForEachState, OperationState>;

struct State {
  std::string name;
  Position position;
  std::string description;
  StateBody body;
  TemplateText dir;
  std::optional<TimeoutSetting> timeout;
  std::optional<StateTarget> on_success;  // of loops also written on_complete
  std::optional<FailureTarget> on_failure;
  std::vector<Transition> transitions;
  bool continue_on_error = false;
  RetryPolicy retry;
  StateHooks hooks;
  CaptureSettings capture;
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
