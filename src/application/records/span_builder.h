// Builds the three kinds of spans from what is known at their end. Pure functions.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "domain/masker.h"
#include "domain/record_sinks.h"
#include "domain/run_observer.h"

namespace awf {

// How spans are written, as the configuration has it.
struct SpanStyle {
  bool semconv_names = false;  // telemetry.span_names: semconv
  bool openinference = false;  // telemetry.attributes: openinference
};

// What all spans of a run have in common.
struct SpanFrame {
  SpanId root;              // of workflow.execution
  std::string trace_state;  // W3C; may be empty
  SpanStyle style;
};

// The error type of a call that did not end well: its own, else what its outcome stands for.
std::string CallErrorType(const CallEnd& end);

// `error` is the text of the log line; `protocol` the version that the step's server speaks, may be empty.
SpanRecord BuildCallSpan(const SpanFrame& frame, const StepContext& step, const CallRecord& call, const CallEnd& end,
                         const std::string& error, const std::string& protocol);

// The captured arguments and result, where there are any: masked, and only then cut to kLongestSpanContent bytes each.
inline constexpr std::size_t kLongestSpanContent = 4096;
void AddCallContent(SpanRecord& span, const CallRecord& call, const CallEnd& end, const Masker& masker);

// What was told, counted and noted while the step ran.
struct StepNotes {
  StepStart start;
  std::chrono::microseconds elapsed{0};  // since then; hooks and waits between attempts included
  std::vector<SpanEvent> events;
  int tool_calls = 0, bypasses = 0, proxy_starts = 0;
};
// Hangs under the loop or parallel state that holds the step, at top level under the root.
SpanRecord BuildStepSpan(const SpanFrame& frame, const StepContext& step, const StepEnd& end, StepNotes notes);

struct RunNotes {
  std::chrono::microseconds elapsed{0};
  int steps = 0, tool_calls = 0;
  std::string audit_head;
};
// Of a run that was taken up: with a link to the root of the run before.
SpanRecord BuildRunSpan(const SpanFrame& frame, const RunStart& start, const RunEnd& end, const RunNotes& notes);

}  // namespace awf
