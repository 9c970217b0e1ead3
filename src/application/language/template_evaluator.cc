#include "application/language/template_evaluator.h"

#include <algorithm>

#include "application/language/template_functions.h"

namespace awf {
namespace {

constexpr std::size_t kBytesOfStep = 256;

std::int64_t StepsOf(const json::value& value) {
  return value.is_string() ? static_cast<std::int64_t>(value.get_string().size() / kBytesOfStep) : 0;
}

}  // namespace

std::expected<std::string, TemplateFault> TemplateEvaluator::Render(const std::vector<TemplateNode>& nodes) {
  if (Outcome outcome = List(nodes); !outcome) return std::unexpected(std::move(outcome.error()));
  return std::move(output_);
}

std::expected<TemplateValue, TemplateFault> TemplateEvaluator::Evaluate(const TemplateExpression& expression) {
  Value value = Of(expression);
  if (!value) return std::unexpected(std::move(value.error().fault));
  return std::move(*value);
}

std::expected<void, TemplateFault> TemplateEvaluator::Spend(std::size_t offset, std::int64_t steps) {
  steps_ += steps;
  if (steps_ <= max_steps_) return {};
  return Undefined(offset, "the template takes more than " + std::to_string(max_steps_) + " steps",
                   "let it range over fewer values");
}

std::expected<void, TemplateFault> TemplateEvaluator::Append(std::size_t offset, std::string_view text) {
  if (text.size() > kMaxTemplateOutput - output_.size()) {
    return Undefined(offset, "the text becomes longer than 64 MiB");
  }
  output_ += text;
  return {};
}

void TemplateEvaluator::Bind(const VariableBinding& target, const TemplateValue& value) {
  for (const std::string& name : target.names) {
    if (target.declares) {
      variables_.emplace_back(name, value);
    } else {
      Set(name, value);
    }
  }
}

void TemplateEvaluator::Set(std::string_view name, const TemplateValue& value) {
  if (TemplateValue* variable = FindVariable(name)) *variable = value;
}

TemplateValue* TemplateEvaluator::FindVariable(std::string_view name) {
  const auto found = std::ranges::find(variables_.rbegin(), variables_.rend(), name,
                                       &std::pair<std::string_view, TemplateValue>::first);
  return found == variables_.rend() ? nullptr : &found->second;
}

TemplateEvaluator::Outcome TemplateEvaluator::List(const std::vector<TemplateNode>& nodes) {
  for (const TemplateNode& node : nodes) {
    if (auto spent = Spend(node.offset, 1); !spent) return std::unexpected(std::move(spent.error()));
    Outcome outcome = std::visit([&](const auto& form) { return Run(node.offset, form); }, node.form);
    if (!outcome || *outcome != Flow::kOn) return outcome;
  }
  return Flow::kOn;
}

// What the nodes declare is gone behind them.
TemplateEvaluator::Outcome TemplateEvaluator::Body(const std::vector<TemplateNode>& nodes, const TemplateValue& dot) {
  const std::size_t variables = variables_.size();
  TemplateValue outer = std::exchange(dot_, dot);
  Outcome outcome = List(nodes);
  dot_ = std::move(outer);
  variables_.resize(variables);
  return outcome;
}

TemplateEvaluator::Outcome TemplateEvaluator::Run(std::size_t offset, const TextNode& text) {
  if (auto done = Append(offset, text.text); !done) return std::unexpected(std::move(done.error()));
  return Flow::kOn;
}

TemplateEvaluator::Outcome TemplateEvaluator::Run(std::size_t, const ActionNode& action) {
  auto value = Evaluate(action.expression);
  if (!value) return std::unexpected(std::move(value.error()));
  auto done = Append(action.expression.offset, TextOf(**value));
  if (!done) return std::unexpected(std::move(done.error()));
  return Flow::kOn;
}

TemplateEvaluator::Outcome TemplateEvaluator::Run(std::size_t, const VariableNode& variable) {
  auto value = Evaluate(variable.value);
  if (!value) return std::unexpected(std::move(value.error()));
  Bind(variable.target, *value);
  return Flow::kOn;
}

TemplateEvaluator::Outcome TemplateEvaluator::Run(std::size_t, const IfNode& node) {
  return Choose(node.branches, node.otherwise, false);
}

TemplateEvaluator::Outcome TemplateEvaluator::Run(std::size_t, const WithNode& node) {
  return Choose(node.branches, node.otherwise, true);
}

TemplateEvaluator::Outcome TemplateEvaluator::Choose(const std::vector<TemplateBranch>& branches,
                                                     const std::vector<TemplateNode>& otherwise, bool rebinds_dot) {
  const std::size_t variables = variables_.size();
  const std::vector<TemplateNode>* chosen = &otherwise;
  TemplateValue dot = dot_;
  for (const TemplateBranch& branch : branches) {
    auto value = Evaluate(branch.value);
    if (!value) return std::unexpected(std::move(value.error()));
    Bind(branch.target, *value);
    if (!IsTrue(**value)) continue;
    chosen = &branch.body;
    if (rebinds_dot) dot = *value;
    break;
  }
  Outcome outcome = Body(*chosen, dot);
  variables_.resize(variables);
  return outcome;
}

TemplateEvaluator::Outcome TemplateEvaluator::Run(std::size_t, const RangeNode& node) {
  auto value = Evaluate(node.value);
  if (!value) return std::unexpected(std::move(value.error()));
  const std::size_t variables = variables_.size();
  Bind(node.target, *value);  // for the else; each iteration sets them anew
  Outcome outcome = Iterate(node, *value);
  variables_.resize(variables);
  return outcome;
}

TemplateEvaluator::Outcome TemplateEvaluator::Iterate(const RangeNode& node, const TemplateValue& value) {
  if (value->is_object()) return IterateObject(node, value);
  if (const auto count = WholeNumber(*value)) return IterateNumber(node, *count);
  if (value->is_null()) return Body(node.otherwise, dot_);
  if (!value->is_array()) {
    return Undefined(node.value.offset, "cannot range over " + std::string(KindName(*value)));
  }
  const json::array& list = value->get_array();
  if (list.empty()) return Body(node.otherwise, dot_);
  for (std::size_t i = 0; i < list.size(); ++i) {
    Outcome outcome = Element(node, OwnedValue(json::value(static_cast<std::int64_t>(i))), PartOf(value, list[i]));
    if (!outcome) return outcome;
    if (*outcome == Flow::kBreak) break;
  }
  return Flow::kOn;
}

// In the order of the keys, as in Go.
TemplateEvaluator::Outcome TemplateEvaluator::IterateObject(const RangeNode& node, const TemplateValue& value) {
  const json::object& object = value->get_object();
  if (object.empty()) return Body(node.otherwise, dot_);
  if (auto spent = Spend(node.value.offset, static_cast<std::int64_t>(object.size())); !spent) {
    return std::unexpected(std::move(spent.error()));
  }
  std::vector<const json::key_value_pair*> pairs;
  pairs.reserve(object.size());
  for (const json::key_value_pair& pair : object) pairs.push_back(&pair);
  std::ranges::sort(pairs, {}, [](const json::key_value_pair* pair) { return std::string_view(pair->key()); });
  for (const json::key_value_pair* pair : pairs) {
    Outcome outcome = Element(node, TextValue(pair->key()), PartOf(value, pair->value()));
    if (!outcome) return outcome;
    if (*outcome == Flow::kBreak) break;
  }
  return Flow::kOn;
}

// From 0 up to below the number.
TemplateEvaluator::Outcome TemplateEvaluator::IterateNumber(const RangeNode& node, std::int64_t count) {
  if (node.target.names.size() > 1) {
    return Undefined(node.value.offset, "cannot set two variables while ranging over a number");
  }
  if (count <= 0) return Body(node.otherwise, dot_);
  for (std::int64_t i = 0; i < count; ++i) {
    const TemplateValue number = OwnedValue(json::value(i));
    Outcome outcome = Element(node, number, number);
    if (!outcome) return outcome;
    if (*outcome == Flow::kBreak) break;
  }
  return Flow::kOn;
}

TemplateEvaluator::Outcome TemplateEvaluator::Element(const RangeNode& node, const TemplateValue& index,
                                                      const TemplateValue& element) {
  if (auto spent = Spend(node.value.offset, 1); !spent) return std::unexpected(std::move(spent.error()));
  const std::vector<std::string>& names = node.target.names;
  if (!names.empty() && node.target.declares) {
    variables_.back().second = element;
    if (names.size() > 1) variables_[variables_.size() - 2].second = index;
  } else if (!names.empty()) {
    Set(names[0], names.size() > 1 ? index : element);
    if (names.size() > 1) Set(names[1], element);
  }
  return Body(node.body, element);
}

TemplateEvaluator::Value TemplateEvaluator::Form(std::size_t offset, const CallExpression& call) {
  const TemplateFunction* function = FindTemplateFunction(call.function);
  if (function == nullptr) return Wrong(offset, "there is no function '" + call.function + "'");
  std::int64_t steps = 1;
  const auto spend = [&]() -> std::expected<void, Failure> {
    if (auto spent = Spend(offset, std::exchange(steps, 0)); !spent) return std::unexpected(Failure{spent.error()});
    return {};
  };
  if (auto spent = spend(); !spent) return std::unexpected(std::move(spent.error()));
  if (function->call == nullptr) return Logical(call);
  std::vector<TemplateValue> arguments;
  for (const TemplateExpression& argument : call.arguments) {
    Value value = Of(argument);
    const bool provided = call.function == "default" && &argument == &call.arguments.back();
    if (!value && provided && value.error().missing) value = OwnedValue(nullptr);
    if (!value) {
      value.error().missing = false;
      return value;
    }
    steps += StepsOf(**value);
    arguments.push_back(std::move(*value));
  }
  TemplateFunctionResult result = function->call(scope_, arguments);
  if (!result) {
    Value fault = Wrong(offset, "'" + call.function + "' " + result.error().message);
    fault.error().missing = result.error().missing;
    return fault;
  }
  steps += StepsOf(**result);
  if (auto spent = spend(); !spent) return std::unexpected(std::move(spent.error()));
  if ((*result)->is_string() && (*result)->get_string().size() > kMaxTemplateOutput) {
    return Wrong(offset, "'" + call.function + "' makes more than 64 MiB");
  }
  return std::move(*result);
}

// The first argument that decides, or the last; those behind it are not evaluated.
TemplateEvaluator::Value TemplateEvaluator::Logical(const CallExpression& call) {
  const bool decisive = call.function == "or";
  Value value;
  for (const TemplateExpression& argument : call.arguments) {
    value = Of(argument);
    if (!value) value.error().missing = false;
    if (!value || IsTrue(**value) == decisive) break;
  }
  return value;
}

}  // namespace awf
