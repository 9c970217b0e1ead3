#include "application/running/result_fields.h"

#include "application/language/duration.h"
#include "domain/utf8.h"

namespace awf {
namespace {

json::string Stored(const std::string& text) { return json::string(IsValidUtf8(text) ? text : RepairUtf8(text)); }

}  // namespace

json::object FieldsOf(StepKind kind, const StepResult& result) {
  const StepEnd& end = result.end;
  json::object fields;
  fields["Output"] = Stored(result.output);
  fields["Stderr"] = Stored(result.error_output);
  fields["ExitCode"] = end.exit_code;
  fields["Status"] = json::string_view(ToString(end.status));
  fields["Error"] = end.error ? Stored(end.error->message) : json::string();
  fields["ErrorCode"] = end.error ? end.error->code : std::string();
  fields["Duration"] = FormatDuration(end.duration);
  fields["Attempts"] = end.attempts;
  if (kind == StepKind::kAgent) {
    fields["TokensInput"] = end.usage.input;
    fields["TokensOutput"] = end.usage.output;
    fields["TokensUsed"] = end.usage.total;
    fields["TokensEstimated"] = end.usage.estimated;
  }
  if (result.response) fields["Response"] = *result.response;
  if (result.json) fields["JSON"] = *result.json;
  return fields;
}

json::object SkippedFields(const std::string& reason) {
  StepResult result;
  result.end.status = StepStatus::kCancelled;
  result.end.exit_code = 1;
  result.end.attempts = 0;
  result.end.error = Error{"EXECUTION.RUN.CANCELLED", reason, {}, {}, {}, {}};
  return FieldsOf(StepKind::kCommand, result);
}

}  // namespace awf
