// The ports through which a run's records leave: log lines, audit records, spans, the conversation.
//
// RunRecorder (application/records/run_recorder.h) is the only one that makes records of what happened,
// TranscriptRecorder beside it those of what was said; adapters are in infrastructure/telemetry and
// infrastructure/otlp. A sink masks what it writes (domain/masker.h), repairs bad UTF-8 and keeps to the limit of 16
// KiB a line, so records may hold secrets and any bytes. Sinks are thread-safe and don't throw.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "domain/error.h"
#include "domain/json.h"
#include "domain/run_observer.h"
#include "domain/time.h"

namespace awf {

struct LogRecord {
  LogLevel level = LogLevel::kInfo;
  std::string message;
  json::object fields;  // of the case, in the order of the line; without `error`
  std::string error;    // may be empty: no such key
  std::string run, step;
  int attempt = 1;  // shown when above 1
  std::string trace_id, span_id;
  WallClock::time_point time;
  bool whole_seconds = false;  // tool calls; milliseconds elsewhere
};

class LogSink {
 public:
  virtual ~LogSink() = default;
  // False when the record could not be written. A sink leaves out what lies below its own level and returns true.
  virtual bool Write(const LogRecord& record) = 0;
  virtual std::string Name() const = 0;  // for messages: a path
  // Why the last Write that failed did, where it is known: for messages.
  virtual std::string Failure() const { return {}; }
};

// The last record of the chain; seq is -1 before the first.
struct AuditHead {
  std::int64_t seq = -1;
  std::string hash;
};

enum class Durability { kWritten, kOnDisk };

class AuditSink {
 public:
  virtual ~AuditSink() = default;
  // Adds a record of that type; seq, time, run and the chain are the sink's. After one failure (SYSTEM.IO.WRITE_FAILED)
  // every later call fails too: a chain with a hole is none.
  virtual std::expected<void, Error> Append(std::string_view type, const json::object& fields,
                                            Durability durability) = 0;
  virtual AuditHead Head() const = 0;
  // SHA-256 in lower-case hex, for fields that are digests.
  virtual std::string Digest(std::string_view text) const = 0;
};

using AttributeValue = std::variant<std::string, std::int64_t, bool, double>;
using Attributes = std::vector<std::pair<std::string, AttributeValue>>;

struct SpanEvent {
  std::string name;
  WallClock::time_point time;
  Attributes attributes;
};

struct SpanLink {
  TraceId trace_id;
  SpanId span_id;
  std::string trace_state{};  // W3C; may be empty
};

enum class SpanKind { kInternal = 1, kServer = 2 };  // values of OTLP

struct SpanRecord {
  TraceId trace_id;
  SpanId span_id, parent_span_id;  // parent may be empty
  std::string trace_state;         // W3C, from the environment; may be empty
  std::string name;
  SpanKind kind = SpanKind::kInternal;
  WallClock::time_point start, end;
  Attributes attributes;
  std::vector<SpanEvent> events;
  std::vector<SpanLink> links;
  bool failed = false;  // status ERROR; else unset
  std::string status_message;
};

class SpanSink {
 public:
  virtual ~SpanSink() = default;
  virtual bool Write(const SpanRecord& span) = 0;  // false: could not be written
  virtual std::string Name() const = 0;
  virtual std::string Failure() const { return {}; }  // as that of a LogSink
};

// One entry of the conversation.
struct TranscriptRecord {
  std::string type;  // run.started, message.user, tool.call, …
  std::string path;  // of the step: "review", "loop:2/fix"; empty: of the run
  int attempt = 1;
  WallClock::time_point time;
  json::object payload;
};

class TranscriptSink {
 public:
  virtual ~TranscriptSink() = default;
  virtual bool Write(const TranscriptRecord& record) = 0;  // false: could not be written; numbers are the sink's
  virtual std::string Name() const = 0;
  virtual std::string Failure() const { return {}; }  // as that of a LogSink
};

}  // namespace awf
