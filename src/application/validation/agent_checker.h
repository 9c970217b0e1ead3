// Checks agent states: the provider, its options, a proxy that would offer nothing. A provider that is a template is
// checked when the state starts.
#pragma once

#include <string>
#include <vector>

#include "application/language/scope.h"
#include "domain/workflow.h"

namespace awf {

class AgentChecker {
 public:
  AgentChecker(const EnvironmentLookup& environment, std::vector<Finding>& findings)
      : environment_(environment), findings_(findings) {}

  void Check(const State& state, const AgentState& agent);

 private:
  void Options(const State& state, const AgentState& agent, const std::string& provider);
  void EmptyProxy(const State& state, const AgentState& agent);

  const EnvironmentLookup& environment_;
  std::vector<Finding>& findings_;
};

}  // namespace awf
