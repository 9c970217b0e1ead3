#include "application/state_graph.h"

#include <algorithm>
#include <utility>

#include "domain/nearest_name.h"

namespace awf {
namespace {

constexpr std::size_t kMaxCandidates = 1000;  // with more, a file full of wrong names would take minutes

}  // namespace

StateGraph::StateGraph(const Workflow& workflow) : edges_(workflow.states.size()) {
  for (std::size_t i = 0; i < workflow.states.size(); ++i) index_.emplace(workflow.states[i].name, i);
  for (const State& state : workflow.states) names_.push_back(state.name);
  initial_ = IndexOf(workflow.initial.state);
  complete_ = initial_.has_value();
  const auto add = [&](std::vector<std::size_t>& to, const StateTarget& target) {
    if (const auto index = IndexOf(target.state)) {
      to.push_back(*index);
    } else {
      complete_ = false;
    }
  };
  for (std::size_t i = 0; i < workflow.states.size(); ++i) {
    const State& state = workflow.states[i];
    complete_ = complete_ && !state.partial;
    if (state.on_success) add(edges_[i].success, *state.on_success);
    if (!state.on_failure) continue;
    if (const auto* target = std::get_if<StateTarget>(&*state.on_failure)) {
      add(edges_[i].failure, *target);
    } else {
      edges_[i].inline_failure = true;
    }
  }
}

std::optional<std::size_t> StateGraph::IndexOf(std::string_view state) const {
  const auto found = index_.find(state);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

std::string StateGraph::HintFor(std::string_view state) const {
  if (names_.size() > kMaxCandidates) return {};
  const std::string nearest = NearestName(state, names_);
  return nearest.empty() ? "" : "did you mean '" + nearest + "'?";
}

void StateGraph::Visit(std::vector<std::size_t> pending, std::vector<bool>& seen,
                       std::optional<std::size_t> avoided) const {
  while (!pending.empty()) {
    const std::size_t state = pending.back();
    pending.pop_back();
    if (seen[state] || state == avoided) continue;
    seen[state] = true;
    for (const auto* targets : {&edges_[state].success, &edges_[state].failure}) {
      pending.insert(pending.end(), targets->begin(), targets->end());
    }
  }
}

std::vector<bool> StateGraph::ReachedFromInitial(std::optional<std::size_t> avoided) const {
  std::vector<bool> seen(edges_.size());
  if (initial_) Visit({*initial_}, seen, avoided);
  return seen;
}

std::vector<bool> StateGraph::ReachedFrom(std::size_t state) const {
  std::vector<bool> seen(edges_.size());
  std::vector<std::size_t> next = edges_[state].success;
  next.insert(next.end(), edges_[state].failure.begin(), edges_[state].failure.end());
  Visit(std::move(next), seen, std::nullopt);
  return seen;
}

// The strongly connected component of each state, by Kosaraju's two passes, without recursion.
std::vector<std::size_t> StateGraph::Components() const {
  const std::size_t count = edges_.size();
  std::vector<std::vector<std::size_t>> onward(count), backward(count);
  for (std::size_t i = 0; i < count; ++i) {
    onward[i] = edges_[i].success;
    onward[i].insert(onward[i].end(), edges_[i].failure.begin(), edges_[i].failure.end());
    for (const std::size_t target : onward[i]) backward[target].push_back(i);
  }
  std::vector<std::size_t> order;  // by the end of the visit
  std::vector<bool> seen(count);
  for (std::size_t root = 0; root < count; ++root) {
    std::vector<std::pair<std::size_t, std::size_t>> path;  // state, next edge
    if (!seen[root]) path.emplace_back(root, 0);
    seen[root] = true;
    while (!path.empty()) {
      auto& [state, edge] = path.back();
      if (edge == onward[state].size()) {
        order.push_back(state);
        path.pop_back();
        continue;
      }
      const std::size_t target = onward[state][edge++];
      if (!seen[target]) path.emplace_back(target, 0);
      seen[target] = true;
    }
  }
  std::vector<std::size_t> component(count, count);
  for (const std::size_t root : std::vector<std::size_t>(order.rbegin(), order.rend())) {
    std::vector<std::size_t> pending = {root};
    while (!pending.empty()) {
      const std::size_t state = pending.back();
      pending.pop_back();
      if (component[state] != count) continue;
      component[state] = root;
      pending.insert(pending.end(), backward[state].begin(), backward[state].end());
    }
  }
  return component;
}

bool StateGraph::IsCycle(const std::vector<std::size_t>& members) const {
  if (members.size() > 1) return true;
  const Edges& edges = edges_[members[0]];
  return std::ranges::find(edges.success, members[0]) != edges.success.end() ||
         std::ranges::find(edges.failure, members[0]) != edges.failure.end();
}

std::vector<StateGraph::Cycle> StateGraph::EndlessCycles() const {
  const std::vector<std::size_t> component = Components();
  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < component.size(); ++i) members[component[i]].push_back(i);
  std::vector<Cycle> cycles;
  for (const auto& [root, states] : members) {
    if (!IsCycle(states)) continue;
    const auto leaves = [&, id = root](std::size_t target) { return component[target] != id; };
    bool success = false, failure = false;
    for (const std::size_t state : states) {
      success = success || std::ranges::any_of(edges_[state].success, leaves);
      failure = failure || edges_[state].inline_failure || std::ranges::any_of(edges_[state].failure, leaves);
    }
    if (!success) cycles.push_back({states, failure});
  }
  return cycles;
}

}  // namespace awf
