#include "application/records/run_recorder.h"

#include <algorithm>
#include <utility>

#include "domain/error_catalogue.h"
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

std::int64_t RoundedMs(std::chrono::microseconds duration) {
  return std::chrono::round<std::chrono::milliseconds>(duration).count();
}

LogLevel LevelOf(CallOutcome outcome) {
  switch (outcome) {
    case CallOutcome::kOk:
      return LogLevel::kInfo;
    case CallOutcome::kCancelled:
    case CallOutcome::kDenied:
      return LogLevel::kWarn;
    default:
      return LogLevel::kError;
  }
}

// What the records say of a call that failed without words.
std::string ErrorText(const CallEnd& end) {
  if (!end.error.empty() || end.outcome == CallOutcome::kOk) return end.error;
  switch (end.outcome) {
    case CallOutcome::kLost:
      return "proxy lost: no result before the server ended";
    case CallOutcome::kTimeout:
      return "timeout";
    case CallOutcome::kCancelled:
      return "cancelled";
    case CallOutcome::kDenied:
      return "denied";
    default:
      return "failed";
  }
}

std::string_view LastLines(std::string_view text, std::size_t lines) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t begin = text.size();
  for (std::size_t i = 0; i < lines; ++i) {
    const std::size_t feed = begin == 0 ? std::string_view::npos : text.rfind('\n', begin - 1);
    if (feed == std::string_view::npos) return text;
    begin = feed;
  }
  return text.substr(begin + 1);
}

}  // namespace

RunRecorder::RunRecorder(RecorderIdentity identity, RecorderSinks sinks,
                         std::function<void(const Error&)> on_audit_failure, Clock clock)
    : identity_(std::move(identity)),
      sinks_(std::move(sinks)),
      on_audit_failure_(std::move(on_audit_failure)),
      clock_(std::move(clock)) {}

RunCounts RunRecorder::Counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

std::optional<Error> RunRecorder::AuditFailure() const {
  const std::lock_guard lock(mutex_);
  return audit_failure_;
}

