#include "application/language/expression_evaluator.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "application/language/expression_fault.h"
#include "application/language/expression_functions.h"
#include "application/language/expression_values.h"
#include "application/language/template_values.h"
#include "application/language/vocabulary.h"
#include "domain/nearest_name.h"

namespace awf {
namespace {

using Op = ExpressionOperator;

constexpr const char* kNullHint =
    "a state that has not run and a key that is not there read as null; == null tests for that";

using Value = std::expected<TemplateValue, TemplateFault>;

constexpr const char* kIntHint = "int(…) makes a number of text";

bool IsArithmetic(Op op) {
  return op == Op::kAdd || op == Op::kSubtract || op == Op::kMultiply || op == Op::kDivide || op == Op::kModulo;
}

bool IsNullWord(const ExpressionNode& node) {
  const auto* literal = std::get_if<LiteralForm>(&node.form);
  return literal != nullptr && literal->value.is_null();
}

class Evaluator {
 public:
  explicit Evaluator(const Scope& scope) : scope_(scope) {}

  Value Evaluate(const ExpressionNode& node) {
    return std::visit([&](const auto& form) { return Form(node, form); }, node.form);
  }

  // A value of which a copy is to be made.
  Value Counted(const ExpressionNode& node) {
    Value value = Evaluate(node);
    if (!value) return value;
    if (auto spent = Spend(node.offset, **value); !spent) return std::unexpected(std::move(spent.error()));
    return value;
  }

 private:
  std::expected<void, TemplateFault> Spend(std::size_t offset, const json::value& value) {
    const std::size_t weight = WeightOf(value);
    if (weight > budget_) return ExpressionFailed(offset, "the expression makes more than 64 MiB");
    budget_ -= weight;
    return {};
  }

  Value Made(std::size_t offset, json::value value) {
    if (auto spent = Spend(offset, value); !spent) return std::unexpected(std::move(spent.error()));
    return OwnedValue(std::move(value));
  }

  // What the functions and operators give.
  Value Made(std::size_t offset, std::expected<json::value, std::string> value, const char* hint) {
    if (!value) return ExpressionFailed(offset, std::move(value.error()), hint);
    return Made(offset, std::move(*value));
  }

  static Value Boolean(bool value) { return OwnedValue(value); }
  static Value Null() { return OwnedValue(nullptr); }

  Value Form(const ExpressionNode&, const LiteralForm& literal) { return BorrowedValue(literal.value); }

  Value Form(const ExpressionNode& node, const ReferenceForm& reference) {
    const std::vector<std::string>& path = reference.path;
    if (!IsNamespace(path[0])) return UnknownName(node.offset, path[0]);
    if (path.size() == 1) return WholeNamespace(node.offset, path[0]);
    // Straight to the field: the results of a state may be large.
    const bool has_field = path[0] == "states" && path.size() > 2;
    Value value = has_field ? StateField(path[1], path[2]) : Member(node.offset, path[0], path[1]);
    for (std::size_t i = has_field ? 3 : 2; value && i < path.size(); ++i) value = Field(node.offset, *value, path[i]);
    return value;
  }

  static Value UnknownName(std::size_t offset, const std::string& name) {
    const std::vector<std::string> names(Namespaces().begin(), Namespaces().end());
    std::string hint = DidYouMean(name, names);
    if (hint.empty()) hint = "write it in quotes if it is meant as text: '" + name + "'";
    return ExpressionFailed(offset, "there is no '" + name + "'", std::move(hint));
  }

  static Value NotHere(std::size_t offset, const std::string& name) {
    return ExpressionFailed(offset, "there is no '" + name + "' here");
  }

  Value WholeNamespace(std::size_t offset, const std::string& name) {
    if (name == "env") return ExpressionFailed(offset, "'env' needs a name behind it", "as in env.HOME");
    json::object all;
    if (name == "states") {
      for (const auto& [state, fields] : scope_.states) all[state] = *fields;
      return Made(offset, std::move(all));
    }
    const json::object* values = scope_.Namespace(name);
    if (values == nullptr) return NotHere(offset, name);
    return Made(offset, *values);
  }

