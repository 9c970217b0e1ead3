#include "application/running/parallel_runner.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "application/running/branch_group.h"
#include "application/running/result_fields.h"

namespace awf {
namespace {

using Branch = BranchGroup::Branch;

Place PlaceOfBranch(const StepContext& context, const Place& bounds, const BranchGroup& group,
                    const std::string& name) {
  Place place = bounds;
  place.flow = Flow::kBranch;
  place.within = context.path + "/";
  place.following.clear();
  place.parent_span_id = context.span_id;
  place.loop_index.reset();
  place.branch = name;
  place.cancelled = group.Token();
  place.why_cancelled = [&group, outer = bounds.why_cancelled] {
    std::string reason = group.Reason();
    return reason.empty() && outer ? outer() : reason.empty() ? reason : "not needed any more: " + reason;
  };
  return place;
}

StateOutcome RunBranch(const RunContext& run, StateWorker& worker, const std::string& name, const Place& place) {
  StateOutcome outcome;
  try {
    if (const State* state = run.workflow.Find(name)) return worker.Enter(*state, place);
    outcome.error = Error{"SYSTEM.INTERNAL.UNMAPPED", "there is no state '" + name + "'", {}, {}, {}, {}};
  } catch (const std::exception& fault) {
    outcome.error =
        Error{"SYSTEM.INTERNAL.UNMAPPED", std::string("the branch broke off: ") + fault.what(), {}, {}, name, {}};
  }
  return outcome;
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// "2 of 3 branches failed: lint (exited with code 1), test (ran into its timeout)"
std::string FailureText(const std::vector<Branch>& branches) {
  std::string failed, cancelled;
  std::size_t count = 0;
  for (const Branch& branch : branches) {
    if (branch.status == StepStatus::kSuccess) continue;
    if (branch.status == StepStatus::kCancelled) {
      cancelled += (cancelled.empty() ? "" : ", ") + branch.name;
      continue;
    }
    ++count;
    failed += (failed.empty() ? "" : ", ") + branch.name + " (" + FirstLine(branch.error->message) + ")";
  }
  std::string text = std::to_string(count) + " of " + std::to_string(branches.size()) + " branches failed";
  if (!failed.empty()) text += ": " + failed;
  if (!cancelled.empty()) text += "; cancelled: " + cancelled;
  return text;
}

bool Has(const std::vector<Branch>& branches, StepStatus status) {
  return std::ranges::find(branches, status, &Branch::status) != branches.end();
}

Attempt Judge(const State& state, const ParallelState& parallel, const Place& bounds, std::vector<Branch>& branches) {
  for (Branch& branch : branches) {
    if (!branch.ending) continue;
    Attempt attempt = FailedAttempt(branch.ending->error);
    attempt.ending = std::move(branch.ending);
    return attempt;
  }
  for (const Branch& branch : branches) {
    if (branch.error && branch.error->code.starts_with("SYSTEM.")) return FailedAttempt(*branch.error);
  }
  const auto succeeded = std::ranges::count(branches, StepStatus::kSuccess, &Branch::status);
  if (succeeded == std::ssize(branches)) return {};
  if (parallel.strategy == ParallelStrategy::kAnySucceed && succeeded > 0) return {};
  const bool cut = Has(branches, StepStatus::kCancelled);
  if (cut && bounds.cancelled.stop_requested()) return CancelledAttempt(bounds);
  if (parallel.strategy == ParallelStrategy::kBestEffort) return {};
  if (Passed(bounds.deadline) && (cut || Has(branches, StepStatus::kTimeout))) return TimedOutAttempt(state);
  return FailedAttempt(
      {"EXECUTION.PARALLEL.PARTIAL_FAILURE", FailureText(branches), {}, state.position, state.name, {}});
}

json::object ResponseOf(const std::vector<Branch>& branches) {
  json::object response;
  for (const Branch& branch : branches) response[branch.name] = ToString(branch.status);
  return response;
}

}  // namespace

Attempt ParallelRunner::Run(const State& state, const ParallelState& parallel, const StepContext& context,
                            const Place& bounds) {
  BranchGroup group(parallel, bounds.cancelled, bounds.deadline);
  if (bounds.taken_up && run_.memory.HasBegun(context.path)) {
    group.Keep(run_.memory.Succeeded(context.path));
  } else if (auto begun = run_.memory.Record(ParallelBegunRecord(context.path)); !begun) {
    return FailedAttempt(std::move(begun.error()));
  }
  RunBranches(group, parallel, context, bounds);
  RecordUnbegun(group, context, bounds);
  Attempt attempt = Judge(state, parallel, bounds, group.branches());
  attempt.result.response = ResponseOf(group.branches());
  return attempt;
}

void ParallelRunner::RunBranches(BranchGroup& group, const ParallelState& parallel, const StepContext& context,
                                 const Place& bounds) {
  const auto work = [&] {
    while (const auto index = group.Take()) {
      const std::string& name = parallel.branches[*index].state;
      group.End(*index, RunBranch(run_, worker_, name, PlaceOfBranch(context, bounds, group, name)));
    }
  };
  std::size_t at_once = group.Waiting();
  if (parallel.max_concurrent > 0) at_once = std::min(at_once, static_cast<std::size_t>(parallel.max_concurrent));
  std::vector<std::jthread> threads;
  try {
    while (threads.size() + 1 < at_once) threads.emplace_back(work);
  } catch (const std::system_error&) {
    // No more threads are to be had: those that are there take the other branches one after another.
  }
  work();
}

// They have a result too, so that what follows can ask for it.
void ParallelRunner::RecordUnbegun(BranchGroup& group, const StepContext& context, const Place& bounds) {
  for (Branch& branch : group.branches()) {
    if (branch.begun) continue;
    const Place place = PlaceOfBranch(context, bounds, group, branch.name);
    branch.error = CancelledAttempt(place).result.end.error;
    if (!bounds.cancelled.stop_requested() && Passed(bounds.deadline)) {
      branch.error->message = "the parallel state ran into its timeout before this branch began";
    }
    const auto recorded = run_.memory.Record(
        EndedRecord(place.within + branch.name, branch.name, SkippedFields(branch.error->message), {}, {}));
    if (!recorded) return;  // the next record, that of the group, fails too and ends the run
  }
}

}  // namespace awf
