// W3C trace context: the text form of a span that spans of other processes hang under.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace awf {

struct TraceParent {
  std::string trace_id;  // 32 lower-case hex digits, not all zero
  std::string span_id;   // 16 lower-case hex digits, not all zero
  bool sampled = false;
  friend bool operator==(const TraceParent&, const TraceParent&) = default;
};

// Nothing when the text is no valid traceparent. Versions above 00 may carry more fields, which are ignored.
std::optional<TraceParent> ParseTraceParent(std::string_view text);

// How a run is traced, as its steps need to know it. Plain data; the same for the whole run.
struct Tracing {
  bool spans = false;           // spans are made: children get TRACEPARENT
  bool sampled = true;          // the flag in it; false: spans are made for the trace file alone, or not at all
  std::string trace_state;      // W3C, of awf's own environment; passed on beside TRACEPARENT
  bool content = false;         // arguments and results of tool calls are captured
  bool propagate_http = false;  // traceparent goes to the HTTP API of a model too
};

std::string FormatTraceParent(std::string_view trace_id, std::string_view span_id, bool sampled);

// Whether a tracestate may be passed on: at most 512 characters, and 1 to 32 well-formed members with different keys.
bool IsTraceState(std::string_view text);

// The tracestate that belongs to a traceparent: empty unless both are valid.
std::string AcceptedTraceState(std::string_view traceparent, std::string_view tracestate);

inline constexpr char kTraceParentVariable[] = "TRACEPARENT";
inline constexpr char kTraceStateVariable[] = "TRACESTATE";

// What a child process is told of the span that it works for: TRACEPARENT, and TRACESTATE where there is one. Empty
// when no spans are made. Those of awf's own environment must be taken away from the child's, as no second parent.
std::vector<std::pair<std::string, std::string>> TraceVariables(const Tracing& tracing, std::string_view trace_id,
                                                                std::string_view span_id);

}  // namespace awf
