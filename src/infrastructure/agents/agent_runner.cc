#include "infrastructure/agents/agent_runner.h"

#include "infrastructure/agents/attempt.h"
#include "infrastructure/process/keeper.h"

namespace awf::agents {

AgentRunner::AgentRunner(AgentHost host)
    : host_(std::move(host)),
      answers_(host_.answers ? host_.answers : std::make_shared<ProgramAnswers>(host_.program)),
      conversations_(host_.program, host_.private_folder) {
  process::BecomeSubreaper();
}

StepResult AgentRunner::Run(const AgentRequest& request, RunObserver& observer) {
  for (bool fallback = false;; fallback = true) {
    Attempt attempt(host_, *answers_, conversations_, request, observer, fallback);
    auto prepared = attempt.Prepare();
    if (prepared) attempt.Supervise();
    StepResult result = attempt.Conclude(prepared ? std::nullopt : std::optional(std::move(prepared.error())));
    if (fallback || !attempt.WantsFallback()) return result;
  }
}

}  // namespace awf::agents
