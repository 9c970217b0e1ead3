#include "application/running/operation_runner.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "application/operations/exposed_names.h"
#include "application/operations/operation_inputs.h"
#include "domain/trace_context.h"
#include "domain/utf8.h"

namespace awf {
namespace {

constexpr const char* kFailed = "EXECUTION.OPERATION.FAILED";
// Never retried: no further attempt would change what the step says.
constexpr const char* kRefused = "USER.INPUT.VALIDATION_FAILED";
constexpr const char* kTimeout = "EXECUTION.OPERATION.TIMEOUT";

std::string NameOf(const OperationState& operation) { return operation.plugin + "." + operation.operation; }

Error ErrorAt(const State& state, const OperationState& operation, std::string code, std::string message,
              std::string field) {
  return {std::move(code), std::move(message), {}, operation.position, state.name, std::move(field)};
}

Error Unknown(const State& state, const OperationState& step, const std::vector<Operation>& operations) {
  Error error = UnknownOperation(step.plugin, step.operation, operations);
  error.position = step.position;
  error.step = state.name;
  error.field = "operation";
  return error;
}

// Whether a JSON value is one of that declared type.
bool Fits(const json::value& value, std::string_view type) {
  if (type == "integer" || type == "int" || type == "int64") return value.is_int64() || value.is_uint64();
  if (type == "number" || type == "float" || type == "double") return value.is_number();
  if (type == "boolean" || type == "bool") return value.is_bool();
  if (type == "array") return value.is_array();
  return type == "object" && value.is_object();
}

// The output of a command is text, also where it is a number: rendered text that reads as a value of the declared type
// stands for it. A number that the file gives for a string is taken as it is spelt there.
void Fit(const Operation& declared, const OperationState& step, json::object& inputs) {
  for (const OperationInput& input : declared.inputs) {
    json::value* value = inputs.if_contains(input.name);
    if (value == nullptr) continue;
    if (input.type == "string") {
      const auto source = step.input_sources.find(input.name);
      if (!value->is_string() && !value->is_null() && source != step.input_sources.end()) *value = source->second;
    } else if (value->is_string() && step.input_templates.contains(input.name)) {
      boost::system::error_code fault;
      json::value parsed = json::parse(value->get_string(), fault);
      if (!fault && Fits(parsed, input.type)) *value = std::move(parsed);
    }
  }
}

// State files hold valid UTF-8 only.
void Repair(json::value& value) {
  if (json::string* text = value.if_string()) {
    if (!IsValidUtf8(*text)) *text = RepairUtf8(*text);
  } else if (json::array* list = value.if_array()) {
    std::ranges::for_each(*list, Repair);
  } else if (json::object* map = value.if_object()) {
    for (auto& [key, item] : *map) Repair(item);
  }
}

Attempt AttemptOf(OperationResult answer, const State& state, const OperationState& step, const Place& bounds) {
  using Ending = OperationResult::Ending;
  Attempt attempt;
  if (answer.ending == Ending::kCancelled) {
    attempt = CancelledAttempt(bounds);
  } else if (answer.ending == Ending::kTimeout) {
    attempt = FailedAttempt(ErrorAt(state, step, kTimeout, std::move(answer.error), "timeout"), StepStatus::kTimeout);
  } else if (answer.ending == Ending::kFailed || !answer.success || !answer.error.empty()) {
    std::string why = answer.error.empty() ? answer.output : std::move(answer.error);
    if (why.empty()) why = NameOf(step) + " failed without saying why";
    attempt = FailedAttempt(ErrorAt(state, step, kFailed, std::move(why), {}));
  }
  StepResult& result = attempt.result;
  result.output = std::move(answer.output);
  if (result.output.ends_with('\n')) result.output.pop_back();
  json::value data(std::move(answer.data));
  Repair(data);
  result.response = std::move(data);
  result.end.rpc = std::move(answer.rpc);
  return attempt;
}

}  // namespace

std::expected<std::shared_ptr<OperationProvider>, Error> OperationRunner::Provider(const State& state,
                                                                                   const OperationState& operation,
                                                                                   const StepContext& context,
                                                                                   const Place& bounds) const {
  if (run_.ports.operations == nullptr) {
    return std::unexpected(
        ErrorAt(state, operation, "SYSTEM.INTERNAL.UNMAPPED", "the run has no access to operations", "operation"));
  }
  auto started = run_.ports.operations->Start({&operation.plugin, 1}, context, bounds.deadline, bounds.cancelled);
  if (started) return std::move(started->front());
  Error error = std::move(started.error());
  if (error.position.file.empty()) error.position = operation.position;
  if (error.field.empty()) error.field = "operation";
  return std::unexpected(std::move(error));
}

Attempt OperationRunner::Run(const State& state, const OperationState& operation, const StepContext& context,
                             const StepRenderer& renderer, const Place& bounds, SteadyClock::time_point begun) const {
  auto inputs = renderer.Inputs(state, operation);
  if (!inputs) return FailedAttempt(std::move(inputs.error()));
  const auto provider = Provider(state, operation, context, bounds);
  if (!provider) {
    if (bounds.cancelled.stop_requested()) return CancelledAttempt(bounds);
    if (!Passed(bounds.deadline)) return FailedAttempt(provider.error());
    return FailedAttempt(ErrorAt(state, operation, kTimeout, provider.error().message, "timeout"),
                         StepStatus::kTimeout);
  }
  const std::vector<Operation>& operations = (*provider)->Operations();
  const auto declared = std::ranges::find(operations, operation.operation, &Operation::name);
  if (declared == operations.end()) return FailedAttempt(Unknown(state, operation, operations));
  Fit(*declared, operation, *inputs);
  if (const auto checked = CheckOperationInputs(*declared, *inputs); !checked) {
    return FailedAttempt(ErrorAt(state, operation, kRefused, NameOf(operation) + ": " + checked.error(), "inputs"));
  }
  OperationCall call{context.span_id,          operation.operation,    *inputs, bounds.deadline, bounds.cancelled,
                     run_.request.traceparent, run_.request.tracestate};
  const Tracing& tracing = run_.request.tracing;
  if (tracing.spans) {
    call.traceparent = FormatTraceParent(context.trace_id, context.span_id, tracing.sampled);
    call.tracestate = tracing.trace_state;
  }
  const auto before = std::chrono::duration_cast<std::chrono::microseconds>(SteadyClock::now() - begun);
  OperationResult answer = (*provider)->Execute(call);
  if (answer.rpc) answer.rpc->begin += before;
  return AttemptOf(std::move(answer), state, operation, bounds);
}

}  // namespace awf
