#include "application/running/loop_runner.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "application/running/loop_items.h"
#include "application/running/state_flow.h"

namespace awf {
namespace {

json::object LoopNamespace(const json::array& items, std::size_t pass, const Place& around) {
  return {{"Item", items[pass]},
          {"Index", pass},
          {"Index1", pass + 1},
          {"First", pass == 0},
          {"Last", pass + 1 == items.size()},
          {"Length", items.size()},
          {"Parent", around.loop ? json::value(*around.loop) : json::value(nullptr)}};
}

Place PlaceOfPass(const StepContext& context, const Place& bounds, const json::array& items, std::size_t pass) {
  Place place = bounds;
  place.flow = Flow::kBody;
  place.within = context.path + ":" + std::to_string(pass) + "/";
  place.parent_span_id = context.span_id;
  place.loop_index = static_cast<int>(pass);
  place.branch.clear();
  place.loop = std::make_shared<const json::object>(LoopNamespace(items, pass, bounds));
  ++place.loop_depth;
  return place;
}

// The loop fails with what its body failed with.
Attempt FailedBody(const std::string& body_state, std::size_t pass, const StateOutcome& outcome) {
  Error error = *outcome.error;
  error.message = "pass " + std::to_string(pass + 1) + ", state '" + body_state + "': " + error.message;
  return FailedAttempt(std::move(error));
}

}  // namespace

Attempt LoopRunner::Run(const State& state, const ForEachState& loop, const StepContext& context, const Place& bounds) {
  if (bounds.loop_depth >= kMaxLoopDepth) {
    return FailedAttempt({"EXECUTION.LOOP.LIMIT", "loops nest deeper than 10", {}, state.position, state.name, {}});
  }
  if (!bounds.taken_up || !run_.memory.HasBegun(context.path)) {
    if (auto begun = Begin(state, loop, context, bounds); !begun) return FailedAttempt(std::move(begun.error()));
  }
  std::optional<json::value> left;
  Attempt attempt = Passes({state, loop, context, bounds}, left);
  json::array results = run_.memory.Loop(context.path).results;
  if (left) results.push_back(std::move(*left));
  const std::size_t iterations = results.size();
  attempt.result.response =
      json::object{{"iterations", iterations}, {"limit_reached", false}, {"results", std::move(results)}};
  return attempt;
}

std::expected<void, Error> LoopRunner::Begin(const State& state, const ForEachState& loop, const StepContext& context,
                                             const Place& bounds) {
  const auto items = LoopItems(state, loop, run_.ScopeAt(bounds, state.name));
  if (!items) return std::unexpected(items.error());
  return run_.memory.Record(LoopBegunRecord(context.path, *items));
}

Attempt LoopRunner::Passes(const Loop& loop, std::optional<json::value>& left) {
  const std::string& path = loop.context.path;
  LoopProgress progress = run_.memory.Loop(path);
  progress.results.clear();
  const json::array items = std::move(progress.items);
  for (bool taken_up = loop.bounds.taken_up; !progress.over && progress.pass < items.size(); taken_up = false) {
    Pass pass{loop,
              PlaceOfPass(loop.context, loop.bounds, items, progress.pass),
              progress.pass,
              std::exchange(progress.cursor, {}),
              std::exchange(progress.last, {}),
              taken_up};
    Attempt attempt = Body(pass);
    if (attempt.ending || attempt.result.end.status != StepStatus::kSuccess) return attempt;
    if (!attempt.leave.empty()) {
      left = ResultOf(pass.last);
      return attempt;
    }
    const auto breaks = Breaks(pass);
    if (!breaks) return FailedAttempt(breaks.error());
    progress.over = *breaks || ++progress.pass == items.size();
    auto ended = run_.memory.Record(PassEndedRecord(path, pass.number, ResultOf(pass.last), progress.over));
    if (!ended) return FailedAttempt(std::move(ended.error()));
  }
  return {};
}

// From its cursor to the end of the pass, or to where it leaves the loop.
Attempt LoopRunner::Body(Pass& pass) {
  const State& state = pass.loop.state;
  const std::vector<StateTarget>& body = pass.loop.each.body;
  std::string name = pass.cursor.empty() && !body.empty() ? body.front().state : pass.cursor;
  for (int entered = 0; name != state.name; ++entered) {
    const auto at = std::ranges::find(body, name, &StateTarget::state);
    const State* next = at == body.end() ? nullptr : run_.workflow.Find(name);
    if (next == nullptr || std::holds_alternative<TerminalState>(next->body)) {
      Attempt attempt;
      attempt.leave = name;
      return attempt;
    }
    if (pass.place.cancelled.stop_requested()) return CancelledAttempt(pass.place);
    if (Passed(pass.place.deadline)) return TimedOutAttempt(state);
    if (entered == kMaxStatesEntered) {
      return FailedAttempt({"EXECUTION.RUN.STEP_LIMIT",
                            "a pass of the loop entered more than 10 000 states",
                            "give the cycle a way out",
                            next->position,
                            next->name,
                            {}});
    }
    Place place = pass.place;
    place.following = std::next(at) == body.end() ? state.name : std::next(at)->state;
    place.taken_up = pass.taken_up && entered == 0;
    StateOutcome outcome = worker_.Enter(*next, place);
    pass.last = name;
    if (outcome.route.ending) {
      Attempt attempt = FailedAttempt(outcome.route.ending->error);
      attempt.ending = std::move(outcome.route.ending);
      return attempt;
    }
    if (outcome.route.next.empty()) return Stopped(pass, outcome);
    name = std::move(outcome.route.next);
  }
  return {};
}

// Nothing follows the failure of a body state.
Attempt LoopRunner::Stopped(const Pass& pass, const StateOutcome& outcome) const {
  if (outcome.status == StepStatus::kCancelled) return FailedAttempt(*outcome.error, StepStatus::kCancelled);
  if (outcome.status == StepStatus::kTimeout && Passed(pass.place.deadline)) return TimedOutAttempt(pass.loop.state);
  return FailedBody(pass.last, pass.number, outcome);
}

std::expected<bool, Error> LoopRunner::Breaks(const Pass& pass) const {
  const TemplateText& text = pass.loop.each.break_when;
  if (text.empty()) return false;
  const State& state = pass.loop.state;
  return Holds(state, text, "break_when", "break_when", run_.ScopeAt(pass.place, state.name));
}

json::value LoopRunner::ResultOf(const std::string& body_state) const {
  const auto fields = run_.memory.ResultOf(body_state);
  const json::value* output = fields ? fields->if_contains("Output") : nullptr;
  return output == nullptr ? json::value(nullptr) : *output;
}

}  // namespace awf
