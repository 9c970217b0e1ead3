// Checks where the states of a workflow lead: targets, ways on, containment, reachability, ends, cycles.
#pragma once

#include <string>
#include <vector>

#include "application/validation/state_graph.h"
#include "domain/workflow.h"

namespace awf {

class FlowChecker {
 public:
  FlowChecker(const Workflow& workflow, const StateGraph& graph, std::vector<Finding>& findings)
      : workflow_(workflow), graph_(graph), findings_(findings) {}

  void Check();

 private:
  void Report(Severity severity, std::string_view code, std::string message, std::string hint, const Position& position,
              std::string step, std::string field);
  // False when there is no such state, which has been told.
  bool Exists(const StateTarget& target, const std::string& step, const std::string& field);
  void Initial();
  void Targets(std::size_t index);
  void Target(std::size_t from, const StateTarget& target, const std::string& field);
  void BranchKeys(const State& branch);
  void WayOn(std::size_t index);
  bool MayHaveUnknownContainer() const;
  void Reachability();
  void Cycles();

  const Workflow& workflow_;
  const StateGraph& graph_;
  std::vector<Finding>& findings_;
};

}  // namespace awf
