// Dominators of a graph: node a dominates b when every way from the root to b comes through a.
//
// By Lengauer and Tarjan's algorithm ("A Fast Algorithm for Finding Dominators in a Flowgraph", 1979), the simple
// version, O(edges · log nodes). Constant after construction.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace awf {

class Dominators {
 public:
  // The nodes that follow each node.
  using Successors = std::vector<std::vector<std::size_t>>;
  Dominators(const Successors& successors, std::size_t root);

  bool IsReached(std::size_t node) const { return order_[node] != kNone; }
  // Of nodes that can be reached; each dominates itself.
  bool Dominates(std::size_t one, std::size_t other) const;

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  void Number(const Successors& successors, std::size_t root);
  std::vector<std::size_t> ImmediateDominators(const Successors& successors);
  std::size_t Evaluate(std::size_t node);
  void MeasureTree(const std::vector<std::size_t>& dominator);

  // By node: its number in depth-first order, and, by number, the node and the number of its parent.
  std::vector<std::size_t> order_, node_at_, parent_;
  // By number: the forest of the algorithm.
  std::vector<std::size_t> semi_, ancestor_, label_;
  // By number: the interval of the tree of dominators.
  std::vector<std::size_t> begin_, size_;
};

}  // namespace awf
