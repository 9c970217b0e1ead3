// RecordWriter: stamps the records of one run with time and ids and hands them to the sinks. Thread-safe. Owns no sink;
// all of them outlive it. A log or trace that cannot be written costs one warning a sink, in the sinks that are left;
// an audit that cannot be written is told once through `on_audit_failure`, which must end the run.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "domain/masker.h"
#include "domain/record_sinks.h"
#include "domain/run_observer.h"
#include "domain/time.h"

namespace awf {

struct RecorderSinks {
  std::vector<LogSink*> logs;
  AuditSink* audit = nullptr;            // required
  SpanSink* spans = nullptr;             // null: no spans are made
  const Masker* span_content = nullptr;  // masks the captured content of calls for their spans; null: it stays off them
};

class RecordWriter {
 public:
  using Clock = std::function<WallClock::time_point()>;

  RecordWriter(RecorderSinks sinks, std::function<void(const Error&)> on_audit_failure, Clock clock);

  // Whose records follow: records of no step bear the ids of the run.
  void SetRun(const RunStart& run);

  WallClock::time_point Now() const { return clock_(); }
  bool MakesSpans() const { return sinks_.spans != nullptr; }
  const Masker* SpanContent() const { return sinks_.span_content; }
  AuditHead Head() const { return sinks_.audit->Head(); }
  std::string Digest(std::string_view text) const { return sinks_.audit->Digest(text); }
  std::optional<Error> AuditFailure() const;

  // A record of `step`, or of the run when it is null, at this moment.
  LogRecord NewLog(const StepContext* step, LogLevel level, std::string_view message) const;
  void Log(const LogRecord& record);
  void Audit(std::string_view type, const json::object& fields, Durability durability = Durability::kWritten);
  void Span(const SpanRecord& span);  // only where MakesSpans()

 private:
  bool FirstFailure(const std::string& sink);
  LogRecord SinkWarning(const std::string& sink, std::string cause) const;

  const RecorderSinks sinks_;
  const std::function<void(const Error&)> on_audit_failure_;
  const Clock clock_;

  mutable std::mutex mutex_;  // guards what follows; never held while a sink writes
  std::string run_id_;
  TraceId trace_id_;
  SpanId root_span_id_;
  std::optional<Error> audit_failure_;
  std::set<std::string> failed_sinks_;
};

}  // namespace awf
