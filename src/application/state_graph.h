// The states of a workflow as a graph: who follows whom, who can be reached, who goes in circles.
//
// Constant after construction; holds indices into Workflow::states. Every query is linear in states and transitions.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/workflow.h"

namespace awf {

class StateGraph {
 public:
  explicit StateGraph(const Workflow& workflow);

  // All states are known whole and all targets exist: the answers below mean something.
  bool Complete() const { return complete_; }
  std::optional<std::size_t> initial() const { return initial_; }
  std::optional<std::size_t> IndexOf(std::string_view state) const;
  // "did you mean 'x'?", or "" when no state comes near.
  std::string HintFor(std::string_view state) const;

  // States on some path from the initial one (itself included) that does not enter `avoided`.
  std::vector<bool> ReachedFromInitial(std::optional<std::size_t> avoided = std::nullopt) const;
  // States on some path of at least one transition from `state`.
  std::vector<bool> ReachedFrom(std::size_t state) const;

  struct Cycle {
    std::vector<std::size_t> states;  // in file order
    bool left_by_failure = false;     // a failure can end it; else nothing can
  };
  // Sets of states that go round and that no success leaves.
  std::vector<Cycle> EndlessCycles() const;

 private:
  struct Edges {
    std::vector<std::size_t> success, failure;
    bool inline_failure = false;
  };
  void Visit(std::vector<std::size_t> pending, std::vector<bool>& seen, std::optional<std::size_t> avoided) const;
  std::vector<std::size_t> Components() const;
  bool IsCycle(const std::vector<std::size_t>& members) const;

  std::vector<Edges> edges_;
  std::map<std::string_view, std::size_t> index_;  // views into the workflow's names
  std::vector<std::string> names_;
  std::optional<std::size_t> initial_;
  bool complete_ = true;
};

}  // namespace awf
