// W3C trace context: the text form of a span that spans of other processes hang under.
#pragma once

#include <optional>
#include <string>
#include <string_view>

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

std::string FormatTraceParent(std::string_view trace_id, std::string_view span_id);

}  // namespace awf
