#include "application/records/record_writer.h"

#include <utility>

namespace awf {

RecordWriter::RecordWriter(RecorderSinks sinks, std::function<void(const Error&)> on_audit_failure, Clock clock)
    : sinks_(std::move(sinks)), on_audit_failure_(std::move(on_audit_failure)), clock_(std::move(clock)) {}

void RecordWriter::SetRun(const RunStart& run) {
  const std::lock_guard lock(mutex_);
  run_id_ = run.run_id;
  trace_id_ = run.trace_id;
  root_span_id_ = run.span_id;
}

std::optional<Error> RecordWriter::AuditFailure() const {
  const std::lock_guard lock(mutex_);
  return audit_failure_;
}

LogRecord RecordWriter::NewLog(const StepContext* step, LogLevel level, std::string_view message) const {
  LogRecord record;
  record.level = level;
  record.message = message;
  record.time = Now();
  if (step != nullptr) {
    record.run = step->run_id;
    record.step = step->step;
    record.attempt = step->attempt;
    record.trace_id = step->trace_id;
    record.span_id = step->span_id;
  } else {
    const std::lock_guard lock(mutex_);
    record.run = run_id_;
    record.trace_id = trace_id_;
    record.span_id = root_span_id_;
  }
  return record;
}

void RecordWriter::Log(const LogRecord& record) {
  for (LogSink* sink : sinks_.logs) {
    if (sink->Write(record) || !FirstFailure(sink->Name())) continue;
    const LogRecord warning = SinkWarning(sink->Name(), sink->Failure());
    for (LogSink* other : sinks_.logs)
      if (other != sink) other->Write(warning);
  }
}

void RecordWriter::Span(const SpanRecord& span) {
  if (sinks_.spans->Write(span)) return;
  const std::string sink = sinks_.spans->Name();
  if (FirstFailure(sink)) Log(SinkWarning(sink, sinks_.spans->Failure()));
}

void RecordWriter::Audit(std::string_view type, const json::object& fields, Durability durability) {
  const auto written = sinks_.audit->Append(type, fields, durability);
  if (written) return;
  {
    const std::lock_guard lock(mutex_);
    if (audit_failure_) return;
    audit_failure_ = written.error();
  }
  if (on_audit_failure_) on_audit_failure_(written.error());
}

bool RecordWriter::FirstFailure(const std::string& sink) {
  const std::lock_guard lock(mutex_);
  return failed_sinks_.insert(sink).second;
}

LogRecord RecordWriter::SinkWarning(const std::string& sink, std::string cause) const {
  LogRecord record = NewLog(nullptr, LogLevel::kWarn, "records cannot be written");
  record.fields["file"] = sink;
  record.error = std::move(cause);
  return record;
}

}  // namespace awf
