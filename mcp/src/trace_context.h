// W3C trace context as it comes in the meta data of a request. Free functions without state.
#pragma once

#include <string_view>

namespace mcp {

bool IsTraceparent(std::string_view text);
// Whether text can be a tracestate or baggage value: printable ASCII of bearable length.
bool IsTraceHeader(std::string_view text);

}  // namespace mcp
