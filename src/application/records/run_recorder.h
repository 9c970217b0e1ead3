// RunRecorder: turns what happens in a run into log lines, audit records and spans. The one place that makes them.
//
// Each tool call becomes exactly one log line, one audit record and, where there is a span sink, one span, however it
// ended; each entered state has one span and one pair of audit records, whatever the number of its attempts.
// Thread-safe: states and calls may start and end on several threads; records of one call are made on the thread that
// reports its end. Owns no sink; all of them outlive it. A log or trace that cannot be written costs one warning; an
// audit that cannot be written is told once through `on_audit_failure`, which must end the run.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "application/records/record_writer.h"
#include "application/records/span_builder.h"
#include "domain/run_observer.h"

namespace awf {

// What the records say of the surroundings of a run.
struct RecorderIdentity {
  std::string user, host, awf_version;
  std::set<std::string> secret_inputs;  // declared `secret: true`: masked whatever their name
  SpanStyle span_style{};
};

// Sums over the run, for run.json.
struct RunCounts {
  int steps = 0, tool_calls = 0, tool_errors = 0, denials = 0, bypasses = 0;
  std::int64_t tokens_input = 0, tokens_output = 0;
  bool tokens_estimated = false;
  std::optional<double> cost_usd;
};

class RunRecorder final : public RunObserver {
 public:
  using Clock = RecordWriter::Clock;

  RunRecorder(RecorderIdentity identity, RecorderSinks sinks, std::function<void(const Error&)> on_audit_failure,
              Clock clock = WallClock::now);

  RunCounts Counts() const;
  std::optional<Error> AuditFailure() const { return writer_.AuditFailure(); }

  void RunStarted(const RunStart& start) override;
  void StepStarted(const StepContext& step, const StepStart& start) override;
  void ProxyIsReady(const StepContext& step, const ProxyReady& ready) override;
  void ProxyWasLost(const StepContext& step, const ProxyLost& lost) override;
  void IsolationKnown(const StepContext& step, const IsolationReport& report) override;
  void CallFinished(const StepContext& step, const CallRecord& call, const CallEnd& end) override;
  void Bypassed(const StepContext& step, const NativeUse& use) override;
  void NativeCallRefused(const StepContext& step, const NativeUse& use) override;
  void Logged(const StepContext* step, LogLevel level, std::string_view message, const json::object& fields) override;
  void PluginStarted(const StepContext& step, const PluginStart& start) override;
  void PluginStopped(const PluginEnd& end) override;
  void StepRetried(const StepContext& step, const StepRetry& retry) override;
  void StepEnded(const StepContext& step, const StepEnd& end) override;
  void RunEnded(const RunEnd& end) override;

 private:
  // A step between its start and its end, over all attempts.
  struct OpenStep {
    StepNotes notes;
    SteadyClock::time_point begun;
    std::string protocol;        // of the server that was ready last
    bool stderr_logged = false;  // by the executor itself
  };

  SpanFrame Frame() const;
  OpenStep* Find(const StepContext& step);  // under mutex_; null for a step that is not open
  OpenStep Close(const StepContext& step, const StepEnd& end);
  void AddEvent(const StepContext& step, std::string name, Attributes attributes);
  void LogAgentErrors(const StepContext& step, const StepEnd& end, const OpenStep& open);

  const RecorderIdentity identity_;
  RecordWriter writer_;

  mutable std::mutex mutex_;  // guards what follows; never held while a record is written
  RunStart run_;              // constant once RunStarted was told, as what follows
  std::string trace_state_;
  SteadyClock::time_point begun_;
  RunCounts counts_;
  std::map<std::string, OpenStep> open_;  // by span id: one per entered state, whatever its attempts
  std::set<std::string> coexistence_told_;
};

}  // namespace awf
