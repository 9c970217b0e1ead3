#include "application/records/rpc_event.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "application/records/span_names.h"

namespace awf {

std::string RpcStatusName(int status) {
  static constexpr std::array kNames = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  const auto index = static_cast<std::size_t>(status);
  return status >= 0 && index < kNames.size() ? kNames[index] : std::to_string(status);
}

SpanEvent RpcEvent(const RpcRecord& rpc, const SpanRecord& span) {
  const auto begin = span.start + std::chrono::duration_cast<WallClock::duration>(rpc.begin);
  SpanEvent event{span_names::kRpcEvent, std::min(begin, span.end), {}};
  event.attributes = {{span_names::kRpcSystem, span_names::kRpcSystemGrpc},
                      {span_names::kRpcMethod, rpc.service + "/" + rpc.method},
                      {span_names::kRpcStatus, RpcStatusName(rpc.status)},
                      {"duration_us", std::int64_t{rpc.duration.count()}}};
  return event;
}

}  // namespace awf
