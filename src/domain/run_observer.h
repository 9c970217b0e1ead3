// What happens in a run, told as it happens.
//
// Everything that observes a run hangs on this one port: RunRecorder (log, audit, spans), the live progress view, the
// JSON summary. The workflow runner and the agent executors are the only callers.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/error.h"
#include "domain/json.h"
#include "domain/time.h"
#include "domain/tool_observer.h"

namespace awf {

using TraceId = std::string;  // 32 lower-case hex digits
using SpanId = std::string;   // 16 lower-case hex digits

enum class StepKind { kCommand, kAgent, kTerminal, kParallel, kForEach, kOperation };
constexpr std::string_view ToString(StepKind kind) {
  switch (kind) {
    case StepKind::kCommand:
      return "step";
    case StepKind::kAgent:
      return "agent";
    case StepKind::kTerminal:
      return "terminal";
    case StepKind::kParallel:
      return "parallel";
    case StepKind::kForEach:
      return "for_each";
    case StepKind::kOperation:
      return "operation";
  }
  return "step";
}

enum class StepStatus { kSuccess, kFailure, kTimeout, kCancelled, kSkipped };
constexpr std::string_view ToString(StepStatus status) {
  switch (status) {
    case StepStatus::kSuccess:
      return "success";
    case StepStatus::kFailure:
      return "failure";
    case StepStatus::kTimeout:
      return "timeout";
    case StepStatus::kCancelled:
      return "cancelled";
    case StepStatus::kSkipped:
      return "skipped";
  }
  return "failure";
}

enum class IsolationLevel { kProven, kFlags, kCoexisting };
constexpr std::string_view ToString(IsolationLevel level) {
  switch (level) {
    case IsolationLevel::kProven:
      return "proven";
    case IsolationLevel::kFlags:
      return "flags";
    case IsolationLevel::kCoexisting:
      return "coexisting";
  }
  return "coexisting";
}

struct TokenUsage {
  std::int64_t input = 0;  // cached input included
  std::int64_t output = 0;
  std::int64_t total = 0;
  bool estimated = false;  // bytes / 4, as the provider reported none
  std::optional<double> cost_usd;
  std::int64_t cached = 0;     // part of input, where the provider tells
  std::int64_t reasoning = 0;  // part of output, where the provider tells
};

// Identifies an entered state, and which attempt it is at, in every record. Copied freely.
struct StepContext {
  std::string run_id;
  std::string step;  // name of the state
  StepKind kind = StepKind::kCommand;
  int attempt = 1;
  TraceId trace_id;
  SpanId span_id;                 // of the step's span: one per entered state, whatever the number of attempts
  SpanId parent_span_id;          // of the loop or parallel state that holds it; empty at top level: the run's span
  std::string path;               // where it stands: "review", "loop:2/fix" (pass from 0), "par/lint"
  std::optional<int> loop_index;  // pass from 0, in a loop body
  std::string branch;             // its own name, in a parallel state
};

// Another attempt follows a failed one.
struct StepRetry {
  int attempt = 2;  // the one to come
  std::chrono::milliseconds delay{0};
  Error error;  // of the attempt that failed
};

struct RunStart {
  std::string run_id;
  TraceId trace_id;
  SpanId span_id;           // of workflow.execution
  SpanId parent_span_id;    // from TRACEPARENT; may be empty
  std::string traceparent;  // as found in the environment; may be empty
  std::string tracestate;   // beside it
  std::string workflow, version, workflow_sha256;
  std::map<std::string, std::string> inputs;  // unmasked; sinks mask
  WallClock::time_point time;
  bool resumed = false;
  TraceId resumed_trace_id;  // of the run that is taken up again: the new root span links to it
  SpanId resumed_span_id;
};

struct StepStart {
  WallClock::time_point time;
  std::string provider, provider_version, model;  // agents
  bool proxy = false, intercept = false;
  bool proxy_set = false;   // mcp_proxy is there, though maybe switched off
  std::string sandbox;      // "workspace-write", …; empty without proxy
  std::string operation{};  // "plugin.operation" of operation steps
};

// A plugin runs, and its operations are known.
struct PluginStart {
  std::string plugin, version, path, sha256;  // path: of the executable; both empty for operations of awf itself
  bool tls = false;
  std::chrono::milliseconds duration{0};  // from the spawn on
};

struct PluginEnd {
  std::string plugin, version, path, sha256;
  bool tls = false;
  std::string exit;       // "exit status 3", "SIGKILL"
  bool expected = false;  // awf stopped it
};

struct ProxyReady {
  std::string client, client_version, protocol;
  std::vector<std::string> tools;  // sorted names
  std::string tools_digest_input;  // names, descriptions, schemas as text, for tools_sha256
  int pid = 0;
  int start = 1;  // counts the servers of this attempt from 1
};

struct ProxyLost {
  int pid = 0;
  std::string client;
  int calls = 0;          // ended as lost
  bool replaced = false;  // another server took its place
};

struct IsolationReport {
  IsolationLevel level = IsolationLevel::kCoexisting;
  std::optional<std::vector<std::string>> announced;  // names that the CLI listed
  std::vector<std::string> foreign;                   // those that are not ours
  std::string provider, version, reason;              // provider as written in the file
  std::string verified{};                             // the newest version that the recipe was verified with
  std::string probe_model{};                          // a probe must name this model to prove it; mostly empty
};

struct NativeUse {
  std::string tool, client_call_id, event;
  std::string provider;
  bool required = false;  // under isolation: required
};

enum class MessageRole { kSystem, kUser, kAssistant };
constexpr std::string_view ToString(MessageRole role) {
  switch (role) {
    case MessageRole::kSystem:
      return "system";
    case MessageRole::kUser:
      return "user";
    case MessageRole::kAssistant:
      return "assistant";
  }
  return "user";
}

// A part of a message. `type` is one of text, thinking, tool_use, tool_result; command: what a command step runs.
struct MessageBlock {
  std::string type;
  std::string text;     // of tool_use: the input as JSON text; of tool_result: the output
  std::string name;     // tool_use: as the CLI shows it
  std::string call_id;  // tool_use, tool_result: the model's own id
  bool is_error = false;
  bool native = false;  // tool_use: not one of our tools
  std::string tool{};   // tool_use of ours: its final name, where `name` is another one
};

// A block of that type and text, without the rest.
inline MessageBlock TextBlock(std::string type, std::string_view text) {
  MessageBlock block;
  block.type = std::move(type);
  block.text = text;
  return block;
}

// A message of the conversation between awf, the agent and its model, whole. What the agent claims: calls that our
// router has run come as CallFinished as well.
struct AgentMessage {
  MessageRole role = MessageRole::kAssistant;
  std::vector<MessageBlock> blocks;
};

struct StepEnd {
  StepStatus status = StepStatus::kSuccess;
  std::optional<Error> error;
  int exit_code = 0;
  std::chrono::milliseconds duration{0};
  TokenUsage usage;
  int attempts = 1;
  std::optional<IsolationLevel> isolation;
  std::string sandbox;  // as enforced: "degraded" when commands are not confined
  std::string provider, provider_version, model, session_id;
  int tool_calls = 0, bypasses = 0, proxy_starts = 0, proxy_tools = 0;
  bool proxy = false, intercept = false;
  std::string stderr_tail;  // agents
  // The workspace check; both empty where none was made. Files relative to the workspace, sorted.
  std::optional<std::vector<std::string>> changed_outside_proxy;  // no tool of ours wrote them, and none could have
  std::optional<std::int64_t> unattributed;                       // changed while a command ran
  std::optional<RpcRecord> rpc{};                                 // operation steps
};

struct AgentSession;

struct RunEnd {
  std::string status;  // completed, failed, cancelled
  int exit_code = 0;
  std::optional<Error> error;
  std::chrono::milliseconds duration{0};
  std::string message;  // of the terminal state
};

// What one attempt of a command or an agent step yields to the workflow.
struct StepResult {
  StepEnd end;
  std::string output;
  std::string error_output;             // stderr; of agents the last 64 KiB
  std::optional<json::value> json;      // of agents with output_format: json
  std::optional<json::value> response;  // of loops and parallel states; of agents the object that their text is
  std::shared_ptr<const AgentSession> session{};  // of agents, when it can be gone on with
};

enum class LogLevel { kDebug, kInfo, kWarn, kError };
constexpr std::string_view ToString(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  return "info";
}

constexpr std::optional<LogLevel> ParseLogLevel(std::string_view text) {
  for (const LogLevel level : {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarn, LogLevel::kError}) {
    if (text == ToString(level)) return level;
  }
  return std::nullopt;
}

// Thread-safe in implementations. Must not throw. The default of every event is to ignore it.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void RunStarted(const RunStart&) {}
  virtual void StepStarted(const StepContext&, const StepStart&) {}
  virtual void ProxyIsReady(const StepContext&, const ProxyReady&) {}
  virtual void ProxyWasLost(const StepContext&, const ProxyLost&) {}
  virtual void IsolationKnown(const StepContext&, const IsolationReport&) {}
  virtual void CallStarted(const StepContext&, const CallRecord&) {}
  virtual void CallFinished(const StepContext&, const CallRecord&, const CallEnd&) {}
  virtual void Bypassed(const StepContext&, const NativeUse&) {}
  virtual void NativeCallRefused(const StepContext&, const NativeUse&) {}
  virtual void AgentText(const StepContext&, std::string_view) {}  // live; not necessarily the final output
  virtual void MessageSaid(const StepContext&, const AgentMessage&) {}
  virtual void TokensUsed(const StepContext&, const TokenUsage&) {}  // running total of the attempt
  virtual void CommandOutput(const StepContext&, bool /*is_stderr*/, std::string_view) {}
  virtual void Logged(const StepContext*, LogLevel, std::string_view /*message*/, const json::object& /*fields*/) {}
  virtual void PluginStarted(const StepContext&, const PluginStart&) {}  // the step that needed it first
  virtual void PluginStopped(const PluginEnd&) {}
  virtual void StepRetried(const StepContext&, const StepRetry&) {}
  virtual void StepEnded(const StepContext&, const StepEnd&) {}
  virtual void RunEnded(const RunEnd&) {}
};

