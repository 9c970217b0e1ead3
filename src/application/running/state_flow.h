// StateFlow: what follows a state that has ended: its transitions, else on_success or on_failure, else the order of the
// loop's body. Pure but for the scope; thread-safe.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "application/language/scope.h"
#include "application/running/place.h"
#include "application/running/run_context.h"
#include "domain/error.h"
#include "domain/run_observer.h"
#include "domain/workflow.h"

namespace awf {

// The run is over, whatever flows it stands in: an inline on_failure.
struct RunEnding {
  Error error;
  int exit_code = 1;
  std::string message;
};

struct Route {
  std::string next;  // the state that follows; empty: nothing does, the flow stops
  std::optional<RunEnding> ending;
  std::optional<Error> dead_end;  // a success with nothing to follow: a defect of the workflow's checks
};

// Cancellation, SYSTEM.* and what no workflow may catch are not routable.
bool IsRoutable(const StepEnd& end);

// Whether a condition of the state, the value of `key`, is true. EXECUTION.EXPRESSION.FAILED, in `field`, when that
// cannot be told.
std::expected<bool, Error> Holds(const State& state, const TemplateText& condition, const std::string& key,
                                 const std::string& field, const Scope& scope);

// The target of the first transition whose `when` is true; empty: none. EXECUTION.EXPRESSION.FAILED when one of them
// cannot be told. `scope` holds the state's own results.
std::expected<std::string, Error> ChosenTransition(const State& state, const Scope& scope);

// When no transition was chosen.
Route RouteWithoutTransition(const State& state, const StepEnd& end, const Place& place, const Scope& scope,
                             const RunContext& run);

}  // namespace awf
