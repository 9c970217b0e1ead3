#include "application/workflow_runner.h"

#include <algorithm>
#include <map>
#include <utility>

#include "application/duration.h"
#include "application/step_renderer.h"
#include "domain/error_catalogue.h"
#include "domain/random_id.h"
#include "domain/trimmed.h"

namespace awf {
namespace {

using std::chrono::milliseconds;

milliseconds Since(SteadyClock::time_point start) {
  return std::chrono::duration_cast<milliseconds>(SteadyClock::now() - start);
}

StepKind KindOf(const State& state) {
  if (std::holds_alternative<AgentState>(state.body)) return StepKind::kAgent;
  return std::holds_alternative<TerminalState>(state.body) ? StepKind::kTerminal : StepKind::kCommand;
}

StepResult Failed(Error error) {
  StepResult result;
  result.end.status = StepStatus::kFailure;
  result.end.exit_code = 1;
  result.end.error = std::move(error);
  return result;
}

// The fields that templates see. Error and ErrorCode are empty after a success.
json::object FieldsOf(const StepContext& context, const StepResult& result) {
  const StepEnd& end = result.end;
  json::object fields;
  fields["Output"] = result.output;
  fields["Stderr"] = result.error_output;
  fields["ExitCode"] = end.exit_code;
  fields["Status"] = json::string_view(ToString(end.status));
  fields["Error"] = end.error ? end.error->message : "";
  fields["ErrorCode"] = end.error ? end.error->code : "";
  fields["Duration"] = FormatDuration(end.duration);
  fields["Attempts"] = context.attempt;
  if (context.kind != StepKind::kAgent) return fields;
  fields["TokensInput"] = end.usage.input;
  fields["TokensOutput"] = end.usage.output;
  fields["TokensUsed"] = end.usage.total;
  fields["TokensEstimated"] = end.usage.estimated;
  const std::string_view text = Trimmed(result.output);
  if (text.starts_with('{') && text.ends_with('}')) {
    json::error_code fault;
    json::value value = json::parse(text, fault);
    if (!fault && value.is_object()) fields["Response"] = std::move(value);
  }
  return fields;
}

class OneRun {
 public:
  OneRun(RunPorts& ports, const Workflow& workflow, const RunRequest& request)
      : ports_(ports), workflow_(workflow), request_(request) {
    scope_["inputs"] = request.inputs;
    scope_["states"] = json::object();
  }

  RunResult Run() {
    const SteadyClock::time_point start = SteadyClock::now();
    Announce();
    const std::string* next = &workflow_.initial.state;
    for (int entered = 0; next != nullptr; ++entered) {
      if (request_.cancelled.stop_requested()) {
        Cancelled();
        break;
      }
      const State* state = workflow_.Find(*next);
      if (state == nullptr) {
        FailRun({"SYSTEM.INTERNAL.UNMAPPED",
                 "the run came to state '" + *next + "', which does not exist",
                 {},
                 {},
                 {},
                 {}});
        break;
      }
      if (entered == kMaxStatesEntered) {
        FailRun({"EXECUTION.RUN.STEP_LIMIT",
                 "the run entered more than 10 000 states",
                 "give the cycle a way out",
                 state->position,
                 state->name,
                 {}});
        break;
      }
      next = Enter(*state);
    }
    run_.end.duration = Since(start);
    ports_.observer.RunEnded(run_.end);
    for (const std::string& name : order_) {
      run_.states.emplace_back(name, scope_["states"].as_object()[name].as_object());
    }
    return std::move(run_);
  }

 private:
  void Announce() {
    RunStart start{request_.run_id,         request_.trace_id,    request_.span_id,
                   request_.parent_span_id, request_.traceparent, workflow_.name,
                   workflow_.version,       workflow_.sha256,     {},
                   WallClock::now()};
    for (const auto& [name, value] : request_.inputs) {
      start.inputs[std::string(name)] = value.is_string() ? std::string(value.get_string()) : json::serialize(value);
    }
    ports_.observer.RunStarted(start);
  }

  // The name of the state that follows, or null when the run is over.
  const std::string* Enter(const State& state) {
    const StepContext context{request_.run_id, state.name, KindOf(state), 1, request_.trace_id, RandomHex(8)};
    if (const auto* terminal = std::get_if<TerminalState>(&state.body)) {
      Terminal(state, *terminal, context);
      return nullptr;
    }
    const StepResult result = Work(state, context);
    Record(context, result);
    if (result.end.status == StepStatus::kCancelled || request_.cancelled.stop_requested()) {
      Cancelled();
      return nullptr;
    }
    if (result.end.status == StepStatus::kSuccess) return AfterSuccess(state);
    return AfterFailure(state, *result.end.error);
  }

  const std::string* AfterSuccess(const State& state) {
    if (state.on_success) return &state.on_success->state;
    FailRun({"SYSTEM.INTERNAL.UNMAPPED",
             "nothing follows the success of state '" + state.name + "'",
             {},
             state.position,
             state.name,
             {}});
    return nullptr;
  }

