// What log and audit say of a tool call that has ended. Pure functions; the span of a call is in span_builder.h.
#pragma once

#include <string>

#include "domain/json.h"
#include "domain/record_sinks.h"
#include "domain/run_observer.h"

namespace awf {

// What the records say of the call's failure: its own words, else those of its outcome; empty for kOk.
std::string CallErrorText(const CallEnd& end);

LogLevel CallLevel(CallOutcome outcome);

// The fields of `tool.call`; `error` is CallErrorText's. `args_sha256`: of the arguments, where content is captured.
json::object CallAudit(const StepContext& step, const CallRecord& call, const CallEnd& end, const std::string& error,
                       const std::string& args_sha256);

// Completes the log line of the call, which bears the ids of its step.
void FillCallLog(LogRecord& record, const CallRecord& call, const CallEnd& end, const std::string& error);

}  // namespace awf
