#include "trace_context.h"

#include <algorithm>
#include <cstddef>

namespace mcp {
namespace {

constexpr std::size_t kMaxHeader = 8192;  // the limit of W3C baggage

bool IsLowerHex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool IsZero(std::string_view text) { return text.find_first_not_of('0') == std::string_view::npos; }

}  // namespace

// version-trace_id-parent_id-flags; versions after 00 may go on after another dash.
bool IsTraceparent(std::string_view text) {
  constexpr std::size_t kLength = 55;
  if (text.size() < kLength || text.size() > kMaxHeader) return false;
  const std::string_view version = text.substr(0, 2), trace = text.substr(3, 32), parent = text.substr(36, 16);
  if (text[2] != '-' || text[35] != '-' || text[52] != '-') return false;
  if (!IsLowerHex(version) || !IsLowerHex(trace) || !IsLowerHex(parent) || !IsLowerHex(text.substr(53, 2)))
    return false;
  if (version == "ff" || IsZero(trace) || IsZero(parent)) return false;
  if (text.size() == kLength) return true;
  return version != "00" && text[kLength] == '-' && IsTraceHeader(text);
}

bool IsTraceHeader(std::string_view text) {
  return !text.empty() && text.size() <= kMaxHeader &&
         std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

}  // namespace mcp