// Tells several observers, in order. Does not own them.
class ObserverList final : public RunObserver {
 public:
  void Add(RunObserver* observer) { observers_.push_back(observer); }

  void RunStarted(const RunStart& e) override {
    for (auto* o : observers_) o->RunStarted(e);
  }
  void StepStarted(const StepContext& s, const StepStart& e) override {
    for (auto* o : observers_) o->StepStarted(s, e);
  }
  void ProxyIsReady(const StepContext& s, const ProxyReady& e) override {
    for (auto* o : observers_) o->ProxyIsReady(s, e);
  }
  void ProxyWasLost(const StepContext& s, const ProxyLost& e) override {
    for (auto* o : observers_) o->ProxyWasLost(s, e);
  }
  void IsolationKnown(const StepContext& s, const IsolationReport& e) override {
    for (auto* o : observers_) o->IsolationKnown(s, e);
  }
  void CallStarted(const StepContext& s, const CallRecord& e) override {
    for (auto* o : observers_) o->CallStarted(s, e);
  }
  void CallFinished(const StepContext& s, const CallRecord& c, const CallEnd& e) override {
    for (auto* o : observers_) o->CallFinished(s, c, e);
  }
  void Bypassed(const StepContext& s, const NativeUse& e) override {
    for (auto* o : observers_) o->Bypassed(s, e);
  }
  void NativeCallRefused(const StepContext& s, const NativeUse& e) override {
    for (auto* o : observers_) o->NativeCallRefused(s, e);
  }
  void AgentText(const StepContext& s, std::string_view t) override {
    for (auto* o : observers_) o->AgentText(s, t);
  }
  void MessageSaid(const StepContext& s, const AgentMessage& e) override {
    for (auto* o : observers_) o->MessageSaid(s, e);
  }
  void TokensUsed(const StepContext& s, const TokenUsage& e) override {
    for (auto* o : observers_) o->TokensUsed(s, e);
  }
  void CommandOutput(const StepContext& s, bool err, std::string_view t) override {
    for (auto* o : observers_) o->CommandOutput(s, err, t);
  }
  void Logged(const StepContext* s, LogLevel l, std::string_view m, const json::object& f) override {
    for (auto* o : observers_) o->Logged(s, l, m, f);
  }
  void PluginStarted(const StepContext& s, const PluginStart& e) override {
    for (auto* o : observers_) o->PluginStarted(s, e);
  }
  void PluginStopped(const PluginEnd& e) override {
    for (auto* o : observers_) o->PluginStopped(e);
  }
  void StepRetried(const StepContext& s, const StepRetry& e) override {
    for (auto* o : observers_) o->StepRetried(s, e);
  }
  void StepEnded(const StepContext& s, const StepEnd& e) override {
    for (auto* o : observers_) o->StepEnded(s, e);
  }
  void RunEnded(const RunEnd& e) override {
    for (auto* o : observers_) o->RunEnded(e);
  }

 private:
  std::vector<RunObserver*> observers_;
};

}  // namespace awf
