// StateWorker: one entered state from its start to its end: pre hooks, attempts until success or the last one, post
// hooks, what follows, the journal, and the telling of all that. Loops and parallel states enter what they hold through
// it again. One per run; thread-safe: branches use it at the same time. No exception leaves it.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "application/running/agent_sessions.h"
#include "application/running/place.h"
#include "application/running/run_context.h"
#include "application/running/state_flow.h"
#include "domain/error.h"
#include "domain/json.h"
#include "domain/run_observer.h"
#include "domain/workflow.h"

namespace awf {

// What an entered state came to, for the flow that it stands in.
struct StateOutcome {
  StepStatus status = StepStatus::kFailure;
  std::optional<Error> error;  // unless it succeeded
  std::string message;         // of a terminal state
  Route route;
};

// What one attempt came to.
struct Attempt {
  StepResult result;
  std::string leave;                // of a loop: a body state led out of it, to this state
  std::optional<RunEnding> ending;  // a state within ended the run
};

class StateWorker {
 public:
  explicit StateWorker(const RunContext& run) : run_(run) {}

  StateOutcome Enter(const State& state, const Place& place);

 private:
  struct Work;
  StateOutcome EnterTerminal(const State& state, const TerminalState& terminal, const StepContext& context,
                             const Place& place);
  StateOutcome EnterWorking(const State& state, StepContext& context, const Place& place);
  void RunAttempts(Work& work);
  Attempt OneAttempt(Work& work);
  Attempt AttemptBody(Work& work, const Scope& scope, const Place& bounds);
  std::expected<Place, Error> BoundsOf(Work& work, const Scope& scope);
  bool PreparesAnother(Work& work);
  StateOutcome Finish(Work& work);
  Route RouteOf(Work& work, Scope& scope);

  const RunContext& run_;
  SessionsInUse sessions_;
};

StepKind KindOf(const State& state);

Attempt FailedAttempt(Error error, StepStatus status = StepStatus::kFailure);
// Because the run was, or what is around the place.
Attempt CancelledAttempt(const Place& place);
// A loop or parallel state ran out of time.
Attempt TimedOutAttempt(const State& state);

}  // namespace awf
