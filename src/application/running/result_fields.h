// The fields of `states.NAME`: what templates and expressions see of a state that has ended.
#pragma once

#include "domain/json.h"
#include "domain/run_observer.h"

namespace awf {

// Error and ErrorCode are empty after a success; Response and JSON are there only when the result has them, the tokens
// only for agents. Text is made valid UTF-8, so that it can be stored.
json::object FieldsOf(StepKind kind, const StepResult& result);

// Of a branch that was cancelled before it was entered.
json::object SkippedFields(const std::string& reason);

}  // namespace awf
