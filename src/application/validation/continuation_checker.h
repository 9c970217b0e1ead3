// Checks conversation.continue_from: that the state named is an agent's, can have run before, has the same provider,
// and that no two steps go on with one session at the same time where that cannot be.
//
// That the state exists is FlowChecker's. A provider that is a template is checked when the step starts. Used by one
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "application/validation/state_graph.h"
#include "application/validation/state_order.h"
#include "domain/workflow.h"

namespace awf {

class ContinuationChecker {
 public:
  // All outlive the checker.
  ContinuationChecker(const Workflow& workflow, const StateGraph& graph, std::vector<Finding>& findings)
      : workflow_(workflow), graph_(graph), findings_(findings) {}

  void Check();

 private:
  // A state that goes on from another one, by their indices.
  struct Link {
    std::size_t state, source;
    const StateTarget& target;
    std::string provider;      // canonical; empty when it is known at run time only, or wrong, which is told elsewhere
    std::string conversation;  // its name
  };
  void Provider(const Link& link);
  void Order(const Link& link);
  bool IsInBranch(std::size_t state) const;
  bool SameTime(const Link& link, const Link& other);
  const State& At(std::size_t index) const { return workflow_.states[index]; }
  void Report(const Link& link, Severity severity, std::string_view code, std::string message, std::string hint);

  const Workflow& workflow_;
  const StateGraph& graph_;
  std::vector<Finding>& findings_;
  std::optional<StateOrder> order_;  // once there is something to ask
};

}  // namespace awf
