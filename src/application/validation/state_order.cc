#include "application/validation/state_order.h"

#include <algorithm>

namespace awf {
namespace {

// Of all searches together; some 0.1 s. Only what dominators and components leave open is searched for.
constexpr std::size_t kMaxSearchSteps = 5'000'000;

}  // namespace

StateOrder::StateOrder(const StateGraph& graph) : graph_(graph), steps_left_(kMaxSearchSteps) {
  if (!graph.Complete()) return;
  dominators_.emplace(graph.Successors(), graph.NodesAt(*graph.initial(), Moment::kBefore)[0]);
  components_ = graph.Components();
}

bool StateOrder::IsReached(std::span<const StateGraph::Node> reader) const {
  return std::ranges::any_of(reader, [&](StateGraph::Node node) { return dominators_->IsReached(node); });
}

bool StateOrder::HasEnded(std::size_t state, std::span<const StateGraph::Node> reader, bool from_outside) {
  const auto ends = graph_.NodesAt(state, from_outside ? Moment::kBefore : Moment::kAfter);
  if (ends.size() == 1) {
    return dominators_->IsReached(ends[0]) && std::ranges::all_of(reader, [&](StateGraph::Node node) {
             return !dominators_->IsReached(node) || (node != ends[0] && dominators_->Dominates(ends[0], node));
           });
  }
  auto found = without_.find(state);
  if (found == without_.end()) {
    if (!MaySearch()) return true;
    found = without_.emplace(state, graph_.ReachedFromInitial(ends)).first;
  }
  return std::ranges::none_of(reader, [&](StateGraph::Node node) {
    return found->second[node] || std::ranges::find(ends, node) != ends.end();
  });
}

bool StateOrder::CanHaveEnded(std::size_t state, std::span<const StateGraph::Node> reader, bool from_outside) {
  for (const StateGraph::Node end : graph_.NodesAt(state, from_outside ? Moment::kBefore : Moment::kAfter)) {
    if (!dominators_->IsReached(end)) continue;
    if (std::ranges::any_of(reader, [&](StateGraph::Node node) { return Follows(end, node); })) return true;
  }
  return false;
}

// Whether a way of at least one step leads from `begin` to `end`. Components count in the direction of the ways between
// them.
bool StateOrder::Follows(StateGraph::Node begin, StateGraph::Node end) {
  if (components_[begin] > components_[end]) return false;
  if (components_[begin] == components_[end] && begin != end) return true;
  auto found = after_.find(begin);
  if (found == after_.end()) {
    if (!MaySearch()) return true;
    found = after_.emplace(begin, graph_.ReachedFrom(begin)).first;
  }
  return found->second[end];
}

bool StateOrder::MaySearch() {
  if (steps_left_ < graph_.Size()) return false;
  steps_left_ -= graph_.Size();
  return true;
}

}  // namespace awf
