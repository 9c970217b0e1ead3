// Which states have ended when another one reads their results: surely, perhaps, or never.
//
// Holds for complete graphs (StateGraph::Complete). Where the answer would take too long, in workflows of thousands of
// states, it is the one that raises no alarm. Used by one thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "application/validation/dominators.h"
#include "application/validation/state_graph.h"

namespace awf {

class StateOrder {
 public:
  explicit StateOrder(const StateGraph& graph);

  // `reader`: the nodes at which something is read. Whether one of them can be reached at all.
  bool IsReached(std::span<const StateGraph::Node> reader) const;
  // On every way there the state has ended before. `from_outside`: the reader stands outside of the loop or parallel
  // state that is asked for, so that whoever comes there from inside has ended it, also by leaving it in mid-pass.
  bool HasEnded(std::size_t state, std::span<const StateGraph::Node> reader, bool from_outside);
  // On some way there it has.
  bool CanHaveEnded(std::size_t state, std::span<const StateGraph::Node> reader, bool from_outside);

 private:
  bool Follows(StateGraph::Node begin, StateGraph::Node end);
  // False when the searches are used up.
  bool MaySearch();

  const StateGraph& graph_;
  std::optional<Dominators> dominators_;  // absent when the graph is incomplete
  std::vector<std::size_t> components_;
  std::map<std::size_t, std::vector<bool>> without_;     // by state: what is reached without its end
  std::map<StateGraph::Node, std::vector<bool>> after_;  // by node: what is reached from it
  std::size_t steps_left_;
};

}  // namespace awf
