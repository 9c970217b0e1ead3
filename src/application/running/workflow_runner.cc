#include "application/running/workflow_runner.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

#include "application/running/run_context.h"
#include "application/running/state_worker.h"
#include "domain/error_catalogue.h"
#include "domain/nearest_name.h"

namespace awf {
namespace {

class OneRun {
 public:
  OneRun(RunPorts& ports, const Workflow& workflow, const RunRequest& request)
      : ports_(ports),
        workflow_(workflow),
        request_(request),
        state_(StartingState(request)),
        memory_(state_, ConstantScope(ports, request, state_.inputs), ports.journal, halt_),
        context_{ports, workflow, request, memory_, SteadyClock::now(), WallClock::now()},
        worker_(context_),
        cancelled_(request.cancelled, [this] { halt_.request_stop(); }) {}

  RunResult Run() {
    Announce();
    try {
      if (auto begun = memory_.Record(request_.resume ? ResumedRecord(state_) : BegunRecord(state_.inputs)); !begun) {
        FailRun(begun.error());
      } else if (request_.only_state.empty()) {
        FollowStates();
      } else {
        RunOnlyState();
      }
    } catch (const std::exception& fault) {
      FailRun({"SYSTEM.INTERNAL.UNMAPPED", std::string("the run broke off: ") + fault.what(), {}, {}, {}, {}});
    }
    end_.duration = std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - context_.start);
    ports_.observer.RunEnded(end_);
    return {end_, memory_.Results()};
  }

 private:
  static RunState StartingState(const RunRequest& request) {
    RunState state;
    if (request.resume) state = *request.resume;
    for (const auto& [name, value] : request.inputs) state.inputs[name] = value;
    for (const auto& [name, fields] : request.mocks) state.results[name] = fields;
    return state;
  }

  void Announce() {
    RunStart start;
    start.run_id = request_.run_id;
    start.trace_id = request_.trace_id;
    start.span_id = request_.span_id;
    start.parent_span_id = request_.parent_span_id;
    start.traceparent = request_.traceparent;
    start.tracestate = request_.tracestate;
    start.workflow = workflow_.name;
    start.version = workflow_.version;
    start.workflow_sha256 = workflow_.sha256;
    start.time = context_.started;
    start.resumed = request_.resume.has_value();
    start.resumed_trace_id = request_.resumed_trace_id;
    start.resumed_span_id = request_.resumed_span_id;
    for (const auto& [name, value] : state_.inputs) {
      start.inputs[std::string(name)] = value.is_string() ? std::string(value.get_string()) : json::serialize(value);
    }
    ports_.observer.RunStarted(start);
  }

  void FollowStates() {
    std::string next = state_.cursor.empty() ? workflow_.initial.state : state_.cursor;
    for (bool taken_up = request_.resume.has_value(); !next.empty(); taken_up = false) {
      if (halt_.stop_requested()) return Halted();
      const State* state = workflow_.Find(next);
      if (state == nullptr) {
        return FailRun(
            {"SYSTEM.INTERNAL.UNMAPPED", "the run came to state '" + next + "', which does not exist", {}, {}, {}, {}});
      }
      if (memory_.Entered() >= kMaxStatesEntered) {
        return FailRun({"EXECUTION.RUN.STEP_LIMIT",
                        "the run entered more than 10 000 states",
                        "give the cycle a way out",
                        state->position,
                        state->name,
                        {}});
      }
      next = Enter(*state, Flow::kTop, taken_up);
    }
  }

  void RunOnlyState() {
    const State* state = workflow_.Find(request_.only_state);
    if (state != nullptr) return (void)Enter(*state, Flow::kAlone, false);
    std::vector<std::string> names;
    names.reserve(workflow_.states.size());
    for (const State& known : workflow_.states) names.push_back(known.name);
    FailRun({"USER.INPUT.INVALID_FORMAT",
             "the workflow has no state '" + request_.only_state + "'",
             DidYouMean(request_.only_state, names),
             {},
             {},
             {}});
  }

  // The name of the state that follows, or empty when the run is over.
  std::string Enter(const State& state, Flow flow, bool taken_up) {
    Place place;
    place.flow = flow;
    place.cancelled = halt_.get_token();
    place.taken_up = taken_up;
    StateOutcome outcome = worker_.Enter(state, place);
    end_.message = std::move(outcome.message);
    const bool terminal = std::holds_alternative<TerminalState>(state.body);
    if (outcome.route.ending) {
      End(std::move(*outcome.route.ending));
    } else if (memory_.Failure() || outcome.status == StepStatus::kCancelled || (halt_.stop_requested() && !terminal)) {
      Halted();
      return {};
    } else if (outcome.route.dead_end) {
      FailRun(std::move(*outcome.route.dead_end));
    } else if (outcome.route.next.empty()) {
      Concluded(outcome);
    }
    return std::move(outcome.route.next);
  }

  // Nothing follows: a terminal state, the only state, or a failure that nothing catches.
  void Concluded(const StateOutcome& outcome) {
    if (outcome.error) return FailRun(*outcome.error);
    end_.status = "completed";
  }

  void End(RunEnding ending) {
    end_.message = std::move(ending.message);
    FailRun(std::move(ending.error));
    end_.exit_code = ending.exit_code;
  }

  void Halted() {
    if (auto failure = memory_.Failure()) return FailRun(std::move(*failure));
    end_.status = "cancelled";
    end_.error = Error{"EXECUTION.RUN.CANCELLED", "the run was interrupted", {}, {}, {}, {}};
    end_.exit_code = ExitCodeOf(end_.error->code);
  }

  void FailRun(Error error) {
    end_.status = "failed";
    end_.exit_code = ExitCodeOf(error.code);
    end_.error = std::move(error);
  }

  RunPorts& ports_;
  const Workflow& workflow_;
  const RunRequest& request_;
  std::stop_source halt_;
  const RunState state_;  // as the run begins
  RunMemory memory_;
  const RunContext context_;
  StateWorker worker_;
  RunEnd end_;
  std::stop_callback<std::function<void()>> cancelled_;  // last: nothing is destroyed before it is unregistered
};

}  // namespace

bool WaitOrCancelled(std::chrono::milliseconds delay, const std::stop_token& cancelled) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, cancelled, delay, [] { return false; });
  return !cancelled.stop_requested();
}

RunResult WorkflowRunner::Run(const Workflow& workflow, const RunRequest& request) {
  return OneRun(ports_, workflow, request).Run();
}

}  // namespace awf
