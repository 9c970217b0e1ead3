#include "domain/trace_context.h"

#include <algorithm>
#include <set>

#include "domain/trimmed.h"

namespace awf {
namespace {

bool IsLowerHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool IsZero(std::string_view text) { return text.find_first_not_of('0') == std::string_view::npos; }

bool IsLowerLetter(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A key of tracestate, or one side of the `@` in it.
bool IsStateName(std::string_view name, std::size_t longest, bool may_begin_with_digit) {
  if (name.empty() || name.size() > longest) return false;
  if (!IsLowerLetter(name[0]) && !(may_begin_with_digit && IsDigit(name[0]))) return false;
  return std::ranges::all_of(
      name, [](char c) { return IsLowerLetter(c) || IsDigit(c) || c == '_' || c == '-' || c == '*' || c == '/'; });
}

bool IsStateKey(std::string_view key) {
  constexpr std::size_t kLongestKey = 256, kLongestTenant = 241, kLongestSystem = 14;
  const std::size_t at = key.find('@');
  if (at == std::string_view::npos) return IsStateName(key, kLongestKey, false);
  return IsStateName(key.substr(0, at), kLongestTenant, true) && IsStateName(key.substr(at + 1), kLongestSystem, false);
}

// Blanks around it are trimmed already.
bool IsStateValue(std::string_view value) {
  constexpr std::size_t kLongestValue = 256;
  return !value.empty() && value.size() <= kLongestValue &&
         std::ranges::all_of(value, [](char c) { return c >= 0x20 && c <= 0x7E && c != '='; });
}

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

std::string FormatTraceParent(std::string_view trace_id, std::string_view span_id, bool sampled) {
  std::string text = "00-";
  text.append(trace_id).append("-").append(span_id).append(sampled ? "-01" : "-00");
  return text;
}

bool IsTraceState(std::string_view text) {
  constexpr std::size_t kLongest = 512, kMostMembers = 32;
  if (text.size() > kLongest) return false;
  std::set<std::string_view> keys;
  while (!text.empty()) {
    const std::string_view member = Trimmed(text.substr(0, text.find(',')), " \t");
    text.remove_prefix(std::min(text.find(','), text.size() - 1) + 1);
    if (member.empty()) continue;  // allowed, means nothing
    const std::size_t equals = member.find('=');
    if (equals == std::string_view::npos || !IsStateKey(member.substr(0, equals))) return false;
    if (!IsStateValue(member.substr(equals + 1)) || !keys.insert(member.substr(0, equals)).second) return false;
  }
  return !keys.empty() && keys.size() <= kMostMembers;
}

std::string AcceptedTraceState(std::string_view traceparent, std::string_view tracestate) {
  return IsTraceState(tracestate) && ParseTraceParent(traceparent) ? std::string(tracestate) : std::string();
}

std::vector<std::pair<std::string, std::string>> TraceVariables(const Tracing& tracing, std::string_view trace_id,
                                                                std::string_view span_id) {
  std::vector<std::pair<std::string, std::string>> variables;
  if (!tracing.spans) return variables;
  variables.emplace_back(kTraceParentVariable, FormatTraceParent(trace_id, span_id, tracing.sampled));
  if (!tracing.trace_state.empty()) variables.emplace_back(kTraceStateVariable, tracing.trace_state);
  return variables;
}

}  // namespace awf
