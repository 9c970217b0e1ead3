#include "application/validation/flow_checker.h"

#include <algorithm>
#include <utility>

namespace awf {
namespace {

constexpr std::string_view kInvalid = "WORKFLOW.VALIDATION.INVALID_TRANSITION";

std::string_view KindOf(const State& container) { return IsLoop(container) ? "loop" : "parallel state"; }

}  // namespace

void FlowChecker::Check() {
  Initial();
  findings_.insert(findings_.end(), graph_.containment().findings().begin(), graph_.containment().findings().end());
  for (std::size_t i = 0; i < workflow_.states.size(); ++i) {
    Targets(i);
    WayOn(i);
  }
  if (!graph_.Complete()) return;
  Reachability();
  Cycles();
}

void FlowChecker::Report(Severity severity, std::string_view code, std::string message, std::string hint,
                         const Position& position, std::string step, std::string field) {
  findings_.push_back(
      {severity,
       {std::string(code), std::move(message), std::move(hint), position, std::move(step), std::move(field)}});
}

bool FlowChecker::Exists(const StateTarget& target, const std::string& step, const std::string& field) {
  if (target.state.empty()) return false;  // told when the file was read
  if (graph_.index().Find(target.state)) return true;
  Report(Severity::kError, "WORKFLOW.VALIDATION.MISSING_STATE", "there is no state '" + target.state + "'",
         graph_.index().HintFor(target.state), target.position, step, field);
  return false;
}

void FlowChecker::Initial() {
  const StateTarget& initial = workflow_.initial;
  if (!Exists(initial, "", "states.initial")) return;
  const auto container = graph_.containment().ContainerOf(*graph_.index().Find(initial.state));
  if (!container) return;
  const State& around = workflow_.states[*container];
  Report(Severity::kError, kInvalid,
         "the run cannot begin inside of the " + std::string(KindOf(around)) + " '" + around.name + "'",
         "begin with '" + around.name + "'", initial.position, "", "states.initial");
}

void FlowChecker::Targets(std::size_t index) {
  const State& state = workflow_.states[index];
  for (const StateTarget& member : MembersOf(state)) Exists(member, state.name, IsLoop(state) ? "body" : "parallel");
  if (const auto* agent = std::get_if<AgentState>(&state.body); agent != nullptr && agent->continue_from) {
    Exists(*agent->continue_from, state.name, "conversation.continue_from");
  }
  if (graph_.containment().IsBranch(index)) BranchKeys(state);
  if (state.on_success) Target(index, *state.on_success, "on_success");
  if (state.on_failure) {
    if (const auto* target = std::get_if<StateTarget>(&*state.on_failure)) Target(index, *target, "on_failure");
  }
  for (std::size_t i = 0; i < state.transitions.size(); ++i) {
    Target(index, state.transitions[i].target, "transitions[" + std::to_string(i) + "].goto");
  }
}

void FlowChecker::Target(std::size_t from, const StateTarget& target, const std::string& field) {
  const State& state = workflow_.states[from];
  const Containment& containment = graph_.containment();
  if (!Exists(target, state.name, field)) return;
  if (!containment.findings().empty() || containment.IsBranch(from)) return;
  const std::size_t to = *graph_.index().Find(target.state);
  switch (containment.WayTo(from, to)) {
    case Containment::Way::kOpen:
      return;
    case Containment::Way::kIntoContainer: {
      const State& around = workflow_.states[*containment.ContainerOf(to)];
      return Report(Severity::kError, kInvalid,
                    "state '" + target.state + "' is inside of the " + std::string(KindOf(around)) + " '" +
                        around.name + "', which cannot be entered from '" + state.name + "'",
                    "go to '" + around.name + "' itself", target.position, state.name, field);
    }
    case Containment::Way::kOutOfParallel:
      return Report(Severity::kError, kInvalid,
                    "'" + state.name + "' runs inside of a branch, which cannot be left for '" + target.state + "'",
                    "let the parallel state lead there", target.position, state.name, field);
  }
}

void FlowChecker::BranchKeys(const State& branch) {
  const auto warn = [&](const Position& position, const std::string& field) {
    Report(Severity::kWarning, kInvalid,
           "'" + branch.name + "' is a branch of a parallel state, where " + field + " does nothing",
           "remove it; what the parallel state leads to follows", position, branch.name, field);
  };
  if (branch.on_success) warn(branch.on_success->position, "on_success");
  if (branch.on_failure) {
    warn(std::visit([](const auto& target) { return target.position; }, *branch.on_failure), "on_failure");
  }
  if (!branch.transitions.empty()) warn(branch.transitions[0].position, "transitions");
}

// A loop or parallel state that could not be read whole may hold any state.
bool FlowChecker::MayHaveUnknownContainer() const {
  return std::ranges::any_of(workflow_.states, [](const State& state) {
    const auto* command = std::get_if<CommandState>(&state.body);
    const bool unknown_type = command != nullptr && command->command.empty() && command->script_file.empty();
    return state.partial && (unknown_type || IsLoop(state) || IsParallel(state));
  });
}

// Conditions of transitions are taken as a way on, since they may well cover all cases; when none holds at run time,
// the run fails there.
void FlowChecker::WayOn(std::size_t index) {
  const State& state = workflow_.states[index];
  if (state.on_success || !state.transitions.empty() || state.partial || IsTerminal(state)) return;
  if (graph_.containment().ContainerOf(index) || MayHaveUnknownContainer()) return;
  Report(Severity::kError, kInvalid, "nothing follows the success of state '" + state.name + "'",
         "add on_success or transitions", state.position, state.name, "on_success");
}

void FlowChecker::Reachability() {
  const std::vector<bool> reached = graph_.ReachedFromInitial();
  bool ends = false, has_terminal = false;
  for (std::size_t i = 0; i < workflow_.states.size(); ++i) {
    const State& state = workflow_.states[i];
    const bool begins = graph_.Begins(reached, i);
    has_terminal = has_terminal || IsTerminal(state);
    ends = ends || (begins && (IsTerminal(state) || graph_.EndsByFailure(i)));
    if (begins) continue;
    Report(Severity::kWarning, "WORKFLOW.VALIDATION.UNREACHABLE_STATE", "state '" + state.name + "' is never reached",
           "add a transition to it or remove it", state.position, state.name, "");
  }
  if (ends) return;
  Report(Severity::kError, "WORKFLOW.VALIDATION.NO_TERMINAL",
         has_terminal ? "no terminal state can be reached from '" + workflow_.initial.state + "'"
                      : "the workflow has no terminal state",
         has_terminal ? "add a transition to it" : "add a state of type terminal and a transition to it",
         workflow_.initial.position, "", "states");
}

void FlowChecker::Cycles() {
  constexpr std::size_t kMaxNames = 10;
  for (const StateGraph::Cycle& cycle : graph_.EndlessCycles()) {
    if (cycle.states.empty()) continue;
    std::string names;
    for (std::size_t i = 0; i < std::min(cycle.states.size(), kMaxNames); ++i) {
      names += (i == 0 ? "'" : ", '") + workflow_.states[cycle.states[i]].name + "'";
    }
    if (cycle.states.size() > kMaxNames) {
      names += " and " + std::to_string(cycle.states.size() - kMaxNames) + " more states";
    }
    const State& first = workflow_.states[cycle.states[0]];
    const bool failure = cycle.left_by_failure;
    Report(failure ? Severity::kWarning : Severity::kError, "WORKFLOW.VALIDATION.CYCLE_DETECTED",
           (failure ? "only a failure leaves the cycle of " : "nothing leaves the cycle of ") + names,
           failure ? "give the cycle a way out on success" : "give the cycle a way out", first.position, first.name,
           "");
  }
}

}  // namespace awf
