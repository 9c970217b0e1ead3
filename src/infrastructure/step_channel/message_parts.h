// Members that several messages of the step channel have in common.
#pragma once

#include <optional>
#include <string_view>

#include "domain/json.h"
#include "domain/tool.h"
#include "domain/utf8.h"
#include "infrastructure/step_channel/json_line.h"

namespace awf::channel {

// Durations in microseconds that still fit as nanoseconds.
inline constexpr std::int64_t kLongestMicroseconds = 9'000'000'000'000'000;

inline void PutText(json::object& object, std::string_view key, std::string_view text) {
  object[key] = RepairUtf8(text);
}

inline void PutTextIfAny(json::object& object, std::string_view key, std::string_view text) {
  if (!text.empty()) PutText(object, key, text);
}

// "rpc_service", "rpc_method", …: all of them, or none.
inline void PutRpc(json::object& object, const std::optional<RpcRecord>& rpc) {
  if (!rpc) return;
  PutText(object, "rpc_service", rpc->service);
  PutText(object, "rpc_method", rpc->method);
  object["rpc_status"] = rpc->status;
  object["rpc_begin_us"] = rpc->begin.count();
  object["rpc_duration_us"] = rpc->duration.count();
}

inline std::optional<RpcRecord> ReadRpc(Fields& fields) {
  if (!fields.Has("rpc_method")) return std::nullopt;
  RpcRecord rpc;
  rpc.service = fields.Text("rpc_service");
  rpc.method = fields.Text("rpc_method");
  rpc.status = static_cast<int>(fields.Number("rpc_status", INT32_MIN, INT32_MAX));
  rpc.begin = std::chrono::microseconds(fields.Number("rpc_begin_us", 0, kLongestMicroseconds));
  rpc.duration = std::chrono::microseconds(fields.Number("rpc_duration_us", 0, kLongestMicroseconds));
  return rpc;
}

}  // namespace awf::channel
