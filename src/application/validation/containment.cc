#include "application/validation/containment.h"

#include <algorithm>
#include <string>
#include <utility>

namespace awf {

std::span<const StateTarget> MembersOf(const State& state) {
  if (const auto* loop = std::get_if<ForEachState>(&state.body)) return loop->body;
  if (const auto* parallel = std::get_if<ParallelState>(&state.body)) return parallel->branches;
  return {};
}

bool IsLoop(const State& state) { return std::holds_alternative<ForEachState>(state.body); }
bool IsParallel(const State& state) { return std::holds_alternative<ParallelState>(state.body); }
bool IsTerminal(const State& state) { return std::holds_alternative<TerminalState>(state.body); }

Containment::Containment(const Workflow& workflow, const StateIndex& index)
    : workflow_(workflow), places_(workflow.states.size()) {
  for (std::size_t i = 0; i < places_.size(); ++i) Enter(i, index);
  BreakCircles();
  MeasureDepth();
}

void Containment::Enter(std::size_t container, const StateIndex& index) {
  const auto members = MembersOf(workflow_.states[container]);
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    const StateTarget& member = members[rank];
    const auto state = index.Find(member.state);
    if (!state) continue;
    Place& place = places_[*state];
    if (IsTerminal(workflow_.states[*state])) {
      Report(member, container, "terminal state '" + member.state + "' cannot be part of another state",
             "leave it out, and lead to it with transitions");
    } else if (place.container) {
      const bool same = *place.container == container;
      Report(member, container,
             "state '" + member.state + "' is already part of '" + workflow_.states[*place.container].name + "'",
             same ? "name it once" : "a state can be in one loop or parallel state only: make a second state");
    } else {
      place = {container, &member, rank, 0, 0};
    }
  }
}

// Every state has one container at most, so a circle is found by walking outwards. It is cut at its first state.
void Containment::BreakCircles() {
  std::vector<std::size_t> walk_of(places_.size(), 0);  // the walk that passed a state; walks count from 1
  for (std::size_t start = 0; start < places_.size(); ++start) {
    std::size_t state = start;
    while (walk_of[state] == 0) {
      walk_of[state] = start + 1;
      if (!places_[state].container) break;
      state = *places_[state].container;
    }
    if (!places_[state].container || walk_of[state] != start + 1) continue;
    std::size_t first = state;
    for (std::size_t i = *places_[state].container; i != state; i = *places_[i].container) first = std::min(first, i);
    const std::size_t container = *places_[first].container;
    Report(*places_[first].mention, container,
           "state '" + workflow_.states[first].name + "' would be part of itself" +
               (container == first ? "" : ", through '" + workflow_.states[container].name + "'"),
           "a loop or parallel state cannot hold what holds it");
    places_[first].container.reset();
  }
}

void Containment::MeasureDepth() {
  std::vector<bool> known(places_.size());
  std::vector<std::size_t> inwards;
  for (std::size_t start = 0; start < places_.size(); ++start) {
    for (std::size_t state = start; !known[state]; state = *places_[state].container) {
      inwards.push_back(state);
      if (!places_[state].container) break;
    }
    for (; !inwards.empty(); inwards.pop_back()) {
      const std::size_t state = inwards.back();
      Place& place = places_[state];
      known[state] = true;
      if (!place.container) continue;
      const bool in_loop = IsLoop(workflow_.states[*place.container]);
      place.loops = places_[*place.container].loops + (in_loop ? 1 : 0);
      place.parallels = places_[*place.container].parallels + (in_loop ? 0 : 1);
      // Told once, where the depth is first exceeded.
      if (in_loop ? place.loops != kMaxNesting + 1 : place.parallels != kMaxNesting + 1) continue;
      Report(*place.mention, *place.container,
             std::string(in_loop ? "loops" : "parallel states") + " are nested more than " +
                 std::to_string(kMaxNesting) + " deep",
             "make the nesting flatter");
    }
  }
}

void Containment::Report(const StateTarget& mention, std::size_t container, std::string message, std::string hint) {
  const State& state = workflow_.states[container];
  findings_.push_back({Severity::kError,
                       {"WORKFLOW.VALIDATION.INVALID_TRANSITION", std::move(message), std::move(hint), mention.position,
                        state.name, IsLoop(state) ? "body" : "parallel"}});
}

bool Containment::Holds(std::size_t container, std::size_t state) const {
  for (auto at = ContainerOf(state); at; at = ContainerOf(*at)) {
    if (*at == container) return true;
  }
  return false;
}

bool Containment::IsBranch(std::size_t state) const {
  return places_[state].container && IsParallel(workflow_.states[*places_[state].container]);
}

std::optional<std::size_t> Containment::ParallelBetween(std::size_t one, std::size_t other) const {
  // Containers of `one`, each with the member through which it is reached.
  std::vector<std::pair<std::size_t, std::size_t>> around;
  for (std::size_t state = one; places_[state].container; state = *places_[state].container) {
    around.emplace_back(*places_[state].container, state);
  }
  for (std::size_t state = other; places_[state].container; state = *places_[state].container) {
    const auto common =
        std::ranges::find(around, *places_[state].container, &std::pair<std::size_t, std::size_t>::first);
    if (common == around.end()) continue;
    const bool apart = common->second != state && IsParallel(workflow_.states[common->first]);
    return apart ? std::optional(common->first) : std::nullopt;
  }
  return std::nullopt;
}

Containment::Way Containment::WayTo(std::size_t from, std::size_t to) const {
  bool out_of_parallel = false;
  for (std::size_t state = from;; state = *places_[state].container) {
    if (places_[to].container == places_[state].container) {
      if (IsBranch(state) && to != state) return Way::kIntoContainer;
      return out_of_parallel ? Way::kOutOfParallel : Way::kOpen;
    }
    if (!places_[state].container) return Way::kIntoContainer;
    out_of_parallel = out_of_parallel || IsBranch(state);
  }
}

}  // namespace awf
