#include "application/template_checker.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "application/template.h"
#include "application/template_functions.h"
#include "domain/nearest_name.h"

namespace awf {
namespace {

constexpr std::string_view kFields[] = {"Output", "Stderr",    "ExitCode", "Status",
                                        "Error",  "ErrorCode", "Duration", "Attempts"};
constexpr std::string_view kAgentFields[] = {"Response", "TokensInput", "TokensOutput", "TokensUsed",
                                             "TokensEstimated"};
constexpr std::string_view kPlannedFields[] = {"JSON"};
constexpr std::string_view kNamespaces[] = {"inputs", "states"};
constexpr std::string_view kPlannedNamespaces[] = {"captures", "env", "workflow", "awf", "context", "error", "loop"};

// The order checks are quadratic; beyond this a missing value shows when the template is rendered.
constexpr std::size_t kMaxOrderedStates = 1000;

template <class Range>
bool Contains(const Range& range, std::string_view word) {
  return std::ranges::find(range, word) != std::end(range);
}

std::string DidYouMean(std::string_view wanted, const std::vector<std::string>& candidates) {
  const std::string nearest = NearestName(wanted, candidates);
  return nearest.empty() ? "" : "did you mean '" + nearest + "'?";
}

std::string KindOf(const State& state) {
  if (std::holds_alternative<AgentState>(state.body)) return "agent";
  return std::holds_alternative<TerminalState>(state.body) ? "terminal" : "step";
}

}  // namespace

TemplateChecker::TemplateChecker(const Workflow& workflow, const StateGraph& graph, std::vector<Finding>& findings)
    : workflow_(workflow), graph_(graph), findings_(findings), reachable_(graph.ReachedFromInitial()) {}

void TemplateChecker::Check(const TemplateText& text, const TemplatePlace& place) {
  const Context context{text, place};
  const auto parsed = Template::Parse(text.text);
  if (!parsed) {
    const TemplateFault& fault = parsed.error();
    findings_.push_back(
        {Severity::kError,
         {fault.code, fault.message, fault.hint, text.At(fault.offset), place.state.name, place.field}});
    return;
  }
  for (const TemplateNode& node : parsed->nodes()) {
    if (const auto* action = std::get_if<ActionNode>(&node)) Expression(action->expression, context);
  }
}

void TemplateChecker::Expression(const TemplateExpression& expression, const Context& context) {
  if (const auto* reference = std::get_if<ReferenceExpression>(&expression.form)) {
    Reference(expression.offset, reference->path, context);
  } else if (const auto* select = std::get_if<SelectExpression>(&expression.form)) {
    Expression(select->base[0], context);
  } else if (const auto* call = std::get_if<CallExpression>(&expression.form)) {
    if (FindTemplateFunction(call->function) == nullptr) {
      Undefined(expression.offset, "there is no function '" + call->function + "'",
                DidYouMean(call->function, TemplateFunctionNames()), context);
    }
    for (const TemplateExpression& argument : call->arguments) {
      Context inner = context;
      inner.has_default = call->function == "default" && &argument == &call->arguments.back();
      inner.escaped = context.escaped || call->function == "escape";
      Expression(argument, inner);
    }
  }
}

void TemplateChecker::Reference(std::size_t offset, const std::vector<std::string>& path, const Context& context) {
  const std::string& root = path[0];
  if (Contains(kPlannedNamespaces, root)) {
    return Undefined(offset, "'" + root + "' is not supported yet", {}, context);
  }
  if (!Contains(kNamespaces, root)) {
    return Undefined(offset, "there is no '" + root + "'; values stand in inputs and states",
                     DidYouMean(root, {"inputs", "states"}), context);
  }
  if (path.size() == 1) {
    return Undefined(offset, "'" + root + "' needs a name behind it",
                     root == "inputs" ? "as in {{.inputs.name}}" : "as in {{.states.name.Output}}", context);
  }
  root == "inputs" ? Input(offset, path, context) : StateField(offset, path, context);
}

void TemplateChecker::Input(std::size_t offset, const std::vector<std::string>& path, const Context& context) {
  std::vector<std::string> names;
  names.reserve(workflow_.inputs.size());
  for (const WorkflowInput& input : workflow_.inputs) names.push_back(input.name);
  if (!Contains(names, path[1])) {
    return Undefined(offset, "there is no input '" + path[1] + "'", DidYouMean(path[1], names), context);
  }
  if (path.size() > 2) Undefined(offset, "input '" + path[1] + "' has no fields", {}, context);
}

void TemplateChecker::StateField(std::size_t offset, const std::vector<std::string>& path, const Context& context) {
  const auto index = graph_.IndexOf(path[1]);
  if (!index) {
    return Undefined(offset, "there is no state '" + path[1] + "'", graph_.HintFor(path[1]), context);
  }
  const State& state = workflow_.states[*index];
  if (path.size() == 2) {
    return Undefined(offset, "state '" + path[1] + "' needs a field behind it",
                     "as in {{.states." + path[1] + ".Output}}", context);
  }
  if (state.partial) return;  // what it yields is not known
  if (!FieldExists(offset, state, path, context)) return;
  const bool agents_words = KindOf(state) == "agent" && (path[2] == "Output" || path[2] == "Response");
  if (context.place.is_command && agents_words && !context.escaped) {
    Report(Severity::kWarning, "WORKFLOW.VALIDATION.UNESCAPED_OUTPUT", offset,
           "an agent's text goes into a command unescaped: it could run anything",
           "pipe it into escape: {{.states." + path[1] + "." + path[2] + " | escape}}", context);
  }
  Order(offset, path[1], context);
}

bool TemplateChecker::FieldExists(std::size_t offset, const State& state, const std::vector<std::string>& path,
                                  const Context& context) {
  const std::string& field = path[2];
  const std::string kind = KindOf(state);
  if (kind == "terminal") {
    Undefined(offset, "state '" + state.name + "' ends the run, so it has no results", {}, context);
    return false;
  }
  if (Contains(kPlannedFields, field)) {
    Undefined(offset, "field '" + field + "' is not supported yet", {}, context);
    return false;
  }
  const bool agents = Contains(kAgentFields, field);
  if (!agents && !Contains(kFields, field)) {
    std::vector<std::string> names(std::begin(kFields), std::end(kFields));
    if (kind == "agent") names.insert(names.end(), std::begin(kAgentFields), std::end(kAgentFields));
    Undefined(offset, "states have no field '" + field + "'", DidYouMean(field, names), context);
    return false;
  }
  if (agents && kind != "agent") {
    Undefined(offset, "only agents have the field '" + field + "', and '" + state.name + "' is a " + kind, {}, context);
    return false;
  }
  if (path.size() > 3 && field != "Response") {
    Undefined(offset, "'" + field + "' has no fields", {}, context);
    return false;
  }
  return true;
}

// Whether the state can have run, and whether it must have.
void TemplateChecker::Order(std::size_t offset, const std::string& name, const Context& context) {
  if (workflow_.states.size() > kMaxOrderedStates) return;
  const auto referred = graph_.IndexOf(name);
  const auto reader = graph_.IndexOf(context.place.state.name);
  if (!graph_.Complete() || !referred || !reader || !reachable_[*reader]) return;
  if (context.place.after_state && referred == reader) return;
  if (!reachable_[*referred] || !ReachedFrom(*referred)[*reader]) {
    Report(Severity::kError, "WORKFLOW.VALIDATION.FORWARD_REFERENCE", offset,
           "state '" + name + "' can never have run before '" + context.place.state.name + "'", {}, context);
  } else if (!context.has_default && (referred == reader || ReachedWithout(*referred)[*reader])) {
    Report(Severity::kWarning, "WORKFLOW.VALIDATION.FORWARD_REFERENCE", offset,
           "on some ways to '" + context.place.state.name + "' the state '" + name + "' has not run",
           "give a value for that case with default", context);
  }
}

void TemplateChecker::Report(Severity severity, const char* code, std::size_t offset, std::string message,
                             std::string hint, const Context& context) {
  findings_.push_back({severity,
                       {code, std::move(message), std::move(hint), context.text.At(offset), context.place.state.name,
                        context.place.field}});
}

void TemplateChecker::Undefined(std::size_t offset, std::string message, std::string hint, const Context& context) {
  Report(Severity::kError, "WORKFLOW.VALIDATION.UNDEFINED_REFERENCE", offset, std::move(message), std::move(hint),
         context);
}

const std::vector<bool>& TemplateChecker::ReachedFrom(std::size_t state) {
  const auto found = reached_from_.find(state);
  if (found != reached_from_.end()) return found->second;
  return reached_from_.emplace(state, graph_.ReachedFrom(state)).first->second;
}

const std::vector<bool>& TemplateChecker::ReachedWithout(std::size_t state) {
  const auto found = reached_without_.find(state);
  if (found != reached_without_.end()) return found->second;
  return reached_without_.emplace(state, graph_.ReachedFromInitial(state)).first->second;
}

}  // namespace awf
