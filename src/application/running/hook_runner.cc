#include "application/running/hook_runner.h"

#include <chrono>
#include <expected>
#include <utility>

#include "application/running/step_renderer.h"

namespace awf {
namespace {

constexpr std::chrono::seconds kHookTimeout{60};

// Keeps the output of a hook's command out of the state's.
class HookObserver final : public RunObserver {
 public:
  explicit HookObserver(RunObserver& observer) : observer_(observer) {}
  void Logged(const StepContext* step, LogLevel level, std::string_view message, const json::object& fields) override {
    observer_.Logged(step, level, message, fields);
  }

 private:
  RunObserver& observer_;
};

std::expected<void, Error> Command(const RunContext& run, const StepRenderer& renderer, const Hook& hook,
                                   const State& state, const StepContext& context, const Place& place) {
  auto request = renderer.HookCommand(state, hook.text, context);
  if (!request) return std::unexpected(std::move(request.error()));
  request->deadline = Earlier(SteadyClock::now() + kHookTimeout, place.deadline);
  request->cancelled = place.cancelled;
  HookObserver observer(run.ports.observer);
  StepResult result = run.ports.commands.Run(*request, observer);
  if (result.end.status == StepStatus::kSuccess) return {};
  if (result.end.error) return std::unexpected(std::move(*result.end.error));
  return Fail("EXECUTION.COMMAND.FAILED", "the command exited with code " + std::to_string(result.end.exit_code));
}

}  // namespace

void HookRunner::Run(const std::vector<Hook>& hooks, const std::string& when, const State& state,
                     const StepContext& context, const Place& place, const Scope& scope) const {
  const StepRenderer renderer = run_.Renderer(scope);
  for (const Hook& hook : hooks) {
    if (place.cancelled.stop_requested()) return;
    std::expected<void, Error> done;
    if (hook.kind == Hook::Kind::kCommand) {
      done = Command(run_, renderer, hook, state, context, place);
    } else if (const auto text = renderer.Text(state, hook.text, "hooks." + when)) {
      run_.ports.observer.Logged(&context, LogLevel::kInfo, "hook", {{"hook", when}, {"text", *text}});
    } else {
      done = std::unexpected(text.error());
    }
    if (done) continue;
    run_.ports.observer.Logged(&context, LogLevel::kWarn, "hook",
                               {{"hook", when}, {"code", done.error().code}, {"error", done.error().message}});
  }
}

}  // namespace awf
