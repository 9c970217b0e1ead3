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

std::string FormatTraceParent(std::string_view trace_id, std::string_view span_id);

}  // namespace awf
