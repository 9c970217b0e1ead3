#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "application/running/run_state.h"
#include "domain/nearest_name.h"

namespace awf {
namespace {

constexpr std::string_view kNotResumable = "USER.RUN.NOT_RESUMABLE";

const std::vector<StateTarget>* Held(const State& state) {
  if (const auto* loop = std::get_if<ForEachState>(&state.body)) return &loop->body;
  if (const auto* parallel = std::get_if<ParallelState>(&state.body)) return &parallel->branches;
  return nullptr;
}

std::vector<std::string> TargetsOf(const State& state) {
  std::vector<std::string> targets;
  if (state.on_success) targets.push_back(state.on_success->state);
  for (const Transition& transition : state.transitions) targets.push_back(transition.target.state);
  if (state.on_failure) {
    if (const auto* target = std::get_if<StateTarget>(&*state.on_failure)) targets.push_back(target->state);
  }
  if (const auto* held = Held(state)) {
    for (const StateTarget& target : *held) targets.push_back(target.state);
  }
  return targets;
}

std::set<std::string> ReachedFrom(const Workflow& workflow, std::vector<std::string> pending) {
  std::set<std::string> reached;
  while (!pending.empty()) {
    const std::string name = std::move(pending.back());
    pending.pop_back();
    const State* state = workflow.Find(name);
    if (state == nullptr || !reached.insert(name).second) continue;
    std::ranges::move(TargetsOf(*state), std::back_inserter(pending));
  }
  return reached;
}

// States of bodies and branches: a run cannot begin with one.
std::set<std::string> HeldStates(const Workflow& workflow) {
  std::set<std::string> held;
  for (const State& state : workflow.states) {
    const auto* targets = Held(state);
    for (std::size_t i = 0; targets != nullptr && i < targets->size(); ++i) held.insert((*targets)[i].state);
  }
  return held;
}

std::unexpected<Error> Refused(std::string message, std::string hint) {
  return Fail("USER.INPUT.INVALID_FORMAT", std::move(message), std::move(hint));
}

std::expected<void, Error> CheckStart(const RunState& run, const Workflow& workflow, const std::string& from) {
  const std::set<std::string> held = HeldStates(workflow);
  std::vector<std::string> offered;
  for (const State& state : workflow.states) {
    if (!held.contains(state.name)) offered.push_back(state.name);
  }
  if (workflow.Find(from) == nullptr) {
    const std::string hint = DidYouMean(from, offered);
    return Refused("the workflow has no state '" + from + "' to resume from",
                   hint.empty() ? "give current, previous or the name of a state" : hint);
  }
  if (held.contains(from)) {
    return Refused("the run cannot resume from state '" + from + "': it belongs to a loop or a parallel state",
                   "resume from the state that holds it");
  }
  const bool entered = std::ranges::find(run.trail, from) != run.trail.end();
  if (entered || ReachedFrom(workflow, {workflow.initial.state, run.cursor}).contains(from)) return {};
  return Refused("the run cannot resume from state '" + from + "': it never entered it and cannot reach it",
                 "resume from a state that the run can reach");
}

std::expected<void, Error> Gone(std::string_view state, std::string_view what) {
  return Fail(std::string(kNotResumable),
              "the run stands in state '" + std::string(state) + "', which " + std::string(what),
              "resume from another state with --from, or without --reload");
}

// Everything in which the run stands must still be there, as what it was.
std::expected<void, Error> CheckStanding(const RunState& run, const Workflow& workflow) {
  constexpr std::string_view kGone = "the workflow no longer has";
  if (!run.cursor.empty() && workflow.Find(run.cursor) == nullptr) return Gone(run.cursor, kGone);
  const auto find = [&](const std::string& path) { return workflow.Find(path.substr(path.rfind('/') + 1)); };
  for (const auto& [path, progress] : run.loops) {
    const State* state = find(path);
    if (state == nullptr) return Gone(path, kGone);
    if (!std::holds_alternative<ForEachState>(state->body)) return Gone(path, "is no loop any more");
    if (!progress.cursor.empty() && workflow.Find(progress.cursor) == nullptr) return Gone(progress.cursor, kGone);
  }
  for (const auto& [path, progress] : run.parallels) {
    const State* state = find(path);
    if (state == nullptr) return Gone(path, kGone);
    if (!std::holds_alternative<ParallelState>(state->body)) return Gone(path, "is no parallel state any more");
  }
  return {};
}

void BeginAnew(RunState& run, const std::string& state) {
  run.loops.clear();
  run.parallels.clear();
  run.cursor = state;
  const auto last = std::ranges::find(run.trail.rbegin(), run.trail.rend(), state);
  if (last != run.trail.rend()) run.trail.erase(std::prev(last.base()), run.trail.end());
}

// The working state before the one that the run stands at.
std::string PreviousOf(const RunState& run) {
  auto at = run.trail.rbegin();
  if (at != run.trail.rend() && *at == run.cursor) ++at;
  return at == run.trail.rend() ? std::string() : *at;
}

}  // namespace

std::expected<RunState, Error> PrepareResume(RunState run, const Workflow& workflow, const std::string& from) {
  run.open.clear();
  if (from.empty() || from == "current") {
    if (auto standing = CheckStanding(run, workflow); !standing) return std::unexpected(standing.error());
    if (!run.trail.empty() && run.trail.back() == run.cursor) run.trail.pop_back();
    return run;
  }
  const std::string state = from == "previous" ? PreviousOf(run) : from;
  if (state.empty()) return Refused("the run has no state before the one it stands at", "resume with --from current");
  if (auto start = CheckStart(run, workflow, state); !start) return std::unexpected(start.error());
  BeginAnew(run, state);
  return run;
}

}  // namespace awf
