// The event that a call over RPC is on the span of its tool call or step.
#pragma once

#include <string>

#include "domain/record_sinks.h"
#include "domain/tool.h"

namespace awf {

// "OK", "DEADLINE_EXCEEDED"; a number that gRPC does not have as it is.
std::string RpcStatusName(int status);

// At the time when the RPC began, within the span: its clock and that of the process that ran the RPC are not one.
SpanEvent RpcEvent(const RpcRecord& rpc, const SpanRecord& span);

}  // namespace awf
