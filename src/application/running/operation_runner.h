// OperationRunner: one attempt of an operation step: the plugin started, unless it runs, the inputs rendered and
// checked, the operation executed. Stateless; thread-safe.
//
// What the operation answered is kept whether it succeeded or not: `Output` and `Response`.
#pragma once

#include <expected>
#include <memory>

#include "application/running/place.h"
#include "application/running/run_context.h"
#include "application/running/state_worker.h"
#include "domain/operation.h"
#include "domain/time.h"
#include "domain/workflow.h"

namespace awf {

class OperationRunner {
 public:
  explicit OperationRunner(const RunContext& run) : run_(run) {}

  // `bounds`: the place of the state with the deadline of this attempt. `begun`: when the state was entered.
  Attempt Run(const State& state, const OperationState& operation, const StepContext& context,
              const StepRenderer& renderer, const Place& bounds, SteadyClock::time_point begun) const;

 private:
  std::expected<std::shared_ptr<OperationProvider>, Error> Provider(const State& state, const OperationState& operation,
                                                                    const StepContext& context,
                                                                    const Place& bounds) const;

  const RunContext& run_;
};

}  // namespace awf
