// What log and audit say of a step that starts or ends. Pure functions; the span of a step is in span_builder.h.
#pragma once

#include "application/records/span_builder.h"
#include "domain/json.h"
#include "domain/record_sinks.h"
#include "domain/run_observer.h"

namespace awf {

// The fields of `step.started` and of `step.completed`.
json::object StepStartAudit(const StepContext& step, const StepStart& start);
json::object StepEndAudit(const StepContext& step, const StepEnd& end, const StepNotes& notes);

// The fields of the log lines; the last one takes the end's attempt and error over too.
json::object StepStartFields(const StepContext& step, const StepStart& start);
void FillStepEndLog(LogRecord& record, const StepContext& step, const StepEnd& end);

}  // namespace awf
