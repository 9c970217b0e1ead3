// ProviderExecutor: the AgentExecutor of a run. Hands a step to the runner of CLIs or to the in-process loop, by the
// provider's name.
#pragma once

#include "domain/agent.h"
#include "infrastructure/agents/agent_runner.h"
#include "infrastructure/agents/openai_compatible.h"

namespace awf::agents {

class ProviderExecutor final : public AgentExecutor {
 public:
  // `make_tools` makes the tools of a step that run in this process.
  ProviderExecutor(AgentHost host, OpenAiCompatible::MakeTools make_tools);

  StepResult Run(const AgentRequest& request, RunObserver& observer) override;

 private:
  OpenAiCompatible in_process_;
  AgentRunner runner_;
};

}  // namespace awf::agents
