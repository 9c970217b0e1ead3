#include "application/validation/expression_checker.h"

#include <string>
#include <string_view>
#include <vector>

#include "application/language/expression.h"
#include "application/language/expression_functions.h"
#include "application/language/template.h"

namespace awf {
namespace {

enum class Type { kUnknown, kNull, kBoolean, kNumber, kText, kList, kObject };

constexpr std::string_view NameOf(Type type) {
  switch (type) {
    case Type::kNull:
      return "null";
    case Type::kBoolean:
      return "true or false";
    case Type::kNumber:
      return "a number";
    case Type::kText:
      return "a text";
    case Type::kList:
      return "a list";
    case Type::kObject:
      return "an object";
    case Type::kUnknown:
      break;
  }
  return "unknown";
}

Type TypeOf(const json::value& value) {
  if (value.is_null()) return Type::kNull;
  if (value.is_bool()) return Type::kBoolean;
  if (value.is_number()) return Type::kNumber;
  if (value.is_string()) return Type::kText;
  return value.is_array() ? Type::kList : Type::kObject;
}

Type TypeOf(ExpressionOperator op) {
  switch (op) {
    case ExpressionOperator::kAdd:
      return Type::kUnknown;  // joins texts too
    case ExpressionOperator::kSubtract:
    case ExpressionOperator::kMultiply:
    case ExpressionOperator::kDivide:
    case ExpressionOperator::kModulo:
    case ExpressionOperator::kNegate:
      return Type::kNumber;
    default:
      return Type::kBoolean;
  }
}

// As far as the text alone tells.
Type TypeOf(const ExpressionNode& node) {
  if (const auto* literal = std::get_if<LiteralForm>(&node.form)) return TypeOf(literal->value);
  if (std::holds_alternative<ListForm>(node.form)) return Type::kList;
  if (std::holds_alternative<ObjectForm>(node.form)) return Type::kObject;
  if (const auto* operation = std::get_if<OperationForm>(&node.form)) return TypeOf(operation->op);
  if (const auto* call = std::get_if<CallForm>(&node.form)) {
    if (FindExpressionFunction(call->function) == nullptr) return Type::kUnknown;
    return call->function == "len" || call->function == "int" ? Type::kNumber : Type::kText;
  }
  return Type::kUnknown;
}

Type TypeOf(ExpressionChecker::Result wanted) {
  if (wanted == ExpressionChecker::Result::kCondition) return Type::kBoolean;
  return wanted == ExpressionChecker::Result::kList ? Type::kList : Type::kNumber;
}

}  // namespace

void ExpressionChecker::Check(const TemplateText& text, ReferencePlace place, Result wanted) {
  if (HasTemplate(text.text)) return templates_.Check(text, place);
  const auto parsed = Expression::Parse(text.text);
  if (!parsed) {
    const TemplateFault& fault = parsed.error();
    references_.Report(Severity::kError, fault.code, text, place, fault.offset, fault.message, fault.hint);
    return;
  }
  place.may_be_null = true;
  Node(parsed->root(), text, place);
  const Type type = TypeOf(parsed->root());
  if (type == Type::kUnknown || type == TypeOf(wanted)) return;
  references_.Report(
      Severity::kError, "WORKFLOW.VALIDATION.EXPRESSION_SYNTAX", text, place, parsed->root().offset,
      "the expression must give " + std::string(NameOf(TypeOf(wanted))) + ", not " + std::string(NameOf(type)), {});
}

void ExpressionChecker::Node(const ExpressionNode& node, const TemplateText& text, const ReferencePlace& place) {
  if (const auto* reference = std::get_if<ReferenceForm>(&node.form)) {
    references_.Check(text, place, {.offset = node.offset, .path = reference->path});
  } else if (const auto* call = std::get_if<CallForm>(&node.form)) {
    if (FindExpressionFunction(call->function) == nullptr) {
      references_.UnknownFunction(text, place, node.offset, call->function, ExpressionFunctionNames());
    }
  } else if (const auto* operation = std::get_if<OperationForm>(&node.form)) {
    if (operation->op == ExpressionOperator::kMatches && node.operands.size() == 2) {
      Pattern(node.operands[1], text, place);
    }
  }
  for (const ExpressionNode& operand : node.operands) {
    // Behind env, which is nothing by itself, a name may be computed.
    const auto* base = std::get_if<ReferenceForm>(&operand.form);
    const bool computed = std::holds_alternative<IndexForm>(node.form) && &operand == node.operands.data();
    if (!computed || base == nullptr || base->path != std::vector<std::string>{"env"}) Node(operand, text, place);
  }
}

void ExpressionChecker::Pattern(const ExpressionNode& pattern, const TemplateText& text, const ReferencePlace& place) {
  const auto* literal = std::get_if<LiteralForm>(&pattern.form);
  if (regexes_ == nullptr || literal == nullptr || !literal->value.is_string()) return;
  const json::string& written = literal->value.get_string();
  const auto compiled = regexes_->Compile(std::string_view(written.data(), written.size()), {});
  if (compiled) return;
  references_.Report(Severity::kError, "WORKFLOW.VALIDATION.EXPRESSION_SYNTAX", text, place, pattern.offset,
                     "the pattern is wrong: " + compiled.error().message, "patterns are regular expressions of RE2");
}

}  // namespace awf
