#include "application/validation/reference_checker.h"

#include <algorithm>
#include <utility>

#include "application/language/vocabulary.h"
#include "domain/joined.h"

namespace awf {
namespace {

constexpr std::string_view kContainerFields[] = {"Status", "Error", "ErrorCode", "Duration", "Attempts", "Response"};
constexpr std::string_view kLoopResponse[] = {"iterations", "limit_reached", "results"};

bool Contains(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

std::string Listed(std::span<const std::string_view> words) { return Joined(words, ", "); }

std::string_view KindOf(const State& state) {
  if (std::holds_alternative<AgentState>(state.body)) return "agent";
  if (IsLoop(state)) return "for_each";
  if (IsParallel(state)) return "parallel";
  if (std::holds_alternative<OperationState>(state.body)) return "operation";
  return IsTerminal(state) ? "terminal" : "step";
}

std::vector<std::string_view> FieldsOf(const State& state) {
  if (IsLoop(state) || IsParallel(state)) return {std::begin(kContainerFields), std::end(kContainerFields)};
  const auto common = CommonResultFields();
  std::vector<std::string_view> fields(common.begin(), common.end());
  if (std::holds_alternative<OperationState>(state.body)) fields.emplace_back("Response");
  const auto* agent = std::get_if<AgentState>(&state.body);
  if (agent == nullptr) return fields;
  for (const std::string_view field : AgentResultFields()) {
    if (field != "JSON" || agent->output_format == AgentOutputFormat::kJson) fields.push_back(field);
  }
  return fields;
}

// Fields that hold other values by name.
bool IsObjectField(std::string_view field) { return field == "Response" || field == "JSON"; }

}  // namespace

ReferenceChecker::ReferenceChecker(const Workflow& workflow, const StateGraph& graph, std::vector<Finding>& findings)
    : workflow_(workflow), graph_(graph), findings_(findings), order_(graph) {
  for (const WorkflowInput& input : workflow.inputs) input_names_.push_back(input.name);
  std::ranges::sort(input_names_);
  for (const State& state : workflow.states) {
    const bool agent = std::holds_alternative<AgentState>(state.body);
    if (!state.capture.stdout_name.empty()) captures_.try_emplace(state.capture.stdout_name, &state, agent);
    if (!state.capture.stderr_name.empty()) captures_.try_emplace(state.capture.stderr_name, &state, false);
  }
  for (const auto& [name, origin] : captures_) capture_names_.emplace_back(name);
  std::ranges::sort(capture_names_);
}

bool ReferenceChecker::Check(const TemplateText& text, const ReferencePlace& place, const Reference& reference) {
  const Spot spot{text, place, reference};
  const std::string& root = reference.path[0];
  if (!IsNamespace(root)) {
    UnknownNamespace(spot);
  } else if (root == "loop") {
    Loop(spot);
  } else if (root == "error") {
    Failure(spot);
  } else if (reference.path.size() == 1) {
    if (reference.printed || root == "env" || (root == "states" && !place.may_be_null)) {
      Undefined(spot, "'" + root + "' needs a name behind it",
                root == "states" ? "as in states.name.Output" : "as in " + root + ".name");
    }
  } else if (root == "inputs") {
    Input(spot);
  } else if (root == "env") {
    NoFieldsBehind(spot, 2);
  } else if (root == "states") {
    return StateValue(spot);
  } else if (root == "captures") {
    return Capture(spot);
  } else {
    Key(spot, 1);
  }
  return false;
}

void ReferenceChecker::UnknownNamespace(const Spot& spot) {
  const std::string& word = spot.reference.path[0];
  std::string hint = hints_.For(word, Namespaces());
  if (hint.empty() && std::ranges::binary_search(input_names_, word)) hint = "did you mean 'inputs." + word + "'?";
  if (hint.empty() && graph_.index().Find(word)) hint = "did you mean 'states." + word + "'?";
  if (hint.empty() && spot.place.may_be_null && spot.reference.path.size() == 1) {
    hint = "a text needs quotes: \"" + word + "\"";
  }
  Undefined(spot, "there is no '" + word + "'; values stand in " + Listed(Namespaces()), std::move(hint));
}

void ReferenceChecker::Input(const Spot& spot) {
  const std::string& name = spot.reference.path[1];
  if (!std::ranges::binary_search(input_names_, name)) {
    return Undefined(spot, "there is no input '" + name + "'", hints_.For(name, input_names_));
  }
  NoFieldsBehind(spot, 2);
}

bool ReferenceChecker::Capture(const Spot& spot) {
  const std::string& name = spot.reference.path[1];
  const auto found = captures_.find(name);
  if (found == captures_.end()) {
    std::string hint = hints_.For(name, capture_names_);
    if (hint.empty()) hint = "a state makes it by capture: {stdout: " + name + "}";
    Undefined(spot, "no state captures '" + name + "'", std::move(hint));
    return false;
  }
  NoFieldsBehind(spot, 2);
  Order(spot, *found->second.state);
  return found->second.agents_words;
}

// `loop` is the innermost loop around; its parents are those further out.
void ReferenceChecker::Loop(const Spot& spot) {
  const auto path = spot.reference.path;
  const auto state = graph_.index().Find(spot.place.state.name);
  std::size_t loops = state ? graph_.containment().LoopsAround(*state) : 0;
  if (spot.place.moment == Moment::kPassEnd) ++loops;
  if (loops == 0) {
    return Undefined(spot, "'loop' is there in the body of a loop only",
                     "list '" + spot.place.state.name + "' in the body of a for_each, or leave it out");
  }
  std::size_t at = 1;
  while (at < path.size() && path[at] == "Parent") {
    if (at++ < loops) continue;
    if (!spot.place.may_be_null || at < path.size()) {
      Undefined(spot, "there is no loop around this one, so 'loop' has no such Parent", {});
    }
    return;
  }
  if (at == path.size()) {
    if (spot.reference.printed) Undefined(spot, "'" + path[at - 1] + "' needs a name behind it", "as in loop.Item");
  } else if (path[at] != "Item") {
    Key(spot, at);
  }
}

void ReferenceChecker::Failure(const Spot& spot) {
  if (spot.place.moment != Moment::kAfterFailure) {
    return Undefined(spot, "'error' is there in on_failure.message only",
                     "states.NAME.Error and states.NAME.ErrorCode tell why a state failed");
  }
  if (spot.reference.path.size() > 1) return Key(spot, 1);
  if (spot.reference.printed) Undefined(spot, "'error' needs a name behind it", "as in error.Message");
}

void ReferenceChecker::Key(const Spot& spot, std::size_t at) {
  const auto path = spot.reference.path;
  const auto keys = KeysOf(path[0]);
  if (Contains(keys, path[at])) return NoFieldsBehind(spot, at + 1);
  std::string hint = hints_.For(path[at], keys);
  if (hint.empty()) hint = "it has " + Listed(keys);
  Undefined(spot, "'" + path[0] + "' has no '" + path[at] + "'", std::move(hint));
}

bool ReferenceChecker::StateValue(const Spot& spot) {
  const auto path = spot.reference.path;
  const auto index = graph_.index().Find(path[1]);
  if (!index) {
    Undefined(spot, "there is no state '" + path[1] + "'", graph_.index().HintFor(path[1]));
    return false;
  }
  const State& state = workflow_.states[*index];
  if (IsTerminal(state)) {
    Undefined(spot, "state '" + state.name + "' ends the run, so it has no results", {});
    return false;
  }
  if (path.size() == 2 && spot.reference.printed) {
    Undefined(spot, "state '" + path[1] + "' needs a field behind it", "as in states." + path[1] + ".Output");
    return false;
  }
  if (!state.partial && path.size() > 2 && !FieldExists(spot, state)) return false;
  Order(spot, state);
  if (&state == &spot.place.state && path.size() > 2 && (path[2] == "Status" || path[2] == "ExitCode")) {
    outcome_read_ = true;
  }
  const bool agent = std::holds_alternative<AgentState>(state.body);
  return agent && (path.size() == 2 || path[2] == "Output" || IsObjectField(path[2]));
}

bool ReferenceChecker::FieldExists(const Spot& spot, const State& state) {
  const auto path = spot.reference.path;
  const std::vector<std::string_view> fields = FieldsOf(state);
  if (Contains(fields, path[2])) {
    if (!IsObjectField(path[2])) {
      NoFieldsBehind(spot, 3);
    } else if (IsLoop(state) || IsParallel(state)) {
      ContainerField(spot, state);
    }
    return true;
  }
  const std::string kind(KindOf(state));
  const std::string lacks = "'" + state.name + "' is of type " + kind + ", which has no field '" + path[2] + "'";
  if (path[2] == "JSON" && kind == "agent") {
    Undefined(spot, "state '" + state.name + "' has no JSON, as its output_format is text", "set output_format: json");
  } else if (Contains(AgentResultFields(), path[2]) || Contains(CommonResultFields(), path[2])) {
    const bool container = kind == "for_each" || kind == "parallel";
    Undefined(spot, lacks, container ? "what it yields is in Response" : "");
  } else {
    std::string hint = hints_.For(path[2], fields);
    if (hint.empty()) hint = "it has " + Listed(fields);
    Undefined(spot, lacks, std::move(hint));
  }
  return false;
}

// Response of loops and parallel states: its keys are known.
void ReferenceChecker::ContainerField(const Spot& spot, const State& state) {
  const auto path = spot.reference.path;
  if (path.size() == 3) return;
  std::vector<std::string_view> keys;
  if (IsLoop(state)) {
    keys.assign(std::begin(kLoopResponse), std::end(kLoopResponse));
  } else {
    for (const StateTarget& branch : MembersOf(state)) keys.push_back(branch.state);
  }
  if (std::ranges::find(keys, path[3]) != keys.end()) return NoFieldsBehind(spot, 4);
  std::string hint = hints_.For(path[3], keys);
  if (hint.empty() && IsLoop(state)) hint = "it has " + Listed(kLoopResponse);
  Undefined(spot,
            IsLoop(state) ? "Response of the loop '" + state.name + "' has no '" + path[3] + "'"
                          : "'" + state.name + "' has no branch '" + path[3] + "'",
            std::move(hint));
}

void ReferenceChecker::NoFieldsBehind(const Spot& spot, std::size_t length) {
  const auto path = spot.reference.path;
  if (path.size() <= length) return;
  std::string name = path[0];
  for (std::size_t i = 1; i < length; ++i) name += "." + path[i];
  Undefined(spot, "'" + name + "' has no fields", {});
}

// Whether the state can have run, and whether it must have.
void ReferenceChecker::Order(const Spot& spot, const State& referred) {
  if (spot.reference.order_known || !graph_.Complete()) return;
  const std::string& reader = spot.place.state.name;
  const auto from = graph_.index().Find(referred.name);
  const auto to = graph_.index().Find(reader);
  if (!from || !to) return;
  const bool after = spot.place.moment == Moment::kAfter || spot.place.moment == Moment::kAfterFailure;
  if (after && from == to) return;
  const auto nodes = graph_.NodesAt(*to, spot.place.moment);
  if (!order_.IsReached(nodes)) return;
  const auto report = [&](Severity severity, std::string message, std::string hint) {
    Report(severity, "WORKFLOW.VALIDATION.FORWARD_REFERENCE", spot.text, spot.place, spot.reference.offset,
           std::move(message), std::move(hint));
  };
  if (const auto parallel = graph_.containment().ParallelBetween(*from, *to)) {
    return report(Severity::kError,
                  "state '" + referred.name + "' runs at the same time as '" + reader + "', in another branch of '" +
                      workflow_.states[*parallel].name + "'",
                  "what a branch yields can be read when the parallel state has ended");
  }
  const bool from_outside =
      (IsLoop(referred) || IsParallel(referred)) && from != to && !graph_.containment().Holds(*from, *to);
  if (order_.HasEnded(*from, nodes, from_outside)) return;
  if (!order_.CanHaveEnded(*from, nodes, from_outside)) {
    report(Severity::kError,
           from == to ? "state '" + reader + "' reads its own result before it has run"
                      : "state '" + referred.name + "' can never have run before '" + reader + "'",
           {});
  } else if (!spot.reference.has_default && !spot.place.may_be_null) {
    report(Severity::kWarning, "on some ways to '" + reader + "' the state '" + referred.name + "' has not run",
           "give a value for that case with default");
  }
}

void ReferenceChecker::UnknownFunction(const TemplateText& text, const ReferencePlace& place, std::size_t offset,
                                       const std::string& name, std::span<const std::string> functions) {
  Report(Severity::kError, "WORKFLOW.VALIDATION.UNDEFINED_REFERENCE", text, place, offset,
         "there is no function '" + name + "'", hints_.For(name, functions));
}

void ReferenceChecker::Report(Severity severity, std::string_view code, const TemplateText& text,
                              const ReferencePlace& place, std::size_t offset, std::string message, std::string hint) {
  findings_.push_back(
      {severity,
       {std::string(code), std::move(message), std::move(hint), text.At(offset), place.state.name, place.field}});
}

void ReferenceChecker::Undefined(const Spot& spot, std::string message, std::string hint) {
  Report(Severity::kError, "WORKFLOW.VALIDATION.UNDEFINED_REFERENCE", spot.text, spot.place, spot.reference.offset,
         std::move(message), std::move(hint));
}

}  // namespace awf
