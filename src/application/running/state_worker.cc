#include "application/running/state_worker.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "application/language/duration.h"
#include "application/language/retry_delay.h"
#include "application/running/hook_runner.h"
#include "application/running/loop_runner.h"
#include "application/running/operation_runner.h"
#include "application/running/output_format.h"
#include "application/running/parallel_runner.h"
#include "application/running/result_fields.h"
#include "domain/random_id.h"

namespace awf {
namespace {

using std::chrono::milliseconds;

milliseconds Since(SteadyClock::time_point start) {
  return std::chrono::duration_cast<milliseconds>(SteadyClock::now() - start);
}

StepContext ContextOf(const RunRequest& request, const State& state, const Place& place) {
  StepContext context;
  context.run_id = request.run_id;
  context.step = state.name;
  context.kind = KindOf(state);
  context.trace_id = request.trace_id;
  context.span_id = RandomHex(8);
  context.parent_span_id = place.parent_span_id;
  context.path = place.within + state.name;
  context.loop_index = place.loop_index;
  context.branch = place.branch;
  return context;
}

// What an executor may leave open.
void Settle(StepEnd& end, const State& state, const Place& place) {
  if (end.status == StepStatus::kSuccess) {
    end.error.reset();
    return;
  }
  if (end.exit_code == 0) end.exit_code = 1;
  if (!end.error) end.error = Error{"SYSTEM.INTERNAL.UNMAPPED", "the state failed without an error", {}, {}, {}, {}};
  if (end.error->step.empty()) end.error->step = state.name;
  if (end.status != StepStatus::kCancelled || !place.why_cancelled) return;
  if (std::string why = place.why_cancelled(); !why.empty()) end.error->message = std::move(why);
}

// A plugin that did not start is not started again within the run.
bool IsHopeless(const StepEnd& end) {
  const std::string& code = end.error->code;
  return end.status == StepStatus::kCancelled || code.starts_with("USER.") || code == "EXECUTION.AGENT.AUTH" ||
         code == "EXECUTION.AGENT.NOT_INSTALLED" || code == "EXECUTION.AGENT.SESSION_LOST" ||
         code == "EXECUTION.MCP_PROXY.BYPASS" || code.starts_with("EXECUTION.PLUGIN.");
}

void ReadAnswer(const State& state, const AgentState& agent, StepResult& result) {
  result.response = ObjectOfAnswer(result.output);
  if (agent.output_format != AgentOutputFormat::kJson || result.end.status != StepStatus::kSuccess) return;
  auto value = JsonOfAnswer(result.output);
  if (value) {
    result.json = std::move(*value);
    return;
  }
  result.end.status = StepStatus::kFailure;
  result.end.error = Error{"EXECUTION.AGENT.OUTPUT_FORMAT", value.error(), "ask for JSON only, and retry",
                           agent.provider.position,         state.name,    "output_format"};
}

json::object CapturesOf(const State& state, const json::object& fields) {
  json::object captures;
  if (!state.capture.stdout_name.empty()) captures[state.capture.stdout_name] = fields.at("Output");
  if (!state.capture.stderr_name.empty()) captures[state.capture.stderr_name] = fields.at("Stderr");
  return captures;
}

// The scope with what the state itself has yielded, which is not in the memory yet.
void ShowOwn(Scope& scope, const State& state, json::object fields) {
  const json::object own = CapturesOf(state, fields);
  scope.states[state.name] = std::make_shared<const json::object>(std::move(fields));
  if (own.empty()) return;
  const json::object* before = scope.Namespace("captures");
  json::object captures = before == nullptr ? json::object() : *before;
  for (const auto& [name, value] : own) captures[name] = value;
  scope.Set("captures", std::move(captures));
}

void TellCommand(RunObserver& observer, const CommandRequest& request) {
  MessageBlock block;
  block.type = "command";
  block.text = request.command.empty() ? request.script : request.command;
  observer.MessageSaid(request.step, {MessageRole::kUser, {std::move(block)}});
}

}  // namespace

// What is known of a state while it works.
struct StateWorker::Work {
  Work(const State& its_state, const Place& its_place, StepContext& its_context, SessionsInUse& sessions)
      : state(its_state), place(its_place), context(its_context), lease(sessions, its_state.name) {}

