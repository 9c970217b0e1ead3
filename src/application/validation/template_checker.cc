#include "application/validation/template_checker.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "application/language/template.h"
#include "application/language/template_functions.h"

namespace awf {
namespace {

// Functions whose result holds no text of their arguments that a shell could take for more than a word.
constexpr std::string_view kTaming[] = {"escape", "eq",  "ne",  "lt",       "le",        "gt",
                                        "ge",     "len", "not", "contains", "hasPrefix", "hasSuffix"};

bool IsTaming(std::string_view function) { return std::ranges::find(kTaming, function) != std::end(kTaming); }

std::string Joined(std::span<const std::string> path) {
  std::string joined;
  for (const std::string& name : path) joined.append(".").append(name);
  return joined;
}

}  // namespace

void TemplateChecker::Check(const TemplateText& text, const ReferencePlace& place) {
  const auto parsed = Template::Parse(text.text);
  if (!parsed) {
    const TemplateFault& fault = parsed.error();
    references_.Report(Severity::kError, fault.code, text, place, fault.offset, fault.message, fault.hint);
    return;
  }
  text_ = &text;
  place_ = &place;
  variables_.clear();
  dot_ = {};
  Nodes(parsed->nodes());
}

void TemplateChecker::Nodes(const std::vector<TemplateNode>& nodes) {
  for (const TemplateNode& node : nodes) {
    if (const auto* action = std::get_if<ActionNode>(&node.form)) {
      Action(action->expression);
    } else if (const auto* variable = std::get_if<VariableNode>(&node.form)) {
      Bind(variable->target, Evaluate(variable->value, Use::kValue), false);
    } else if (const auto* condition = std::get_if<IfNode>(&node.form)) {
      Branches(condition->branches, condition->otherwise, false);
    } else if (const auto* with = std::get_if<WithNode>(&node.form)) {
      Branches(with->branches, with->otherwise, true);
    } else if (const auto* range = std::get_if<RangeNode>(&node.form)) {
      Range(*range);
    }
  }
}

void TemplateChecker::Action(const TemplateExpression& expression) {
  const Value value = Evaluate(expression, Use::kPrinted);
  if (!place_->is_command) return;
  for (const std::size_t offset : value.agent_text) {
    references_.Report(
        Severity::kWarning, "WORKFLOW.VALIDATION.UNESCAPED_OUTPUT", *text_, *place_, offset,
        "an agent's text goes into a command unescaped: it could run anything",
        value.path.empty() ? "pipe it into escape" : "pipe it into escape: {{" + Joined(value.path) + " | escape}}");
  }
}

void TemplateChecker::Branches(const std::vector<TemplateBranch>& branches, const std::vector<TemplateNode>& otherwise,
                               bool with) {
  const std::size_t outer = variables_.size();
  for (const TemplateBranch& branch : branches) {
    const Value value = Evaluate(branch.value, Use::kValue);
    Bind(branch.target, value, false);
    Body(branch.body, with ? std::optional(Held{{}, value.path, !value.agent_text.empty()}) : std::nullopt);
  }
  Body(otherwise, std::nullopt);
  variables_.resize(outer);
}

void TemplateChecker::Range(const RangeNode& range) {
  const std::size_t outer = variables_.size();
  const Value value = Evaluate(range.value, Use::kValue);
  Bind(range.target, value, true);
  Body(range.body, Held{{}, {}, !value.agent_text.empty()});
  Body(range.otherwise, std::nullopt);
  variables_.resize(outer);
}

void TemplateChecker::Body(const std::vector<TemplateNode>& nodes, std::optional<Held> dot) {
  const std::size_t outer = variables_.size();
  if (dot) std::swap(*dot, dot_);
  Nodes(nodes);
  if (dot) std::swap(*dot, dot_);
  variables_.resize(outer);
}

// `elements`: the variables hold what is in the value, of which no more is known.
void TemplateChecker::Bind(const VariableBinding& target, const Value& value, bool elements) {
  for (const std::string& name : target.names) {
    const bool agent_text = !value.agent_text.empty();
    if (target.declares) {
      variables_.push_back({name, elements ? std::vector<std::string>() : value.path, agent_text});
    } else if (Held* variable = FindVariable(name)) {
      variable->path.clear();  // which of the values it holds depends on the way
      variable->agent_text = variable->agent_text || agent_text;
    }
  }
}

TemplateChecker::Held* TemplateChecker::FindVariable(const std::string& name) {
  const auto found = std::ranges::find(variables_.rbegin(), variables_.rend(), name, &Held::name);
  return found == variables_.rend() ? nullptr : &*found;
}

TemplateChecker::Value TemplateChecker::Evaluate(const TemplateExpression& expression, Use use) {
  const std::size_t offset = expression.offset;
  if (const auto* reference = std::get_if<ReferenceExpression>(&expression.form)) {
    return Reference(offset, reference->path, use, false);
  }
  if (const auto* dot = std::get_if<DotExpression>(&expression.form)) return Select(offset, dot_, dot->path, use);
  if (const auto* variable = std::get_if<VariableExpression>(&expression.form)) {
    const Held* held = FindVariable(variable->name);
    return held == nullptr ? Value() : Select(offset, *held, variable->path, use);
  }
  if (const auto* call = std::get_if<CallExpression>(&expression.form)) return Call(expression, *call, use);
  if (const auto* select = std::get_if<SelectExpression>(&expression.form)) {
    Value base = Evaluate(select->base[0], use == Use::kDefaulted ? use : Use::kValue);
    return {{}, std::move(base.agent_text)};
  }
  return {};
}

TemplateChecker::Value TemplateChecker::Call(const TemplateExpression& expression, const CallExpression& call,
                                             Use use) {
  if (FindTemplateFunction(call.function) == nullptr) {
    references_.UnknownFunction(*text_, *place_, expression.offset, call.function, TemplateFunctionNames());
  }
  // Whose absence is provided for: the last argument of default, and what index looks into when it is that one.
  const TemplateExpression* provided = nullptr;
  if (call.function == "default" && !call.arguments.empty()) provided = &call.arguments.back();
  if (call.function == "index" && use == Use::kDefaulted && !call.arguments.empty()) provided = call.arguments.data();
  Value result;
  for (const TemplateExpression& argument : call.arguments) {
    const Value value = Evaluate(argument, &argument == provided ? Use::kDefaulted : Use::kValue);
    result.agent_text.insert(result.agent_text.end(), value.agent_text.begin(), value.agent_text.end());
  }
  if (IsTaming(call.function)) result.agent_text.clear();
  return result;
}

TemplateChecker::Value TemplateChecker::Reference(std::size_t offset, std::vector<std::string> path, Use use,
                                                  bool order_known) {
  awf::Reference reference{offset, path, use == Use::kDefaulted, use == Use::kPrinted, order_known};
  const bool agent_text = references_.Check(*text_, *place_, reference);
  Value value{std::move(path), {}};
  if (agent_text) value.agent_text.push_back(offset);
  return value;
}

TemplateChecker::Value TemplateChecker::Select(std::size_t offset, const Held& base,
                                               const std::vector<std::string>& path, Use use) {
  // The reference itself has been checked where the variable got it.
  if (!base.path.empty() && !path.empty()) {
    std::vector<std::string> whole = base.path;
    whole.insert(whole.end(), path.begin(), path.end());
    return Reference(offset, std::move(whole), use, true);
  }
  Value value{path.empty() ? base.path : std::vector<std::string>(), {}};
  if (base.agent_text) value.agent_text.push_back(offset);
  return value;
}

}  // namespace awf
