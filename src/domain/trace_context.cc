#include "domain/trace_context.h"

#include <algorithm>

namespace awf {
namespace {

bool IsLowerHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool IsZero(std::string_view text) { return text.find_first_not_of('0') == std::string_view::npos; }

}  // namespace

std::optional<TraceParent> ParseTraceParent(std::string_view text) {
  // version(2)-trace id(32)-span id(16)-flags(2)
  constexpr std::size_t kLength = 55;
  if (text.size() < kLength || text[2] != '-' || text[35] != '-' || text[52] != '-') return std::nullopt;
  const std::string_view version = text.substr(0, 2), trace = text.substr(3, 32), span = text.substr(36, 16),
                         flags = text.substr(53, 2);
  if (!IsLowerHex(version) || !IsLowerHex(trace) || !IsLowerHex(span) || !IsLowerHex(flags)) return std::nullopt;
  if (version == "ff" || IsZero(trace) || IsZero(span)) return std::nullopt;
  if (text.size() > kLength && (version == "00" || text[kLength] != '-')) return std::nullopt;
  const bool sampled = std::string_view("13579bdf").find(flags[1]) != std::string_view::npos;
  return TraceParent{std::string(trace), std::string(span), sampled};
}

std::string FormatTraceParent(std::string_view trace_id, std::string_view span_id) {
  std::string text = "00-";
  text.append(trace_id).append("-").append(span_id).append("-01");
  return text;
}

}  // namespace awf
