// Builds the three kinds of spans from what is known at their end. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "domain/record_sinks.h"
#include "domain/run_observer.h"

namespace awf {

// The error type of a call that did not end well: its own, else what its outcome stands for.
std::string CallErrorType(const CallEnd& end);

// `error` is the text of the log line; `protocol` the version that the step's server speaks, may be empty.
SpanRecord BuildCallSpan(const StepContext& step, const CallRecord& call, const CallEnd& end, const std::string& error,
                         const std::string& protocol);

// What was counted and noted while the step ran.
struct StepNotes {
  WallClock::time_point start;
  std::vector<SpanEvent> events;
  int tool_calls = 0, bypasses = 0, proxy_starts = 0;
};
// Hangs under the loop or parallel state that holds the step, at top level under `root`.
SpanRecord BuildStepSpan(const StepContext& step, const StepEnd& end, StepNotes notes, const SpanId& root);

struct RunNotes {
  int steps = 0, tool_calls = 0;
  std::string audit_head;
};
// Of a run that was taken up: with a link to the root of the run before.
SpanRecord BuildRunSpan(const RunStart& start, const RunEnd& end, const RunNotes& notes);

}  // namespace awf
