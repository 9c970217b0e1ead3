#include "infrastructure/agents/agent_executor.h"

namespace awf::agents {

ProviderExecutor::ProviderExecutor(AgentHost host, OpenAiCompatible::MakeTools make_tools)
    : in_process_({.environment = host.environment, .tracing = host.tracing}, std::move(make_tools)),
      runner_(std::move(host)) {}

StepResult ProviderExecutor::Run(const AgentRequest& request, RunObserver& observer) {
  if (request.provider == "openai_compatible") return in_process_.Run(request, observer);
  return runner_.Run(request, observer);
}

}  // namespace awf::agents
