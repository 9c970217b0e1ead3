// The ways that a run can take through the states of a workflow, as a graph of moments: a state begins, a pass of a
// loop ends, a state has ended.
//
// Bodies of loops and branches of parallel states are part of it; branches stand one after the other, since all of them
// have run when the parallel state ends. Constant after construction; holds indices into Workflow::states, which
// outlives it. Every query is linear in states and transitions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "application/validation/containment.h"
#include "application/validation/state_index.h"
#include "domain/workflow.h"

namespace awf {

// When in the life of a state something is evaluated.
enum class Moment { kBefore, kPassEnd, kAfter, kAfterFailure };

class StateGraph {
 public:
  explicit StateGraph(const Workflow& workflow);

  // All states are known whole, all targets exist and can be gone to: the answers below mean something.
  bool Complete() const { return complete_; }
  const StateIndex& index() const { return index_; }
  const Containment& containment() const { return containment_; }
  std::optional<std::size_t> initial() const { return initial_; }
  // How much a query costs, in steps.
  std::size_t Size() const { return size_; }

  using Node = std::size_t;
  std::vector<Node> NodesAt(std::size_t state, Moment moment) const;
  // Nodes on some way from the initial state (its own included) that comes through none of `avoided`.
  std::vector<bool> ReachedFromInitial(std::span<const Node> avoided = {}) const;
  // Nodes on some way of at least one step from `node`.
  std::vector<bool> ReachedFrom(Node node) const;
  // By node: those that follow it.
  std::vector<std::vector<Node>> Successors() const;
  // By node: the number of its strongly connected component. Ways lead from lower numbers to higher ones.
  std::vector<std::size_t> Components() const;
  // Whether `reached`, a result of the two above, holds the begin of the state.
  bool Begins(const std::vector<bool>& reached, std::size_t state) const { return reached[entries_[state]]; }
  // on_failure with a message and a status that can come into effect: the run can end there.
  bool EndsByFailure(std::size_t state) const { return inline_failure_[state]; }

  struct Cycle {
    std::vector<std::size_t> states;  // in file order; a loop or parallel state stands for what is inside
    bool left_by_failure = false;     // a failure can end it; else nothing can
  };
  // Sets of states that can be reached, go round, and that no success leaves.
  std::vector<Cycle> EndlessCycles() const;

 private:
  // kLost: a failure that no key of the state routes; it fails the loop around it.
  enum class Kind { kSuccess, kFailure, kLost };
  struct Edge {
    Node target;
    Kind kind;
  };
  // A state has one node, a parallel one two (begin, end), a loop four (begin, end of a pass, end, failed end).
  void MakeNodes();
  Node EntryOf(std::size_t state) const { return entries_[state]; }
  Node PassEndOf(std::size_t loop) const { return entries_[loop] + 1; }
  Node DoneOf(std::size_t state) const;
  Node FailedOf(std::size_t state) const;

  void Connect(Node from, Node to, Kind kind);
  void ConnectInside(std::size_t state);
  void ConnectOnward(std::size_t state);
  void ConnectBranch(std::size_t state);
  // False when an entry without condition leaves nothing to the other keys.
  bool ConnectTransitions(std::size_t state);
  void ConnectTarget(std::size_t state, Node from, const StateTarget& target, Kind kind);
  // The next member of the loop around the state, or the end of its pass.
  std::optional<Node> NextInBody(std::size_t state) const;
  // The member of the container that stands behind the state.
  Node NextMemberOr(std::size_t state, std::size_t container, Node otherwise) const;

  void Visit(std::vector<Node> pending, std::vector<bool>& seen) const;
  std::vector<Node> OrderByEnd() const;
  // Whether anything follows the failure of a loop.
  bool IsRouted(Node failed_loop) const;
  bool IsCycle(std::span<const Node> members) const;
  std::vector<std::size_t> StatesOf(std::span<const Node> members, std::span<const std::size_t> components) const;

  const Workflow& workflow_;
  StateIndex index_;
  Containment containment_;
  std::vector<Node> entries_;          // by state
  std::vector<std::size_t> state_of_;  // by node
  std::vector<std::vector<Edge>> edges_;
  std::vector<bool> inline_failure_;
  std::optional<std::size_t> initial_;
  std::size_t size_ = 0;
  bool complete_ = true;
};

}  // namespace awf