void RunRecorder::RunStarted(const RunStart& start) {
  {
    const std::lock_guard lock(mutex_);
    run_ = start;
  }
  json::object inputs;
  for (const auto& [name, value] : start.inputs)
    inputs[name] = identity_.secret_inputs.contains(name) ? std::string("***") : value;
  WriteAudit("run.started",
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
  LogRecord record = NewLog(nullptr, LogLevel::kInfo, "workflow started");
  record.fields["workflow"] = start.workflow;
  if (!start.version.empty()) record.fields["version"] = start.version;
  WriteLog(record);
  if (!start.traceparent.empty() && !ParseTraceParent(start.traceparent))
    WriteLog(NewLog(nullptr, LogLevel::kDebug, "TRACEPARENT ignored: not valid"));
}

void RunRecorder::StepStarted(const StepContext& step, const StepStart& start) {
  {
    const std::lock_guard lock(mutex_);
    ++counts_.steps;
    OpenStep& open = open_[step.span_id];
    open.start = start;
    open.notes.start = start.time;
  }
  LogRecord record = NewLog(&step, LogLevel::kInfo, "step started");
  record.fields["type"] = ToString(step.kind);
  json::object audit{{"step", step.step}, {"kind", ToString(step.kind)}, {"attempt", step.attempt}};
  if (step.loop_index) audit["loop"] = *step.loop_index;
  if (!step.branch.empty()) audit["branch"] = step.branch;
  if (step.kind == StepKind::kAgent) {
    record.fields["provider"] = start.provider;
    if (!start.model.empty()) record.fields["model"] = start.model;
    audit["provider"] = start.provider;
    audit["provider_version"] = start.provider_version;
    audit["model"] = start.model;
    audit["intercept"] = start.intercept;
    audit["sandbox"] = start.sandbox;
  }
  WriteAudit("step.started", audit);
  WriteLog(record);
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
  WriteAudit("proxy.ready", {{"step", step.step},
                             {"client", ready.client},
                             {"client_version", ready.client_version},
                             {"protocol", ready.protocol},
                             {"tools", ToArray(ready.tools)},
                             {"tools_sha256", sinks_.audit->Digest(ready.tools_digest_input)},
                             {"pid", ready.pid}});
  LogRecord record = NewLog(&step, LogLevel::kInfo, "mcp proxy ready");
  record.fields = {
      {"client", ready.client}, {"protocol", ready.protocol}, {"tools", ready.tools.size()}, {"start", ready.start}};
  WriteLog(record);
}

void RunRecorder::ProxyWasLost(const StepContext& step, const ProxyLost& lost) {
  const bool harmless = lost.replaced && lost.calls == 0;
  std::string provider;
  {
    const std::lock_guard lock(mutex_);
    if (const OpenStep* open = Find(step)) provider = open->start.provider;
  }
  AddEvent(step, "proxy.lost", {{"calls", std::int64_t{lost.calls}}, {"replaced", lost.replaced}});
  json::object audit{{"step", step.step},     {"attempt", step.attempt}, {"pid", lost.pid},
                     {"client", lost.client}, {"calls", lost.calls},     {"replaced", lost.replaced}};
  if (!harmless) audit["code"] = kLostCode;
  WriteAudit("proxy.lost", audit);
  LogRecord record = NewLog(&step, harmless ? LogLevel::kWarn : LogLevel::kError, "mcp proxy lost");
  if (!harmless) record.fields["code"] = kLostCode;
  record.fields["provider"] = provider;
  record.fields["calls"] = lost.calls;
  record.fields["replaced"] = lost.replaced;
  WriteLog(record);
}

void RunRecorder::IsolationKnown(const StepContext& step, const IsolationReport& report) {
  const bool weak = report.level != IsolationLevel::kProven;
  bool warn = false;
  {
    const std::lock_guard lock(mutex_);
    warn = weak && coexistence_told_.insert(report.provider).second;
  }
  WriteAudit("isolation",
             {{"step", step.step},
              {"level", ToString(report.level)},
              {"announced", report.announced ? json::value(ToArray(*report.announced)) : json::value(nullptr)},
              {"foreign", ToArray(report.foreign)},
              {"reason", report.reason}});
  LogRecord record =
      NewLog(&step, warn ? LogLevel::kWarn : LogLevel::kInfo, warn ? "mcp proxy coexistence" : "mcp proxy isolation");
  record.fields = {{"provider", report.provider},
                   {"version", report.version},
                   {"isolation", ToString(report.level)},
                   {"reason", report.reason}};
  WriteLog(record);
}

void RunRecorder::CallFinished(const StepContext& step, const CallRecord& call, const CallEnd& end) {
  const std::string error = ErrorText(end);
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
  AuditCall(step, call, end, error);
  LogCall(step, call, end, error);
  if (sinks_.spans != nullptr) WriteSpan(BuildCallSpan(step, call, end, error, protocol));
}

void RunRecorder::AuditCall(const StepContext& step, const CallRecord& call, const CallEnd& end,
                            const std::string& error) {
  json::object fields{{"step", step.step}, {"attempt", step.attempt}, {"call", call.call}};
  if (!call.client_call_id.empty()) fields["client_call_id"] = call.client_call_id;
  fields["tool"] = call.tool;
  fields["source"] = call.source;
  fields["outcome"] = ToString(end.outcome);
  if (!error.empty()) fields["error"] = error;
  fields["duration_us"] = end.duration.count();
  fields["bytes_in"] = call.bytes_in;
  fields["bytes_out"] = end.bytes_out;
  if (end.exit_code) fields["exit_code"] = *end.exit_code;
  WriteAudit("tool.call", fields);
}

void RunRecorder::LogCall(const StepContext& step, const CallRecord& call, const CallEnd& end,
                          const std::string& error) {
  LogRecord record = NewLog(&step, LevelOf(end.outcome), "tool call");
  record.whole_seconds = true;
  record.span_id = call.call;
  record.error = error;
  record.fields = {{"tool", call.tool}, {"source", call.source}, {"duration_ms", RoundedMs(end.duration)}};
  if (end.exit_code) record.fields["exit_code"] = *end.exit_code;
  record.fields["call"] = call.call;
  if (!call.client_call_id.empty()) record.fields["client_call_id"] = call.client_call_id;
  if (!end.denied.empty()) record.fields["denied"] = end.denied;
  WriteLog(record);
}

void RunRecorder::Bypassed(const StepContext& step, const NativeUse& use) {
  {
    const std::lock_guard lock(mutex_);
    ++counts_.bypasses;
    if (OpenStep* open = Find(step)) ++open->notes.bypasses;
  }
  AddEvent(step, "isolation.bypass", {{"tool", use.tool}, {"call_id", use.client_call_id}});
  WriteAudit(
      "bypass",
      {{"step", step.step}, {"native_tool", use.tool}, {"client_call_id", use.client_call_id}, {"event", use.event}});
  LogRecord record = NewLog(&step, use.required ? LogLevel::kError : LogLevel::kWarn, "mcp proxy bypass");
  record.fields = {{"provider", use.provider}, {"native_tool", use.tool}, {"client_call_id", use.client_call_id}};
  WriteLog(record);
}

void RunRecorder::NativeCallRefused(const StepContext& step, const NativeUse& use) {
  LogRecord record = NewLog(&step, LogLevel::kInfo, "native_call_refused");
  record.fields = {{"provider", use.provider}, {"native_tool", use.tool}, {"client_call_id", use.client_call_id}};
  WriteLog(record);
}

void RunRecorder::Logged(const StepContext* step, LogLevel level, std::string_view message,
                         const json::object& fields) {
  {
    const std::lock_guard lock(mutex_);
    OpenStep* open = step != nullptr && message == kAgentErrors ? Find(*step) : nullptr;
    if (open != nullptr) open->stderr_logged = true;
  }
  LogRecord record = NewLog(step, level, message);
  for (const auto& [key, value] : fields) {
    if (key == "error" && value.is_string()) {
      record.error = value.get_string();
    } else {
      record.fields[key] = value;
    }
  }
  WriteLog(record);
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
  LogRecord record = NewLog(&step, LogLevel::kWarn, "step retry");
  record.attempt = retry.attempt;
  record.fields = {{"type", ToString(step.kind)}, {"delay_ms", retry.delay.count()}, {"code", retry.error.code}};
  record.error = retry.error.message;
  WriteLog(record);
}

void RunRecorder::StepEnded(const StepContext& step, const StepEnd& end) {
  OpenStep open = Close(step, end);
  LogAgentErrors(step, end, open);
  AuditStepEnd(step, end, open);
  LogStepEnd(step, end);
  if (sinks_.spans != nullptr) WriteSpan(BuildStepSpan(step, end, std::move(open.notes), run_.span_id));
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
  } else {
    open.notes.start = clock_() - end.duration;
  }
  open.notes.proxy_starts = std::max(open.notes.proxy_starts, end.proxy_starts);
  return open;
}

