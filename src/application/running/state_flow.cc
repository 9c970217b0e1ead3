#include "application/running/state_flow.h"

#include <utility>

#include "application/language/expression.h"

namespace awf {
namespace {

std::string ClassOf(const std::string& code) { return code.substr(0, code.find('.')); }

// on_failure: {message, status}.
Route InlineRoute(const State& state, const InlineFailure& failure, const StepEnd& end, Scope scope,
                  const RunContext& run) {
  const Error& error = *end.error;
  scope.Set("error", {{"Message", error.message},
                      {"State", state.name},
                      {"ExitCode", end.exit_code},
                      {"Type", ClassOf(error.code)},
                      {"Code", error.code}});
  const auto message = run.Renderer(scope).Text(state, failure.message, "on_failure.message");
  RunEnding ending;
  ending.exit_code = failure.status;
  if (message) {
    ending.message = *message;
    ending.error = {"EXECUTION.WORKFLOW.FAILED", *message, {}, failure.position, state.name, "on_failure"};
  } else {
    ending.error = message.error();
  }
  return {{}, std::move(ending), {}};
}

}  // namespace

bool IsRoutable(const StepEnd& end) {
  return end.status != StepStatus::kCancelled && !(end.error && end.error->code.starts_with("SYSTEM."));
}

std::expected<bool, Error> Holds(const State& state, const TemplateText& condition, const std::string& key,
                                 const std::string& field, const Scope& scope) {
  const auto holds = TestExpressionText(condition.text, scope);
  if (holds) return *holds;
  const TemplateFault& fault = holds.error();
  return std::unexpected(Error{"EXECUTION.EXPRESSION.FAILED",
                               "'" + key + ": " + condition.text + "' failed: " + fault.message, fault.hint,
                               condition.At(fault.offset), state.name, field});
}

std::expected<std::string, Error> ChosenTransition(const State& state, const Scope& scope) {
  for (const Transition& transition : state.transitions) {
    if (transition.when.empty()) return transition.target.state;
    const auto holds = Holds(state, transition.when, "when", "transitions", scope);
    if (!holds) return std::unexpected(holds.error());
    if (*holds) return transition.target.state;
  }
  return std::string();
}

Route RouteWithoutTransition(const State& state, const StepEnd& end, const Place& place, const Scope& scope,
                             const RunContext& run) {
  if (end.status == StepStatus::kSuccess || state.continue_on_error) {
    if (state.on_success) return {state.on_success->state, {}, {}};
    if (place.flow == Flow::kBody) return {place.following, {}, {}};
    if (end.status == StepStatus::kSuccess) {
      return {
          {},
          {},
          Error{"EXECUTION.WORKFLOW.FAILED",
                "state '" + state.name + "' succeeded, but none of its transitions applies and it has no on_success",
                "add on_success, or a last transition without when",
                state.position,
                state.name,
                {}}};
    }
  }
  if (!state.on_failure) return {};
  if (const auto* target = std::get_if<StateTarget>(&*state.on_failure)) return {target->state, {}, {}};
  return InlineRoute(state, std::get<InlineFailure>(*state.on_failure), end, scope, run);
}

}  // namespace awf
