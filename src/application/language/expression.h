// An expression, parsed once and evaluated against the values of a run: `when`, `break_when`, `items`.
//
// The grammar is told in expression_parser.h, names and texts in expression_lexer.h, what operators do with values in
// expression_values.h and expression_evaluator.h, functions in expression_functions.h. Constant after Parse, so
// thread-safe. Faults carry the offset of the offending text: WORKFLOW.VALIDATION.EXPRESSION_SYNTAX from Parse,
// EXECUTION.EXPRESSION.FAILED from Evaluate.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "application/language/scope.h"
#include "application/language/template_fault.h"
#include "domain/json.h"

namespace awf {

struct ExpressionNode;  // application/language/expression_ast.h

class Expression {
 public:
  static std::expected<Expression, TemplateFault> Parse(std::string_view text);

  // A state that has not run reads as null, and so do keys of values that are not there.
  std::expected<json::value, TemplateFault> Evaluate(const Scope& scope) const;
  // The same, for a condition: anything but a boolean is a fault.
  std::expected<bool, TemplateFault> Test(const Scope& scope) const;

  const ExpressionNode& root() const { return *root_; }

 private:
  explicit Expression(std::shared_ptr<const ExpressionNode> root) : root_(std::move(root)) {}
  std::shared_ptr<const ExpressionNode> root_;
};

// A text of the workflow as an expression: one that holds {{ }} is rendered as a template first, then evaluated; a
// rendered text that is a JSON list or object stands for itself, of whatever length. Faults of the template have its
// codes. What is wrong with a rendered text, also its syntax, is EXECUTION.EXPRESSION.FAILED at the first {{ and shows
// the text: it depends on values, so no check at load can find it.
std::expected<json::value, TemplateFault> EvaluateExpressionText(std::string_view text, const Scope& scope);
std::expected<bool, TemplateFault> TestExpressionText(std::string_view text, const Scope& scope);

}  // namespace awf
