#include "application/records/call_records.h"

#include <chrono>

namespace awf {

std::string CallErrorText(const CallEnd& end) {
  if (!end.error.empty() || end.outcome == CallOutcome::kOk) return end.error;
  switch (end.outcome) {
    case CallOutcome::kLost:
      return "proxy lost: no result before the server ended";
    case CallOutcome::kTimeout:
      return "timeout";
    case CallOutcome::kCancelled:
      return "cancelled";
    case CallOutcome::kDenied:
      return "denied";
    default:
      return "failed";
  }
}

LogLevel CallLevel(CallOutcome outcome) {
  switch (outcome) {
    case CallOutcome::kOk:
      return LogLevel::kInfo;
    case CallOutcome::kCancelled:
    case CallOutcome::kDenied:
      return LogLevel::kWarn;
    default:
      return LogLevel::kError;
  }
}

json::object CallAudit(const StepContext& step, const CallRecord& call, const CallEnd& end, const std::string& error,
                       const std::string& args_sha256) {
  json::object fields{{"step", step.step}, {"attempt", step.attempt}, {"call", call.call}};
  if (!call.client_call_id.empty()) fields["client_call_id"] = call.client_call_id;
  fields["tool"] = call.tool;
  fields["source"] = call.source;
  fields["outcome"] = ToString(end.outcome);
  if (!error.empty()) fields["error"] = error;
  fields["duration_us"] = end.duration.count();
  fields["bytes_in"] = call.bytes_in;
  fields["bytes_out"] = end.bytes_out;
  if (end.exit_code) fields["exit_code"] = *end.exit_code;
  if (!args_sha256.empty()) fields["args_sha256"] = args_sha256;
  return fields;
}

void FillCallLog(LogRecord& record, const CallRecord& call, const CallEnd& end, const std::string& error) {
  record.whole_seconds = true;
  record.span_id = call.call;
  record.error = error;
  record.fields = {{"tool", call.tool},
                   {"source", call.source},
                   {"duration_ms", std::chrono::round<std::chrono::milliseconds>(end.duration).count()}};
  if (end.exit_code) record.fields["exit_code"] = *end.exit_code;
  record.fields["call"] = call.call;
  if (!call.client_call_id.empty()) record.fields["client_call_id"] = call.client_call_id;
  if (!end.denied.empty()) record.fields["denied"] = end.denied;
}

}  // namespace awf