void RunRecorder::LogAgentErrors(const StepContext& step, const StepEnd& end, const OpenStep& open) {
  if (step.kind != StepKind::kAgent || end.stderr_tail.empty() || open.stderr_logged) return;
  LogRecord record = NewLog(&step, end.error ? LogLevel::kError : LogLevel::kDebug, kAgentErrors);
  record.fields["text"] = end.error ? LastLines(end.stderr_tail, kAgentErrorLines) : std::string_view(end.stderr_tail);
  WriteLog(record);
}

void RunRecorder::AuditStepEnd(const StepContext& step, const StepEnd& end, const OpenStep& open) {
  json::object fields{
      {"step", step.step}, {"attempt", end.attempts}, {"status", ToString(end.status)}, {"exit_code", end.exit_code}};
  if (end.error) {
    fields["code"] = end.error->code;
    fields["error"] = end.error->message;
  }
  fields["duration_ms"] = end.duration.count();
  fields["tool_calls"] = open.notes.tool_calls;
  fields["bypasses"] = open.notes.bypasses;
  fields["tokens_input"] = end.usage.input;
  fields["tokens_output"] = end.usage.output;
  fields["estimated"] = end.usage.estimated;
  WriteAudit("step.completed", fields, Durability::kOnDisk);
}

void RunRecorder::LogStepEnd(const StepContext& step, const StepEnd& end) {
  const bool cancelled = end.status == StepStatus::kCancelled;
  LogRecord record = end.error ? NewLog(&step, cancelled ? LogLevel::kWarn : LogLevel::kError, "step failed")
                               : NewLog(&step, LogLevel::kInfo, "step completed");
  record.attempt = end.attempts;
  record.fields = {
      {"type", ToString(step.kind)}, {"status", ToString(end.status)}, {"duration_ms", end.duration.count()}};
  if (step.kind != StepKind::kTerminal) record.fields["exit_code"] = end.exit_code;
  if (step.kind == StepKind::kAgent) {
    record.fields["tokens_input"] = end.usage.input;
    record.fields["tokens_output"] = end.usage.output;
    if (end.isolation) record.fields["isolation"] = ToString(*end.isolation);
    if (!end.sandbox.empty()) record.fields["sandbox"] = end.sandbox;
  }
  if (end.error) {
    record.fields["code"] = end.error->code;
    record.error = end.error->message;
  }
  WriteLog(record);
}