  const State& state;
  const Place& place;
  StepContext& context;
  SessionLease lease;
  StepStart start;
  SteadyClock::time_point begun = SteadyClock::now();
  Attempt last;
  TokenUsage usage;  // of all attempts, as the counts
  int tool_calls = 0, bypasses = 0, proxy_starts = 0;

  void Count(const StepEnd& end) {
    usage.input += end.usage.input;
    usage.output += end.usage.output;
    usage.total += end.usage.total;
    usage.cached += end.usage.cached;
    usage.reasoning += end.usage.reasoning;
    usage.estimated = usage.estimated || end.usage.estimated;
    if (end.usage.cost_usd) usage.cost_usd = usage.cost_usd.value_or(0) + *end.usage.cost_usd;
    tool_calls += end.tool_calls;
    bypasses += end.bypasses;
    proxy_starts += end.proxy_starts;
  }

  // The end of the last attempt becomes that of the state.
  void Close() {
    StepEnd& end = last.result.end;
    end.attempts = context.attempt;
    end.usage = usage;
    end.tool_calls = tool_calls;
    end.bypasses = bypasses;
    end.proxy_starts = proxy_starts;
    if (end.duration.count() == 0 || context.attempt > 1) end.duration = Since(begun);
    if (end.provider.empty()) end.provider = start.provider;
    if (end.model.empty()) end.model = start.model;
    end.proxy = end.proxy || start.proxy;
    end.intercept = end.intercept || start.intercept;
  }
};

StepKind KindOf(const State& state) {
  static constexpr StepKind kKinds[] = {StepKind::kCommand,  StepKind::kAgent,   StepKind::kTerminal,
                                        StepKind::kParallel, StepKind::kForEach, StepKind::kOperation};
  return kKinds[state.body.index()];
}

Attempt FailedAttempt(Error error, StepStatus status) {
  Attempt attempt;
  attempt.result.end.status = status;
  attempt.result.end.exit_code = 1;
  attempt.result.end.error = std::move(error);
  return attempt;
}

Attempt CancelledAttempt(const Place& place) {
  std::string why = place.why_cancelled ? place.why_cancelled() : std::string();
  if (why.empty()) why = "the run was interrupted";
  return FailedAttempt({"EXECUTION.RUN.CANCELLED", std::move(why), {}, {}, {}, {}}, StepStatus::kCancelled);
}

Attempt TimedOutAttempt(const State& state) {
  return FailedAttempt({"EXECUTION.COMMAND.TIMEOUT",
                        "state '" + state.name + "' ran into its timeout",
                        {},
                        state.timeout ? state.timeout->position : state.position,
                        state.name,
                        "timeout"},
                       StepStatus::kTimeout);
}

StateOutcome StateWorker::Enter(const State& state, const Place& place) {
  StepContext context = ContextOf(run_.request, state, place);
  const auto* terminal = std::get_if<TerminalState>(&state.body);
  const auto entered = run_.memory.Record(EnteredRecord(context.path, state.name, terminal == nullptr));
  if (!entered) return {StepStatus::kFailure, entered.error(), {}, {}};
  return terminal != nullptr ? EnterTerminal(state, *terminal, context, place) : EnterWorking(state, context, place);
}

StateOutcome StateWorker::EnterTerminal(const State& state, const TerminalState& terminal, const StepContext& context,
                                        const Place& place) {
  const SteadyClock::time_point begun = SteadyClock::now();
  StepStart start;
  start.time = WallClock::now();
  run_.ports.observer.StepStarted(context, start);
  const Scope scope = run_.ScopeAt(place, state.name);
  const auto message = run_.Renderer(scope).Text(state, terminal.message, "message");
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
  const json::object fields{{"Status", ToString(end.status)}};
  if (auto recorded = run_.memory.Record(EndedRecord(context.path, state.name, fields, {}, {})); !recorded) {
    end.status = StepStatus::kFailure;
    end.error = std::move(recorded.error());
  }
  end.exit_code = end.error ? 1 : 0;
  end.duration = Since(begun);
  run_.ports.observer.StepEnded(context, end);
  return {end.status, end.error, message.value_or(""), {}};
}

StateOutcome StateWorker::EnterWorking(const State& state, StepContext& context, const Place& place) {
  Work work(state, place, context, sessions_);
  const Scope scope = run_.ScopeAt(place, state.name);
  if (const auto* agent = std::get_if<AgentState>(&state.body)) {
    work.start = run_.Renderer(scope).AgentStart(state, *agent);
  } else if (const auto* operation = std::get_if<OperationState>(&state.body)) {
    work.start.operation = operation->plugin + "." + operation->operation;
  }
  work.start.time = WallClock::now();
  run_.ports.observer.StepStarted(context, work.start);
  HookRunner(run_).Run(state.hooks.pre, "pre", state, context, place, scope);
  RunAttempts(work);
  work.Close();
  return Finish(work);
}

void StateWorker::RunAttempts(Work& work) {
  for (;; ++work.context.attempt) {
    work.last = OneAttempt(work);
    StepEnd& end = work.last.result.end;
    Settle(end, work.state, work.place);
    work.Count(end);
    if (end.status == StepStatus::kSuccess || !PreparesAnother(work)) return;
  }
}

Attempt StateWorker::OneAttempt(Work& work) {
  if (work.place.cancelled.stop_requested()) return CancelledAttempt(work.place);
  try {
    const Scope scope = run_.ScopeAt(work.place, work.state.name);
    const auto bounds = BoundsOf(work, scope);
    if (!bounds) return FailedAttempt(bounds.error());
    return AttemptBody(work, scope, *bounds);
  } catch (const std::exception& fault) {
    return FailedAttempt(
        {"SYSTEM.INTERNAL.UNMAPPED", std::string("the state broke off: ") + fault.what(), {}, {}, {}, {}});
  }
}

// The place with the deadline of this attempt.
std::expected<Place, Error> StateWorker::BoundsOf(Work& work, const Scope& scope) {
  const auto timeout = run_.Renderer(scope).Timeout(work.state);
  if (!timeout) return std::unexpected(timeout.error());
  Place bounds = work.place;
  if (*timeout) {
    bounds.deadline = Earlier(bounds.deadline, SteadyClock::now() + **timeout);
  } else if (work.state.timeout && work.context.attempt == 1) {
    run_.ports.observer.Logged(&work.context, LogLevel::kInfo, "timeout is 0: the state has no time limit", {});
  }
  bounds.taken_up = work.place.taken_up && work.context.attempt == 1;
  return bounds;
}

Attempt StateWorker::AttemptBody(Work& work, const Scope& scope, const Place& bounds) {
  const StepRenderer renderer = run_.Renderer(scope);
  Attempt attempt;
  if (const auto* command = std::get_if<CommandState>(&work.state.body)) {
    auto request = renderer.Command(work.state, *command, work.context);
    if (!request) return FailedAttempt(std::move(request.error()));
    request->deadline = bounds.deadline;
    request->cancelled = bounds.cancelled;
    TellCommand(run_.ports.observer, *request);
    attempt.result = run_.ports.commands.Run(*request, run_.ports.observer);
  } else if (const auto* agent = std::get_if<AgentState>(&work.state.body)) {
    auto request = renderer.Agent(work.state, *agent, work.context);
    if (!request) return FailedAttempt(std::move(request.error()));
    if (auto joined = JoinConversation(run_, work.state, *agent, *request, work.lease); !joined) {
      return FailedAttempt(std::move(joined.error()));
    }
    request->deadline = bounds.deadline;
    request->cancelled = bounds.cancelled;
    attempt.result = run_.ports.agents.Run(*request, run_.ports.observer);
    ReadAnswer(work.state, *agent, attempt.result);
  } else if (const auto* operation = std::get_if<OperationState>(&work.state.body)) {
    attempt = OperationRunner(run_).Run(work.state, *operation, work.context, renderer, bounds, work.begun);
  } else if (const auto* parallel = std::get_if<ParallelState>(&work.state.body)) {
    attempt = ParallelRunner(run_, *this).Run(work.state, *parallel, work.context, bounds);
  } else if (const auto* loop = std::get_if<ForEachState>(&work.state.body)) {
    attempt = LoopRunner(run_, *this).Run(work.state, *loop, work.context, bounds);
  }
  return attempt;
}

// Tells of a further attempt and waits for it. False: there is none.
bool StateWorker::PreparesAnother(Work& work) {
  const RetryPolicy& policy = work.state.retry;
  const int attempt = work.context.attempt;
  const StepEnd& end = work.last.result.end;
  if (attempt >= policy.max_attempts || work.last.ending || IsHopeless(end)) return false;
  const std::vector<int>& codes = policy.retryable_exit_codes;
  if (!codes.empty() && std::ranges::find(codes, end.exit_code) == codes.end()) return false;
  if (work.place.cancelled.stop_requested()) return false;
  constexpr std::uint64_t kSteps = 1U << 30;
  const double random01 = static_cast<double>(RandomUpTo(kSteps)) / static_cast<double>(kSteps);
  const milliseconds delay = RetryDelay(policy, attempt + 1, random01);
  // An attempt that could only begin when the loop or parallel state around it is out of time would be none.
  if (work.place.deadline && SteadyClock::now() + delay >= *work.place.deadline) return false;
  run_.ports.observer.StepRetried(work.context, {attempt + 1, delay, *end.error});
  if (run_.ports.wait(delay, work.place.cancelled)) return true;
  const Attempt cancelled = CancelledAttempt(work.place);
  work.last.result.end.status = cancelled.result.end.status;
  work.last.result.end.error = cancelled.result.end.error;
  Settle(work.last.result.end, work.state, work.place);
  return false;
}

StateOutcome StateWorker::Finish(Work& work) {
  const State& state = work.state;
  StepResult& result = work.last.result;
  Scope scope = run_.ScopeAt(work.place, state.name);
  ShowOwn(scope, state, FieldsOf(work.context.kind, result));
  HookRunner(run_).Run(state.hooks.post, "post", state, work.context, work.place, scope);
  Route route = RouteOf(work, scope);
  const json::object& fields = *scope.states[state.name];
  const auto session = SessionToKeep(run_, state, result);
  auto recorded = run_.memory.Record(
      EndedRecord(work.context.path, state.name, fields, CapturesOf(state, fields), route.next, session.get()));
  if (!recorded) {
    result.end.status = StepStatus::kFailure;
    result.end.error = std::move(recorded.error());
    route = {};
  }
  run_.ports.observer.StepEnded(work.context, result.end);
  return {result.end.status, result.end.error, {}, std::move(route)};
}

// May turn the result into a failure, when a transition cannot be told; the scope shows that too.
Route StateWorker::RouteOf(Work& work, Scope& scope) {
  StepEnd& end = work.last.result.end;
  if (work.last.ending) return {{}, std::move(work.last.ending), {}};
  if (!work.last.leave.empty() && work.place.flow != Flow::kBranch && work.place.flow != Flow::kAlone) {
    return {work.last.leave, {}, {}};
  }
  if (work.place.flow == Flow::kBranch || work.place.flow == Flow::kAlone || !IsRoutable(end)) return {};
  auto chosen = ChosenTransition(work.state, scope);
  if (chosen && !chosen->empty()) return {std::move(*chosen), {}, {}};
  if (!chosen) {
    if (end.error) chosen.error().message += "; before that the state had failed: " + end.error->message;
    end.status = StepStatus::kFailure;
    end.error = std::move(chosen.error());
    Settle(end, work.state, work.place);
    ShowOwn(scope, work.state, FieldsOf(work.context.kind, work.last.result));
  }
  return RouteWithoutTransition(work.state, end, work.place, scope, run_);
}

}  // namespace awf
