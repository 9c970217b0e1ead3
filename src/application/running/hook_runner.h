// HookRunner: what a state wants logged or run before its first attempt and after its last.
//
// Hooks run in order, a command for at most 60 s each and in the state's folder. What a command prints is dropped: it
// is no result of the state. A hook that fails costs a warning ("hook"), nothing else. Stateless; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "application/language/scope.h"
#include "application/running/place.h"
#include "application/running/run_context.h"
#include "domain/run_observer.h"
#include "domain/workflow.h"

namespace awf {

class HookRunner {
 public:
  explicit HookRunner(const RunContext& run) : run_(run) {}

  // `when` is "pre" or "post". None is begun once the place is cancelled.
  void Run(const std::vector<Hook>& hooks, const std::string& when, const State& state, const StepContext& context,
           const Place& place, const Scope& scope) const;

 private:
  const RunContext& run_;
};

}  // namespace awf
