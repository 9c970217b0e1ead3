#include "application/validation/dominators.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace awf {

Dominators::Dominators(const Successors& successors, std::size_t root) : order_(successors.size(), kNone) {
  Number(successors, root);
  MeasureTree(ImmediateDominators(successors));
}

bool Dominators::Dominates(std::size_t one, std::size_t other) const {
  const std::size_t above = order_[one], below = order_[other];
  return begin_[above] <= begin_[below] && begin_[below] < begin_[above] + size_[above];
}

void Dominators::Number(const Successors& successors, std::size_t root) {
  std::vector<std::pair<std::size_t, std::size_t>> path;  // node, next edge
  const auto enter = [&](std::size_t node, std::size_t parent) {
    order_[node] = node_at_.size();
    node_at_.push_back(node);
    parent_.push_back(parent);
    path.emplace_back(node, 0);
  };
  enter(root, kNone);
  while (!path.empty()) {
    auto& [node, edge] = path.back();
    if (edge == successors[node].size()) {
      path.pop_back();
      continue;
    }
    const std::size_t next = successors[node][edge++];
    if (order_[next] == kNone) enter(next, order_[node]);
  }
}

// Everything below is in numbers of the depth-first order.
std::vector<std::size_t> Dominators::ImmediateDominators(const Successors& successors) {
  const std::size_t count = node_at_.size();
  std::vector<std::vector<std::size_t>> predecessors(count), bucket(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::size_t next : successors[node_at_[i]]) predecessors[order_[next]].push_back(i);
  }
  semi_.resize(count);
  std::iota(semi_.begin(), semi_.end(), std::size_t{0});
  label_ = semi_;
  ancestor_.assign(count, kNone);
  std::vector<std::size_t> dominator(count, 0);
  for (std::size_t i = count - 1; i > 0; --i) {
    for (const std::size_t before : predecessors[i]) semi_[i] = std::min(semi_[i], semi_[Evaluate(before)]);
    bucket[semi_[i]].push_back(i);
    const std::size_t parent = parent_[i];
    ancestor_[i] = parent;
    for (const std::size_t waiting : std::exchange(bucket[parent], {})) {
      const std::size_t best = Evaluate(waiting);
      dominator[waiting] = semi_[best] < semi_[waiting] ? best : parent;
    }
  }
  for (std::size_t i = 1; i < count; ++i) {
    if (dominator[i] != semi_[i]) dominator[i] = dominator[dominator[i]];
  }
  return dominator;
}

// The node with the least semidominator on the way to the root of its tree in the forest, shortening that way.
std::size_t Dominators::Evaluate(std::size_t node) {
  if (ancestor_[node] == kNone) return label_[node];
  std::vector<std::size_t> way;
  for (std::size_t at = node; ancestor_[ancestor_[at]] != kNone; at = ancestor_[at]) way.push_back(at);
  for (; !way.empty(); way.pop_back()) {
    const std::size_t at = way.back(), above = ancestor_[at];
    if (semi_[label_[above]] < semi_[label_[at]]) label_[at] = label_[above];
    ancestor_[at] = ancestor_[above];
  }
  return label_[node];
}

// A dominator has a lower number than what it dominates.
void Dominators::MeasureTree(const std::vector<std::size_t>& dominator) {
  const std::size_t count = dominator.size();
  size_.assign(count, 1);
  for (std::size_t i = count - 1; i > 0; --i) size_[dominator[i]] += size_[i];
  begin_.assign(count, 0);
  std::vector<std::size_t> next(count, 1);
  for (std::size_t i = 1; i < count; ++i) {
    begin_[i] = next[dominator[i]];
    next[dominator[i]] += size_[i];
    next[i] = begin_[i] + 1;
  }
}

}  // namespace awf
