#include "application/language/expression.h"

#include <optional>
#include <string>
#include <utility>

#include "application/language/expression_ast.h"
#include "application/language/expression_evaluator.h"
#include "application/language/expression_fault.h"
#include "application/language/expression_parser.h"
#include "application/language/template.h"
#include "application/language/template_values.h"
#include "domain/parse_json.h"
#include "domain/trimmed.h"
#include "domain/utf8.h"

namespace awf {
namespace {

std::expected<bool, TemplateFault> AsCondition(std::size_t offset, std::expected<json::value, TemplateFault> value) {
  if (!value) return std::unexpected(std::move(value.error()));
  if (value->is_bool()) return value->get_bool();
  return ExpressionFailed(offset, "the condition gives " + std::string(KindName(*value)) + ", not true or false",
                          value->is_null() ? "a state that has not run and a key that is not there read as null"
                                           : "compare it with something: == 'text', != null");
}

std::string Shown(std::string_view text) {
  constexpr std::size_t kMaxShown = 100;
  const std::string_view begin = FirstCharacters(text, kMaxShown);
  return "'" + std::string(begin) + (begin.size() < text.size() ? "…'" : "'");
}

// What a template made cannot be pointed at in the workflow: the fault stands at the template and shows the text.
TemplateFault AfterRendering(std::size_t offset, std::string_view rendered, TemplateFault fault) {
  fault.code = "EXECUTION.EXPRESSION.FAILED";
  fault.message = "the rendered expression " + Shown(rendered) + ": " + fault.message + " (at byte " +
                  std::to_string(fault.offset) + ")";
  fault.offset = offset;
  return fault;
}

// Lists and objects as templates print them may be longer than an expression.
std::optional<json::value> ParsedJson(std::string_view text) {
  if (!text.starts_with('[') && !text.starts_with('{')) return std::nullopt;
  return ParseJson(text, kMaxExpressionNesting);
}

std::expected<json::value, TemplateFault> EvaluateRendered(std::string_view text, const Scope& scope) {
  const auto parsed = Template::Parse(text);
  if (!parsed) return std::unexpected(parsed.error());
  const auto rendered = parsed->Render(scope);
  if (!rendered) return std::unexpected(rendered.error());
  if (auto value = ParsedJson(Trimmed(*rendered))) return std::move(*value);
  auto expression = Expression::Parse(*rendered);
  auto value = expression ? expression->Evaluate(scope) : std::unexpected(std::move(expression.error()));
  if (value) return value;
  return std::unexpected(AfterRendering(text.find("{{"), *rendered, std::move(value.error())));
}

}  // namespace

std::expected<Expression, TemplateFault> Expression::Parse(std::string_view text) {
  auto root = ParseExpression(text);
  if (!root) return std::unexpected(std::move(root.error()));
  return Expression(std::make_shared<const ExpressionNode>(std::move(*root)));
}

std::expected<json::value, TemplateFault> Expression::Evaluate(const Scope& scope) const {
  return EvaluateNode(*root_, scope);
}

std::expected<bool, TemplateFault> Expression::Test(const Scope& scope) const {
  return AsCondition(root_->offset, Evaluate(scope));
}

std::expected<json::value, TemplateFault> EvaluateExpressionText(std::string_view text, const Scope& scope) {
  if (HasTemplate(text)) return EvaluateRendered(text, scope);
  const auto expression = Expression::Parse(text);
  if (!expression) return std::unexpected(expression.error());
  return expression->Evaluate(scope);
}

std::expected<bool, TemplateFault> TestExpressionText(std::string_view text, const Scope& scope) {
  if (HasTemplate(text)) return AsCondition(text.find("{{"), EvaluateRendered(text, scope));
  const auto expression = Expression::Parse(text);
  if (!expression) return std::unexpected(expression.error());
  return expression->Test(scope);
}

}  // namespace awf
