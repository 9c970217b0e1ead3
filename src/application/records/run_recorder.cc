#include "application/records/run_recorder.h"

#include <algorithm>
#include <utility>

#include "application/records/call_records.h"
#include "application/records/plugin_records.h"
#include "application/records/step_records.h"
#include "domain/error_catalogue.h"
#include "domain/last_lines.h"
#include "domain/masker.h"
#include "domain/trace_context.h"

namespace awf {
namespace {

constexpr std::string_view kLostCode = "EXECUTION.MCP_PROXY.LOST";
constexpr std::string_view kAgentErrors = "agent stderr";
constexpr std::size_t kAgentErrorLines = 20;

json::array ToArray(const std::vector<std::string>& names) {
  json::array array;
  array.reserve(names.size());
  for (const std::string& name : names) array.emplace_back(name);
  return array;
}

std::chrono::microseconds Since(SteadyClock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::microseconds>(SteadyClock::now() - begin);
}

}  // namespace

RunRecorder::RunRecorder(RecorderIdentity identity, RecorderSinks sinks,
                         std::function<void(const Error&)> on_audit_failure, Clock clock)
    : identity_(std::move(identity)), writer_(std::move(sinks), std::move(on_audit_failure), std::move(clock)) {}

RunCounts RunRecorder::Counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void RunRecorder::RunStarted(const RunStart& start) {
  {
    const std::lock_guard lock(mutex_);
    run_ = start;
    trace_state_ = AcceptedTraceState(start.traceparent, start.tracestate);
    begun_ = SteadyClock::now();
  }
  writer_.SetRun(start);
  json::object inputs;
  for (const auto& [name, value] : start.inputs)
    inputs[name] = identity_.secret_inputs.contains(name) ? std::string(kMask) : value;
  writer_.Audit("run.started",
                {{"workflow", start.workflow},
                 {"version", start.version},
                 {"workflow_sha256", start.workflow_sha256},
                 {"user", identity_.user},
                 {"host", identity_.host},
                 {"awf_version", identity_.awf_version},
                 {"inputs", std::move(inputs)},
                 {"resumed", start.resumed},
                 {"traceparent", start.traceparent}},
                Durability::kOnDisk);
  LogRecord record = writer_.NewLog(nullptr, LogLevel::kInfo, "workflow started");
  record.fields["workflow"] = start.workflow;
  if (!start.version.empty()) record.fields["version"] = start.version;
  writer_.Log(record);
  const auto parent = ParseTraceParent(start.traceparent);
  if (!start.traceparent.empty() && !parent)
    writer_.Log(writer_.NewLog(nullptr, LogLevel::kDebug, "TRACEPARENT ignored: not valid"));
  if (parent && !parent->sampled && !writer_.MakesSpans())
    writer_.Log(writer_.NewLog(nullptr, LogLevel::kDebug, "TRACEPARENT is not sampled: no spans are exported"));
  if (!start.tracestate.empty() && trace_state_.empty()) {
    const bool alone = !IsTraceState(start.tracestate);
    writer_.Log(writer_.NewLog(nullptr, LogLevel::kDebug,
                               alone ? "TRACESTATE ignored: not valid" : "TRACESTATE ignored: no valid TRACEPARENT"));
  }
}

void RunRecorder::StepStarted(const StepContext& step, const StepStart& start) {
  {
    const std::lock_guard lock(mutex_);
    ++counts_.steps;
    OpenStep& open = open_[step.span_id];
    open.notes.start = start;
    open.begun = SteadyClock::now();
  }
  LogRecord record = writer_.NewLog(&step, LogLevel::kInfo, "step started");
  record.fields = StepStartFields(step, start);
  writer_.Audit("step.started", StepStartAudit(step, start));
  writer_.Log(record);
}

void RunRecorder::ProxyIsReady(const StepContext& step, const ProxyReady& ready) {
  {
    const std::lock_guard lock(mutex_);
    if (OpenStep* open = Find(step)) {
      open->protocol = ready.protocol;
      ++open->notes.proxy_starts;
    }
  }
  AddEvent(step, "proxy.ready", {{"client", ready.client}, {"protocol_version", ready.protocol}});
  writer_.Audit("proxy.ready", {{"step", step.step},
                                {"client", ready.client},
                                {"client_version", ready.client_version},
                                {"protocol", ready.protocol},
                                {"tools", ToArray(ready.tools)},
                                {"tools_sha256", writer_.Digest(ready.tools_digest_input)},
                                {"pid", ready.pid}});
  LogRecord record = writer_.NewLog(&step, LogLevel::kInfo, "mcp proxy ready");
  record.fields = {
      {"client", ready.client}, {"protocol", ready.protocol}, {"tools", ready.tools.size()}, {"start", ready.start}};
  writer_.Log(record);
}

void RunRecorder::ProxyWasLost(const StepContext& step, const ProxyLost& lost) {
  const bool harmless = lost.replaced && lost.calls == 0;
  std::string provider;
  {
    const std::lock_guard lock(mutex_);
    if (const OpenStep* open = Find(step)) provider = open->notes.start.provider;
  }
  AddEvent(step, "proxy.lost", {{"calls", std::int64_t{lost.calls}}, {"replaced", lost.replaced}});
  json::object audit{{"step", step.step},     {"attempt", step.attempt}, {"pid", lost.pid},
                     {"client", lost.client}, {"calls", lost.calls},     {"replaced", lost.replaced}};
  if (!harmless) audit["code"] = kLostCode;
  writer_.Audit("proxy.lost", audit);
  LogRecord record = writer_.NewLog(&step, harmless ? LogLevel::kWarn : LogLevel::kError, "mcp proxy lost");
  if (!harmless) record.fields["code"] = kLostCode;
  record.fields["provider"] = provider;
  record.fields["calls"] = lost.calls;
  record.fields["replaced"] = lost.replaced;
  writer_.Log(record);
}

void RunRecorder::IsolationKnown(const StepContext& step, const IsolationReport& report) {
  const bool weak = report.level != IsolationLevel::kProven;
  bool warn = false;
  {
    const std::lock_guard lock(mutex_);
    warn = weak && coexistence_told_.insert(report.provider).second;
  }
  writer_.Audit("isolation",
                {{"step", step.step},
                 {"level", ToString(report.level)},
                 {"announced", report.announced ? json::value(ToArray(*report.announced)) : json::value(nullptr)},
                 {"foreign", ToArray(report.foreign)},
                 {"reason", report.reason}});
  LogRecord record = writer_.NewLog(&step, warn ? LogLevel::kWarn : LogLevel::kInfo,
                                    warn ? "mcp proxy coexistence" : "mcp proxy isolation");
  record.fields = {{"provider", report.provider}, {"version", report.version}};
  if (weak && !report.verified.empty()) record.fields["verified"] = report.verified;
  if (weak && !report.probe_model.empty()) record.fields["model"] = report.probe_model;
  record.fields["isolation"] = ToString(report.level);
  record.fields["reason"] = report.reason;
  writer_.Log(record);
}

void RunRecorder::CallFinished(const StepContext& step, const CallRecord& call, const CallEnd& end) {
  const std::string error = CallErrorText(end);
  std::string protocol;
  {
    const std::lock_guard lock(mutex_);
    ++counts_.tool_calls;
    if (end.outcome != CallOutcome::kOk) ++counts_.tool_errors;
    if (end.outcome == CallOutcome::kDenied) ++counts_.denials;
    if (OpenStep* open = Find(step)) {
      ++open->notes.tool_calls;
      protocol = open->protocol;
    }
  }
  const std::string digest = call.arguments.empty() ? std::string() : writer_.Digest(call.arguments);
  writer_.Audit("tool.call", CallAudit(step, call, end, error, digest));
  LogRecord record = writer_.NewLog(&step, CallLevel(end.outcome), "tool call");
  FillCallLog(record, call, end, error);
  writer_.Log(record);
  if (!writer_.MakesSpans()) return;
  SpanRecord span = BuildCallSpan(Frame(), step, call, end, error, protocol);
  if (const Masker* masker = writer_.SpanContent()) AddCallContent(span, call, end, *masker);
  writer_.Span(span);
}

void RunRecorder::Bypassed(const StepContext& step, const NativeUse& use) {
  {
    const std::lock_guard lock(mutex_);
    ++counts_.bypasses;
    if (OpenStep* open = Find(step)) ++open->notes.bypasses;
  }
  AddEvent(step, "isolation.bypass", {{"tool", use.tool}, {"call_id", use.client_call_id}});
  writer_.Audit(
      "bypass",
      {{"step", step.step}, {"native_tool", use.tool}, {"client_call_id", use.client_call_id}, {"event", use.event}});
  LogRecord record = writer_.NewLog(&step, use.required ? LogLevel::kError : LogLevel::kWarn, "mcp proxy bypass");
  record.fields = {{"provider", use.provider}, {"native_tool", use.tool}, {"client_call_id", use.client_call_id}};
  writer_.Log(record);
}

void RunRecorder::NativeCallRefused(const StepContext& step, const NativeUse& use) {
  LogRecord record = writer_.NewLog(&step, LogLevel::kInfo, "native_call_refused");
  record.fields = {{"provider", use.provider}, {"native_tool", use.tool}, {"client_call_id", use.client_call_id}};
  writer_.Log(record);
}

void RunRecorder::Logged(const StepContext* step, LogLevel level, std::string_view message,
                         const json::object& fields) {
  {
    const std::lock_guard lock(mutex_);
    OpenStep* open = step != nullptr && message == kAgentErrors ? Find(*step) : nullptr;
    if (open != nullptr) open->stderr_logged = true;
  }
  LogRecord record = writer_.NewLog(step, level, message);
  for (const auto& [key, value] : fields) {
    if (key == "error" && value.is_string()) {
      record.error = value.get_string();
    } else {
      record.fields[key] = value;
    }
  }
  writer_.Log(record);
}

void RunRecorder::PluginStarted(const StepContext& step, const PluginStart& start) {
  AddEvent(step, "plugin.started", {{"plugin", start.plugin}, {"duration_ms", std::int64_t{start.duration.count()}}});
  writer_.Audit("plugin.started", PluginStartAudit(start));
  LogRecord record = writer_.NewLog(&step, LogLevel::kInfo, "plugin started");
  FillPluginStartLog(record, start);
  writer_.Log(record);
}

void RunRecorder::PluginStopped(const PluginEnd& end) {
  writer_.Audit("plugin.stopped", PluginEndAudit(end));
  LogRecord record = writer_.NewLog(nullptr, end.expected ? LogLevel::kInfo : LogLevel::kWarn,
                                    end.expected ? "plugin stopped" : "plugin ended");
  FillPluginEndLog(record, end);
  writer_.Log(record);
}

void RunRecorder::StepRetried(const StepContext& step, const StepRetry& retry) {
  {
    const std::lock_guard lock(mutex_);
    if (OpenStep* open = Find(step)) open->stderr_logged = false;
  }
  AddEvent(step, "retry",
           {{"attempt", std::int64_t{retry.attempt}},
            {"delay_ms", std::int64_t{retry.delay.count()}},
            {"error", retry.error.message}});
  LogRecord record = writer_.NewLog(&step, LogLevel::kWarn, "step retry");
  record.attempt = retry.attempt;
  record.fields = {{"type", ToString(step.kind)}, {"delay_ms", retry.delay.count()}, {"code", retry.error.code}};
  record.error = retry.error.message;
  writer_.Log(record);
}

void RunRecorder::StepEnded(const StepContext& step, const StepEnd& end) {
  OpenStep open = Close(step, end);
  LogAgentErrors(step, end, open);
  writer_.Audit("step.completed", StepEndAudit(step, end, open.notes), Durability::kOnDisk);
  const LogLevel failed = end.status == StepStatus::kCancelled ? LogLevel::kWarn : LogLevel::kError;
  LogRecord record = end.error ? writer_.NewLog(&step, failed, "step failed")
                               : writer_.NewLog(&step, LogLevel::kInfo, "step completed");
  FillStepEndLog(record, step, end);
  writer_.Log(record);
  if (writer_.MakesSpans()) writer_.Span(BuildStepSpan(Frame(), step, end, std::move(open.notes)));
}

RunRecorder::OpenStep RunRecorder::Close(const StepContext& step, const StepEnd& end) {
  const std::lock_guard lock(mutex_);
  counts_.tokens_input += end.usage.input;
  counts_.tokens_output += end.usage.output;
  counts_.tokens_estimated = counts_.tokens_estimated || end.usage.estimated;
  if (end.usage.cost_usd) counts_.cost_usd = counts_.cost_usd.value_or(0) + *end.usage.cost_usd;
  OpenStep open;
  if (auto node = open_.extract(step.span_id)) {
    open = std::move(node.mapped());
    open.notes.elapsed = Since(open.begun);
  } else {
    open.notes.start.time = writer_.Now() - end.duration;
  }
  open.notes.proxy_starts = std::max(open.notes.proxy_starts, end.proxy_starts);
  return open;
}

void RunRecorder::LogAgentErrors(const StepContext& step, const StepEnd& end, const OpenStep& open) {
  if (step.kind != StepKind::kAgent || end.stderr_tail.empty() || open.stderr_logged) return;
  LogRecord record = writer_.NewLog(&step, end.error ? LogLevel::kError : LogLevel::kDebug, kAgentErrors);
  record.fields["text"] = end.error ? LastLines(end.stderr_tail, kAgentErrorLines) : std::string_view(end.stderr_tail);
  writer_.Log(record);
}

void RunRecorder::RunEnded(const RunEnd& told) {
  RunEnd end = told;
  json::object audit{{"status", end.status}, {"exit_code", end.exit_code}};
  if (end.error) {
    audit["code"] = end.error->code;
    audit["error"] = end.error->message;
  }
  audit["duration_ms"] = end.duration.count();
  audit["records"] = writer_.Head().seq + 2;  // this one included
  writer_.Audit("run.completed", audit, Durability::kOnDisk);
  if (const auto failure = AuditFailure()) {  // whatever the workflow came to, the run has failed
    end.status = "failed";
    end.exit_code = ExitCodeOf(failure->code);
    end.error = failure;
  }

  const LogLevel level = end.status == "completed"   ? LogLevel::kInfo
                         : end.status == "cancelled" ? LogLevel::kWarn
                                                     : LogLevel::kError;
  LogRecord record = writer_.NewLog(nullptr, level, "workflow completed");
  record.fields = {{"workflow", run_.workflow},
                   {"status", end.status},
                   {"exit_code", end.exit_code},
                   {"duration_ms", end.duration.count()}};
  if (end.error) {
    record.fields["code"] = end.error->code;
    record.error = end.error->message;
  }
  writer_.Log(record);
  if (!writer_.MakesSpans()) return;
  const RunCounts counts = Counts();
  writer_.Span(BuildRunSpan(Frame(), run_, end, {Since(begun_), counts.steps, counts.tool_calls, writer_.Head().hash}));
}

SpanFrame RunRecorder::Frame() const { return {run_.span_id, trace_state_, identity_.span_style}; }

RunRecorder::OpenStep* RunRecorder::Find(const StepContext& step) {
  const auto found = open_.find(step.span_id);
  return found == open_.end() ? nullptr : &found->second;
}

void RunRecorder::AddEvent(const StepContext& step, std::string name, Attributes attributes) {
  if (!writer_.MakesSpans()) return;
  const std::lock_guard lock(mutex_);
  if (OpenStep* open = Find(step))
    open->notes.events.push_back({std::move(name), writer_.Now(), std::move(attributes)});
}

}  // namespace awf
