// Operations: what a plugin can do, or awf itself beside its six tools (http, notify, github), and the ports behind
// which they live. The same operation is a step of a workflow (`type: operation`) and a tool of an agent
// (`mcp_proxy.plugin_tools`): application/operations turns it into either.
#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.h"
#include "domain/json.h"
#include "domain/run_observer.h"
#include "domain/time.h"
#include "domain/tool.h"

namespace awf {

// As it stands on the wire: nothing is checked yet.
struct OperationInput {
  std::string name;
  std::string type;  // string, integer, number, boolean, array, object, and what plugins write in their place
  bool required = false;
  std::string default_value;  // text; the plugin itself fills it in
  std::string description;
  std::string validation;  // "url", "email", or empty

  friend bool operator==(const OperationInput&, const OperationInput&) = default;
};

struct OperationOutput {
  std::string name, type, description;

  friend bool operator==(const OperationOutput&, const OperationOutput&) = default;
};

struct Operation {
  std::string name;  // without the plugin's
  std::string description;
  std::vector<OperationInput> inputs;
  std::vector<OperationOutput> outputs;

  friend bool operator==(const Operation&, const Operation&) = default;
};

// One call, its inputs checked. Valid during OperationProvider::Execute only.
struct OperationCall {
  CallId id;  // span id of the tool call or of the step
  std::string_view operation;
  const json::object& inputs;
  Deadline deadline;
  std::stop_token cancelled;
  std::string traceparent, tracestate;  // for the metadata of the RPC; may be empty
};

struct OperationResult {
  enum class Ending {
    kAnswered,   // the operation itself tells how it went
    kFailed,     // no answer: the process ended, the connection broke, a message was too large; `error` is the text
    kTimeout,    // no answer before the deadline; `error` is the text
    kCancelled,  // the caller gave up
  };
  Ending ending = Ending::kAnswered;
  bool success = false;
  std::string output;
  json::object data;               // fields of the answer; values that are no JSON came as text
  std::string error;               // as shown, the plugin's name included where it is the host's own text
  std::optional<RpcRecord> rpc{};  // absent for operations of awf itself
};

// The operations of one running plugin, or of awf itself. Thread-safe: calls run at the same time. Reports every
// failure in its result.
class OperationProvider {
 public:
  virtual ~OperationProvider() = default;
  virtual std::string_view Name() const = 0;  // of the plugin
  virtual const std::vector<Operation>& Operations() const = 0;
  virtual OperationResult Execute(const OperationCall& call) = 0;
};

// The providers of one run, each started once, when a step first names it. Thread-safe.
class OperationProviders {
 public:
  virtual ~OperationProviders() = default;
  // Starts those that do not run yet, all at the same time, and gives all of them, in the order of the names. Errors:
  // USER.MCP_PROXY.UNKNOWN_PLUGIN, EXECUTION.PLUGIN.*; one that ended stays ended. `step` is who needs them.
  virtual std::expected<std::vector<std::shared_ptr<OperationProvider>>, Error> Start(
      std::span<const std::string> plugins, const StepContext& step, Deadline deadline,
      const std::stop_token& cancelled) = 0;
};

// What is known of the operations of a plugin that does not run.
struct KnownOperations {
  enum class Source { kBuiltin, kLock, kCache, kPlugin, kUnknown };
  Source source = Source::kUnknown;
  std::vector<Operation> operations;  // empty when unknown
  std::string why_unknown;            // a sentence
};

// For validation, dry runs and completion. Thread-compatible.
class OperationCatalogue {
 public:
  virtual ~OperationCatalogue() = default;
  // USER.MCP_PROXY.UNKNOWN_PLUGIN names every place that was searched; EXECUTION.PLUGIN.DISABLED; what is wrong with
  // manifest or configuration: EXECUTION.PLUGIN.CONFIG.
  virtual std::expected<KnownOperations, Error> Find(std::string_view plugin) = 0;
};

}  // namespace awf