void RunRecorder::RunEnded(const RunEnd& told) {
  RunEnd end = told;
  json::object audit{{"status", end.status}, {"exit_code", end.exit_code}};
  if (end.error) {
    audit["code"] = end.error->code;
    audit["error"] = end.error->message;
  }
  audit["duration_ms"] = end.duration.count();
  audit["records"] = sinks_.audit->Head().seq + 2;  // this one included
  WriteAudit("run.completed", audit, Durability::kOnDisk);
  if (const auto failure = AuditFailure()) {  // whatever the workflow came to, the run has failed
    end.status = "failed";
    end.exit_code = ExitCodeOf(failure->code);
    end.error = failure;
  }

  const LogLevel level = end.status == "completed"   ? LogLevel::kInfo
                         : end.status == "cancelled" ? LogLevel::kWarn
                                                     : LogLevel::kError;
  LogRecord record = NewLog(nullptr, level, "workflow completed");
  record.fields = {{"workflow", run_.workflow},
                   {"status", end.status},
                   {"exit_code", end.exit_code},
                   {"duration_ms", end.duration.count()}};
  if (end.error) {
    record.fields["code"] = end.error->code;
    record.error = end.error->message;
  }
  WriteLog(record);
  if (sinks_.spans == nullptr) return;
  const RunCounts counts = Counts();
  WriteSpan(BuildRunSpan(run_, end, {counts.steps, counts.tool_calls, sinks_.audit->Head().hash}));
}

RunRecorder::OpenStep* RunRecorder::Find(const StepContext& step) {
  const auto found = open_.find(step.span_id);
  return found == open_.end() ? nullptr : &found->second;
}

void RunRecorder::AddEvent(const StepContext& step, std::string name, Attributes attributes) {
  if (sinks_.spans == nullptr) return;
  const std::lock_guard lock(mutex_);
  if (OpenStep* open = Find(step)) open->notes.events.push_back({std::move(name), clock_(), std::move(attributes)});
}

LogRecord RunRecorder::NewLog(const StepContext* step, LogLevel level, std::string_view message) const {
  LogRecord record;
  record.level = level;
  record.message = message;
  record.time = clock_();
  if (step != nullptr) {
    record.run = step->run_id;
    record.step = step->step;
    record.attempt = step->attempt;
    record.trace_id = step->trace_id;
    record.span_id = step->span_id;
  } else {
    const std::lock_guard lock(mutex_);
    record.run = run_.run_id;
    record.trace_id = run_.trace_id;
    record.span_id = run_.span_id;
  }
  return record;
}

void RunRecorder::WriteLog(const LogRecord& record) {
  for (LogSink* sink : sinks_.logs) {
    if (sink->Write(record) || !FirstFailure(sink->Name())) continue;
    const LogRecord warning = SinkWarning(sink->Name());
    for (LogSink* other : sinks_.logs)
      if (other != sink) other->Write(warning);
  }
}

void RunRecorder::WriteSpan(const SpanRecord& span) {
  if (!sinks_.spans->Write(span) && FirstFailure(sinks_.spans->Name())) WriteLog(SinkWarning(sinks_.spans->Name()));
}

bool RunRecorder::FirstFailure(const std::string& sink) {
  const std::lock_guard lock(mutex_);
  return failed_sinks_.insert(sink).second;
}

LogRecord RunRecorder::SinkWarning(const std::string& sink) const {
  LogRecord record = NewLog(nullptr, LogLevel::kWarn, "records cannot be written");
  record.fields["file"] = sink;
  return record;
}

void RunRecorder::WriteAudit(std::string_view type, const json::object& fields, Durability durability) {
  auto written = sinks_.audit->Append(type, fields, durability);
  if (written) return;
  {
    const std::lock_guard lock(mutex_);
    if (audit_failure_) return;
    audit_failure_ = written.error();
  }
  if (on_audit_failure_) on_audit_failure_(written.error());
}

}  // namespace awf
