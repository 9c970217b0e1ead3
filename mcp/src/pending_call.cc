#include "pending_call.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include "json_text.h"
#include "message.h"
#include "trace_context.h"

namespace mcp {
namespace {

constexpr std::chrono::milliseconds kProgressInterval{100};  // at most ten a second

std::string StringMember(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return {};
  return std::string(std::string_view(value->get_string()));
}

std::string TokenText(const json::object& meta) {
  const json::value* token = meta.if_contains("progressToken");
  if (token == nullptr || !(token->is_string() || token->is_int64() || token->is_uint64())) return {};
  return json::serialize(*token);
}

std::string NumberText(double value) {
  std::string text;
  AppendJson(text, std::abs(value) < 1e15 && value == std::trunc(value) ? json::value(static_cast<std::int64_t>(value))
                                                                        : json::value(value));
  return text;
}

}  // namespace

CallMeta CallMeta::From(const json::object& meta) {
  CallMeta fields;
  fields.client_call_id = StringMember(meta, "claudecode/toolUseId");
  if (fields.client_call_id.empty()) fields.client_call_id = StringMember(meta, "callId");
  fields.progress_token = TokenText(meta);
  fields.traceparent = StringMember(meta, "traceparent");
  if (!IsTraceparent(fields.traceparent)) fields.traceparent.clear();
  fields.tracestate = StringMember(meta, "tracestate");
  if (fields.traceparent.empty() || !IsTraceHeader(fields.tracestate)) fields.tracestate.clear();
  fields.baggage = StringMember(meta, "baggage");
  if (!IsTraceHeader(fields.baggage)) fields.baggage.clear();
  return fields;
}

PendingCall::PendingCall(Id id, std::string tool, json::object arguments, json::object meta, bool modern)
    : id_(std::move(id)),
      tool_(std::move(tool)),
      arguments_(std::move(arguments)),
      meta_(std::move(meta)),
      fields_(CallMeta::From(meta_)),
      modern_(modern) {}

bool PendingCall::Progress(double done, std::optional<double> total, std::string_view message) {
  if (fields_.progress_token.empty() || !std::isfinite(done)) return false;
  const std::lock_guard lock(progress_mutex_);
  if (progress_closed_ || !emit_ || stop_.stop_requested()) return false;
  const auto now = Clock::now();
  if (last_done_ && (done <= *last_done_ || now - last_time_ < kProgressInterval)) return false;
  last_done_ = done;
  last_time_ = now;
  std::string params = R"({"progressToken":)" + fields_.progress_token + R"(,"progress":)" + NumberText(done);
  if (total && std::isfinite(*total)) params.append(R"(,"total":)").append(NumberText(*total));
  if (!message.empty()) AppendMember(params.append(","), "message", message);
  emit_(NotificationLine("notifications/progress", params.append("}")));
  return true;
}

void PendingCall::CloseProgress() {
  const std::lock_guard lock(progress_mutex_);
  progress_closed_ = true;
}

}  // namespace mcp
