// ParallelRunner: one attempt of a parallel state. Stateless; thread-safe.
//
// Branches run on threads: as many as may run at once, the caller's among them. The strategy tells when the others are
// no longer needed; they are cancelled then and end as such, those that have ended keep their whole results. Branches
// that were never begun have only a status. A branch that fails with SYSTEM.* fails the state whatever the strategy.
#pragma once

#include "application/running/branch_group.h"
#include "application/running/place.h"
#include "application/running/run_context.h"
#include "application/running/state_worker.h"
#include "domain/workflow.h"

namespace awf {

class ParallelRunner {
 public:
  ParallelRunner(const RunContext& run, StateWorker& worker) : run_(run), worker_(worker) {}

  // `bounds`: the place of the state with the deadline of this attempt.
  Attempt Run(const State& state, const ParallelState& parallel, const StepContext& context, const Place& bounds);

 private:
  void RunBranches(BranchGroup& group, const ParallelState& parallel, const StepContext& context, const Place& bounds);
  void RecordUnbegun(BranchGroup& group, const StepContext& context, const Place& bounds);

  const RunContext& run_;
  StateWorker& worker_;
};

}  // namespace awf
