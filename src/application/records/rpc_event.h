// The event that a call over RPC is on the span of its tool call or step.
#pragma once

#include <string>

#include "domain/record_sinks.h"
#include "domain/tool.h"

namespace awf {

// "OK", "DEADLINE_EXCEEDED"; a number that gRPC does not have as it is.
std::string RpcStatusName(int status);

// At the time when the RPC began; `start` is the span's.
SpanEvent RpcEvent(const RpcRecord& rpc, WallClock::time_point start);

}  // namespace awf