  // One entry of a namespace, without a copy of the whole.
  Value Member(std::size_t offset, const std::string& name_space, const std::string& key) {
    if (name_space == "env") {
      const std::optional<std::string> value = scope_.environment ? scope_.environment(key) : std::nullopt;
      return value ? TextValue(*value) : Null();
    }
    if (name_space == "states") {
      const json::object* fields = scope_.State(key);
      return fields == nullptr ? Null() : Made(offset, *fields);
    }
    const json::object* values = scope_.Namespace(name_space);
    if (values == nullptr) return NotHere(offset, name_space);
    return Entry(*values, key);
  }

  Value StateField(const std::string& state, const std::string& field) {
    const json::object* fields = scope_.State(state);
    return fields == nullptr ? Null() : Entry(*fields, field);
  }

  static Value Entry(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value == nullptr ? Null() : BorrowedValue(*value);
  }

  static Value Field(std::size_t offset, const TemplateValue& base, std::string_view key) {
    if (base->is_null()) return base;
    const json::object* object = base->if_object();
    if (object == nullptr) {
      return ExpressionFailed(offset, std::string(KindName(*base)) + " has no key '" + std::string(key) + "'");
    }
    const json::value* value = object->if_contains(key);
    return value == nullptr ? Null() : PartOf(base, *value);
  }

  Value Form(const ExpressionNode& node, const IndexForm&) {
    Value key = Evaluate(node.operands[1]);
    if (!key) return key;
    // A key that is computed: states[inputs.which].
    const auto* reference = std::get_if<ReferenceForm>(&node.operands[0].form);
    if (reference != nullptr && reference->path.size() == 1 && IsNamespace(reference->path[0]) && (*key)->is_string()) {
      return Member(node.offset, reference->path[0], std::string((*key)->get_string()));
    }
    Value base = Evaluate(node.operands[0]);
    if (!base || (*base)->is_null()) return base;
    if ((*key)->is_string()) return Field(node.offset, *base, (*key)->get_string());
    const std::optional<std::int64_t> index = WholeNumber(**key);
    if (!(*base)->is_array() || !index) {
      return ExpressionFailed(node.offset,
                              std::string(KindName(**base)) + " cannot be indexed by " + std::string(KindName(**key)),
                              (*key)->is_null() ? kNullHint : "");
    }
    return Item(*base, *index);
  }

  static Value Item(const TemplateValue& base, std::int64_t index) {
    const json::array& list = base->get_array();
    const auto size = static_cast<std::int64_t>(list.size());
    if (index < 0) index += size;
    if (index < 0 || index >= size) return Null();
    return PartOf(base, list[static_cast<std::size_t>(index)]);
  }

  Value Form(const ExpressionNode& node, const ListForm&) {
    json::array list;
    for (const ExpressionNode& operand : node.operands) {
      Value item = Counted(operand);
      if (!item) return item;
      list.push_back(**item);
    }
    return OwnedValue(std::move(list));
  }

  Value Form(const ExpressionNode& node, const ObjectForm& form) {
    json::object object;
    for (std::size_t i = 0; i < form.keys.size(); ++i) {
      Value value = Counted(node.operands[i]);
      if (!value) return value;
      object[form.keys[i]] = **value;
    }
    return OwnedValue(std::move(object));
  }

  Value Form(const ExpressionNode& node, const ConditionalForm&) {
    const auto condition = Condition(node.operands[0], "?");
    if (!condition) return std::unexpected(condition.error());
    return Evaluate(node.operands[*condition ? 1 : 2]);
  }

  Value Form(const ExpressionNode& node, const CallForm& call) {
    const ExpressionFunction* function = FindExpressionFunction(call.function);
    if (function == nullptr) {
      return ExpressionFailed(node.offset, "there is no function '" + call.function + "'",
                              DidYouMean(call.function, ExpressionFunctionNames()));
    }
    Value argument = Evaluate(node.operands[0]);
    if (!argument) return argument;
    std::expected<json::value, std::string> result = function->call(**argument);
    if (!result) result = std::unexpected("'" + call.function + "' " + result.error());
    return Made(node.offset, std::move(result), HintFor(**argument));
  }

  static const char* HintFor(const json::value& value) { return value.is_null() ? kNullHint : ""; }
  static const char* HintFor(const json::value& left, const json::value& right) {
    if (left.is_null() || right.is_null()) return kNullHint;
    const bool text_and_number = (left.is_string() && right.is_number()) || (left.is_number() && right.is_string());
    return text_and_number ? kIntHint : "";
  }

