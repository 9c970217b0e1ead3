#include "infrastructure/agents/agent_runner.h"

#include "infrastructure/agents/attempt.h"
#include "infrastructure/process/keeper.h"

namespace awf::agents {

AgentRunner::AgentRunner(AgentHost host) : host_(std::move(host)), versions_(host_.program) {
  process::BecomeSubreaper();
}

StepResult AgentRunner::Run(const AgentRequest& request, RunObserver& observer) {
  Attempt attempt(host_, versions_, request, observer);
  if (auto prepared = attempt.Prepare(); !prepared) return attempt.Conclude(std::move(prepared.error()));
  attempt.Supervise();
  return attempt.Conclude(std::nullopt);
}

}  // namespace awf::agents
