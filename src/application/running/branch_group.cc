#include "application/running/branch_group.h"

#include <algorithm>
#include <utility>

namespace awf {
namespace {

std::string ReasonOf(const BranchGroup::Branch& branch) {
  return "branch '" + branch.name + "' has " + (branch.status == StepStatus::kSuccess ? "succeeded" : "failed");
}

}  // namespace

BranchGroup::BranchGroup(const ParallelState& parallel, const std::stop_token& outer, Deadline deadline)
    : strategy_(parallel.strategy), deadline_(deadline), outer_(outer, [this] { stop_.request_stop(); }) {
  for (const StateTarget& branch : parallel.branches) branches_.emplace_back().name = branch.state;
}

void BranchGroup::Keep(const std::vector<std::string>& succeeded) {
  for (Branch& branch : branches_) {
    if (std::ranges::find(succeeded, branch.name) == succeeded.end()) continue;
    branch.begun = true;
    branch.status = StepStatus::kSuccess;
    if (!Decides(branch)) continue;
    reason_ = ReasonOf(branch);
    stop_.request_stop();
  }
}

std::size_t BranchGroup::Waiting() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count(branches_, false, &Branch::begun));
}

std::optional<std::size_t> BranchGroup::Take() {
  const std::lock_guard lock(mutex_);
  if (stop_.stop_requested() || Passed(deadline_)) return std::nullopt;
  while (next_ < branches_.size() && branches_[next_].begun) ++next_;
  if (next_ == branches_.size()) return std::nullopt;
  branches_[next_].begun = true;
  return next_++;
}

void BranchGroup::End(std::size_t index, StateOutcome outcome) {
  bool decided = false;
  {
    const std::lock_guard lock(mutex_);
    Branch& branch = branches_[index];
    branch.status = outcome.status;
    branch.error = std::move(outcome.error);
    branch.ending = std::move(outcome.route.ending);
    decided = !stop_.stop_requested() && Decides(branch);
    if (decided && reason_.empty()) reason_ = ReasonOf(branch);
  }
  if (decided) stop_.request_stop();
}

// The others are no longer needed.
bool BranchGroup::Decides(const Branch& branch) const {
  if (branch.ending || (branch.error && branch.error->code.starts_with("SYSTEM."))) return true;
  if (strategy_ == ParallelStrategy::kBestEffort) return false;
  return (branch.status == StepStatus::kSuccess) == (strategy_ == ParallelStrategy::kAnySucceed);
}

std::string BranchGroup::Reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

}  // namespace awf
