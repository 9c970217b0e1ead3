// LoopRunner: one attempt of a for_each state: its items, pass by pass through the body. Stateless; thread-safe.
//
// A loop that is left by a transition has succeeded, and the pass in which that happened counts; a terminal state among
// the body's is a way out too. A pass may enter at most 10 000 states. What a loop keeps over its passes is what its
// Response needs; the results of body states are those of the last pass.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>

#include "application/running/place.h"
#include "application/running/run_context.h"
#include "application/running/state_worker.h"
#include "domain/workflow.h"

namespace awf {

class LoopRunner {
 public:
  LoopRunner(const RunContext& run, StateWorker& worker) : run_(run), worker_(worker) {}

  // `bounds`: the place of the loop with the deadline of this attempt.
  Attempt Run(const State& state, const ForEachState& loop, const StepContext& context, const Place& bounds);

 private:
  struct Loop {
    const State& state;
    const ForEachState& each;
    const StepContext& context;
    const Place& bounds;
  };
  // A pass, or what is left of it when the run is taken up there.
  struct Pass {
    const Loop& loop;
    Place place;         // of the body states
    std::size_t number;  // from 0
    std::string cursor;  // the body state to begin with; empty: the first
    std::string last;    // the body state that ended last; empty: none
    bool taken_up;
  };

  std::expected<void, Error> Begin(const State& state, const ForEachState& loop, const StepContext& context,
                                   const Place& bounds);
  // `left`: the result of the pass in which the loop was left.
  Attempt Passes(const Loop& loop, std::optional<json::value>& left);
  Attempt Body(Pass& pass);
  Attempt Stopped(const Pass& pass, const StateOutcome& outcome) const;
  std::expected<bool, Error> Breaks(const Pass& pass) const;
  json::value ResultOf(const std::string& body_state) const;

  const RunContext& run_;
  StateWorker& worker_;
};

}  // namespace awf
