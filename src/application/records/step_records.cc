#include "application/records/step_records.h"

namespace awf {

json::object StepStartAudit(const StepContext& step, const StepStart& start) {
  json::object fields{{"step", step.step}, {"kind", ToString(step.kind)}, {"attempt", step.attempt}};
  if (step.loop_index) fields["loop"] = *step.loop_index;
  if (!step.branch.empty()) fields["branch"] = step.branch;
  if (!start.operation.empty()) fields["operation"] = start.operation;
  if (step.kind != StepKind::kAgent) return fields;
  fields["provider"] = start.provider;
  fields["provider_version"] = start.provider_version;
  fields["model"] = start.model;
  fields["intercept"] = start.intercept;
  fields["sandbox"] = start.sandbox;
  return fields;
}

json::object StepEndAudit(const StepContext& step, const StepEnd& end, const StepNotes& notes) {
  json::object fields{
      {"step", step.step}, {"attempt", end.attempts}, {"status", ToString(end.status)}, {"exit_code", end.exit_code}};
  if (end.error) {
    fields["code"] = end.error->code;
    fields["error"] = end.error->message;
  }
  fields["duration_ms"] = end.duration.count();
  fields["tool_calls"] = notes.tool_calls;
  fields["bypasses"] = notes.bypasses;
  if (end.changed_outside_proxy) {
    constexpr std::size_t kNames = 20;
    json::array names;
    for (const std::string& name : *end.changed_outside_proxy) {
      if (names.size() < kNames) names.emplace_back(name);
    }
    fields["changed_outside_proxy"] = end.changed_outside_proxy->size();
    if (!names.empty()) fields["changed_files"] = std::move(names);
  }
  if (end.unattributed) fields["unattributed"] = *end.unattributed;
  fields["tokens_input"] = end.usage.input;
  fields["tokens_output"] = end.usage.output;
  fields["estimated"] = end.usage.estimated;
  return fields;
}

json::object StepStartFields(const StepContext& step, const StepStart& start) {
  json::object fields{{"type", ToString(step.kind)}};
  if (!start.operation.empty()) fields["operation"] = start.operation;
  if (step.kind != StepKind::kAgent) return fields;
  fields["provider"] = start.provider;
  if (!start.model.empty()) fields["model"] = start.model;
  return fields;
}

void FillStepEndLog(LogRecord& record, const StepContext& step, const StepEnd& end) {
  record.attempt = end.attempts;
  record.fields = {
      {"type", ToString(step.kind)}, {"status", ToString(end.status)}, {"duration_ms", end.duration.count()}};
  if (step.kind == StepKind::kAgent) {
    record.fields["tokens_input"] = end.usage.input;
    record.fields["tokens_output"] = end.usage.output;
  }
  if (step.kind != StepKind::kTerminal) record.fields["exit_code"] = end.exit_code;
  if (step.kind == StepKind::kAgent) {
    if (end.isolation) record.fields["isolation"] = ToString(*end.isolation);
    if (!end.sandbox.empty()) record.fields["sandbox"] = end.sandbox;
  }
  if (end.error) {
    record.fields["code"] = end.error->code;
    record.error = end.error->message;
  }
}

}  // namespace awf
