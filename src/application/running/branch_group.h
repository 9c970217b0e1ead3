// BranchGroup: the branches of a parallel state while they run: which one is next, how each ended, and whether the rest
// is still needed. Thread-safe, but for what is said to be for the time after all have ended.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "application/running/state_worker.h"
#include "domain/workflow.h"

namespace awf {

class BranchGroup {
 public:
  // Cancelled with `outer`, which it must not outlive. No branch is handed out after `deadline`.
  BranchGroup(const ParallelState& parallel, const std::stop_token& outer, Deadline deadline);

  // The branches that have succeeded before, in the run that is taken up.
  void Keep(const std::vector<std::string>& succeeded);

  std::size_t Waiting() const;        // branches that have not been handed out
  std::optional<std::size_t> Take();  // the next branch; nothing: no more are to begin
  void End(std::size_t branch, StateOutcome outcome);

  std::stop_token Token() const { return stop_.get_token(); }
  // Why branches were cancelled; empty when it was not the group's doing.
  std::string Reason() const;

  // Once all that were handed out have ended.
  struct Branch {
    std::string name;
    bool begun = false;  // handed out, or kept
    StepStatus status = StepStatus::kCancelled;
    std::optional<Error> error;
    std::optional<RunEnding> ending;
  };
  std::vector<Branch>& branches() { return branches_; }

 private:
  bool Decides(const Branch& branch) const;

  const ParallelStrategy strategy_;
  const Deadline deadline_;
  std::stop_source stop_;
  mutable std::mutex mutex_;
  std::vector<Branch> branches_;
  std::size_t next_ = 0;
  std::string reason_;
  std::stop_callback<std::function<void()>> outer_;  // last: nothing is destroyed before it is unregistered
};

}  // namespace awf