  std::expected<bool, TemplateFault> Condition(const ExpressionNode& node, std::string_view op) {
    const Value value = Evaluate(node);
    if (!value) return std::unexpected(value.error());
    if ((*value)->is_bool()) return (*value)->get_bool();
    return ExpressionFailed(node.offset,
                            "'" + std::string(op) + "' needs a boolean, not " + std::string(KindName(**value)),
                            HintFor(**value));
  }

  Value Form(const ExpressionNode& node, const OperationForm& form) {
    switch (form.op) {
      case Op::kOr:
      case Op::kAnd:
        return Connected(node, form.op);
      case Op::kNot: {
        const auto value = Condition(node.operands[0], NameOf(form.op));
        if (!value) return std::unexpected(value.error());
        return Boolean(!*value);
      }
      case Op::kNegate: {
        const Value value = Evaluate(node.operands[0]);
        if (!value) return value;
        return Made(node.offset, Negate(**value), HintFor(**value));
      }
      default:
        return Binary(node, form.op);
    }
  }

  Value Connected(const ExpressionNode& node, Op op) {
    for (const ExpressionNode& operand : node.operands) {
      const auto value = Condition(operand, NameOf(op));
      if (!value) return std::unexpected(value.error());
      if (*value == (op == Op::kOr)) return Boolean(*value);
    }
    return Boolean(op == Op::kAnd);
  }

  Value Binary(const ExpressionNode& node, Op op) {
    const Value left = Evaluate(node.operands[0]);
    if (!left) return left;
    const Value right = Evaluate(node.operands[1]);
    if (!right) return right;
    const char* hint = HintFor(**left, **right);
    if (IsArithmetic(op)) return Made(node.offset, Calculate(op, **left, **right), hint);
    const bool with_null_word = IsNullWord(node.operands[0]) || IsNullWord(node.operands[1]);
    if (with_null_word && (op == Op::kEqual || op == Op::kNotEqual)) {
      return Boolean(((*left)->is_null() && (*right)->is_null()) == (op == Op::kEqual));
    }
    std::expected<bool, std::string> result = Compare(op, **left, **right);
    if (!result) return ExpressionFailed(node.offset, std::move(result.error()), hint);
    return Boolean(*result);
  }

  std::expected<bool, std::string> Compare(Op op, const json::value& left, const json::value& right) const {
    if (op == Op::kIn) return Holds(op, right, left);
    if (op == Op::kContains) return Holds(op, left, right);
    if (left.is_null() || right.is_null()) return false;
    if (op == Op::kEqual || op == Op::kNotEqual) return LooselyEqual(left, right) == (op == Op::kEqual);
    if (op == Op::kStartsWith || op == Op::kEndsWith || op == Op::kMatches) return CompareTexts(op, left, right);
    const auto order = Order(op, left, right);
    if (!order) return std::unexpected(order.error());
    switch (op) {
      case Op::kLess:
        return *order < 0;
      case Op::kLessEqual:
        return *order <= 0;
      case Op::kGreater:
        return *order > 0;
      default:
        return *order >= 0;
    }
  }

  std::expected<bool, std::string> CompareTexts(Op op, const json::value& left, const json::value& right) const {
    if (!left.is_string() || !right.is_string()) {
      return std::unexpected("'" + std::string(NameOf(op)) + "' works on two texts, not on " +
                             std::string(KindName(left)) + " and " + std::string(KindName(right)));
    }
    const std::string_view text = left.get_string(), part = right.get_string();
    if (op == Op::kStartsWith) return text.starts_with(part);
    if (op == Op::kEndsWith) return text.ends_with(part);
    if (scope_.regexes == nullptr) return std::unexpected("'matches' is not available here");
    const auto regex = scope_.regexes->Compile(part, {.multi_line = false});
    if (regex) return (*regex)->Contains(text);
    const std::string& fragment = regex.error().fragment;
    return std::unexpected("'matches' got a bad pattern: " + regex.error().message +
                           (fragment.empty() ? "" : ": " + fragment));
  }

  const Scope& scope_;
  std::size_t budget_ = kMaxTemplateOutput;
};

}  // namespace

std::expected<json::value, TemplateFault> EvaluateNode(const ExpressionNode& node, const Scope& scope) {
  Evaluator evaluator(scope);
  const Value value = evaluator.Counted(node);
  if (!value) return std::unexpected(value.error());
  return **value;
}

}  // namespace awf
