// Checks agent states: the provider, its options, a proxy that would offer nothing; warns of options that mean nothing
// while the native tools are switched off; notes where isolation can be proven by a probe only. A provider that is a
// template is checked when the state starts.
#pragma once

#include <string>
#include <vector>

#include "application/validation/workflow_validator.h"
#include "domain/workflow.h"

namespace awf {

class AgentChecker {
 public:
  AgentChecker(const ValidationContext& context, std::vector<Finding>& findings)
      : context_(context), findings_(findings) {}

  void Check(const State& state, const AgentState& agent);

 private:
  void Options(const State& state, const AgentState& agent, const std::string& provider);
  void IgnoredOptions(const State& state, const AgentState& agent, const std::string& provider);
  void EmptyProxy(const State& state, const AgentState& agent);
  void NeedOfProbe(const State& state, const AgentState& agent, const std::string& provider);

  const ValidationContext& context_;
  std::vector<Finding>& findings_;
};

}  // namespace awf