  const std::string* AfterFailure(const State& state, const Error& error) {
    const bool routable = !error.code.starts_with("SYSTEM.");
    if (!routable || !state.on_failure) {
      FailRun(error);
      return nullptr;
    }
    if (const auto* target = std::get_if<StateTarget>(&*state.on_failure)) return &target->state;
    const auto& failure = std::get<InlineFailure>(*state.on_failure);
    const auto message = Renderer().Text(state, failure.message, "on_failure.message");
    if (message) {
      run_.end.message = *message;
      FailRun({"EXECUTION.WORKFLOW.FAILED", *message, {}, failure.position, state.name, "on_failure"});
    } else {
      FailRun(message.error());
    }
    run_.end.exit_code = failure.status;
    return nullptr;
  }

  void Terminal(const State& state, const TerminalState& terminal, const StepContext& context) {
    const SteadyClock::time_point begun = SteadyClock::now();
    StepStart start;
    start.time = WallClock::now();
    ports_.observer.StepStarted(context, start);
    const auto message = Renderer().Text(state, terminal.message, "message");
    StepEnd end;
    if (!message) {
      end.error = message.error();
    } else if (!terminal.success) {
      end.error = Error{"EXECUTION.WORKFLOW.FAILED",
                        message->empty() ? "the workflow ended in state '" + state.name + "'" : *message,
                        {},
                        state.position,
                        state.name,
                        {}};
    }
    end.status = end.error ? StepStatus::kFailure : StepStatus::kSuccess;
    end.exit_code = end.error ? 1 : 0;
    end.duration = Since(begun);
    ports_.observer.StepEnded(context, end);
    run_.end.message = message.value_or("");
    if (end.error) {
      FailRun(*end.error);
    } else {
      run_.end.status = "completed";
    }
  }

  StepResult Work(const State& state, const StepContext& context) {
    const SteadyClock::time_point begun = SteadyClock::now();
    StepStart start;
    start.time = WallClock::now();
    StepResult result = std::holds_alternative<AgentState>(state.body)
                            ? Agent(state, std::get<AgentState>(state.body), context, start)
                            : Command(state, std::get<CommandState>(state.body), context, start);
    Complete(state, start, Since(begun), result);
    ports_.observer.StepEnded(context, result.end);
    return result;
  }

  StepResult Command(const State& state, const CommandState& command, const StepContext& context,
                     const StepStart& start) {
    auto request = Renderer().Command(state, command, context);
    ports_.observer.StepStarted(context, start);
    if (!request) return Failed(std::move(request.error()));
    TellUnlimited(state, request->deadline, context);
    return ports_.commands.Run(*request, ports_.observer);
  }

  StepResult Agent(const State& state, const AgentState& agent, const StepContext& context, StepStart& start) {
    auto request = Renderer().Agent(state, agent, context);
    if (request) {
      start.provider = request->provider;
      if (const json::value* model = request->options.if_contains("model")) start.model = model->get_string();
      start.proxy = request->proxy.has_value();
      start.intercept = start.proxy && request->proxy->intercept_builtins;
      if (start.proxy) start.sandbox = ToString(request->proxy->sandbox.mode);
    }
    ports_.observer.StepStarted(context, start);
    if (!request) return Failed(std::move(request.error()));
    TellUnlimited(state, request->deadline, context);
    return ports_.agents.Run(*request, ports_.observer);
  }

  void TellUnlimited(const State& state, const Deadline& deadline, const StepContext& context) {
    if (!state.timeout || deadline) return;
    ports_.observer.Logged(&context, LogLevel::kInfo, "timeout is 0: the state has no time limit", {});
  }

  // What an executor may leave open.
  static void Complete(const State& state, const StepStart& start, milliseconds duration, StepResult& result) {
    StepEnd& end = result.end;
    if (end.duration.count() == 0) end.duration = duration;
    if (end.provider.empty()) end.provider = start.provider;
    if (end.model.empty()) end.model = start.model;
    end.proxy = end.proxy || start.proxy;
    end.intercept = end.intercept || start.intercept;
    if (end.status == StepStatus::kSuccess) return;
    if (end.exit_code == 0) end.exit_code = 1;
    if (!end.error) end.error = Error{"SYSTEM.INTERNAL.UNMAPPED", "the state failed without an error", {}, {}, {}, {}};
    if (end.error->step.empty()) end.error->step = state.name;
  }

  void Record(const StepContext& context, const StepResult& result) {
    json::object& states = scope_["states"].as_object();
    if (!states.contains(context.step)) order_.push_back(context.step);
    states[context.step] = FieldsOf(context, result);
  }

  void Cancelled() {
    run_.end.status = "cancelled";
    run_.end.error = Error{"EXECUTION.RUN.CANCELLED", "the run was interrupted", {}, {}, {}, {}};
    run_.end.exit_code = ExitCodeOf(run_.end.error->code);
  }

  void FailRun(Error error) {
    run_.end.status = "failed";
    run_.end.exit_code = ExitCodeOf(error.code);
    run_.end.error = std::move(error);
  }

  StepRenderer Renderer() const { return {request_, scope_, ports_.environment}; }

  RunPorts& ports_;
  const Workflow& workflow_;
  const RunRequest& request_;
  json::object scope_;
  std::vector<std::string> order_;
  RunResult run_;
};

}  // namespace

RunResult WorkflowRunner::Run(const Workflow& workflow, const RunRequest& request) {
  return OneRun(ports_, workflow, request).Run();
}

}  // namespace awf
