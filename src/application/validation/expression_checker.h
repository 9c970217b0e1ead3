// Checks the expressions of a workflow at load: syntax, functions, references, patterns, and, where the text alone
// tells, that the result is of the type wanted. A text that holds templates is checked as a template: what it will be
// rendered to is not known. Used by one thread.
#pragma once

#include "application/language/expression_ast.h"
#include "application/validation/reference_checker.h"
#include "application/validation/template_checker.h"
#include "domain/regex.h"
#include "domain/workflow.h"

namespace awf {

class ExpressionChecker {
 public:
  // `regexes` may be null: then patterns are not checked.
  ExpressionChecker(ReferenceChecker& references, TemplateChecker& templates, const RegexCompiler* regexes)
      : references_(references), templates_(templates), regexes_(regexes) {}

  enum class Result { kCondition, kList, kNumber };
  void Check(const TemplateText& text, ReferencePlace place, Result wanted);

 private:
  void Node(const ExpressionNode& node, const TemplateText& text, const ReferencePlace& place);
  void Pattern(const ExpressionNode& pattern, const TemplateText& text, const ReferencePlace& place);

  ReferenceChecker& references_;
  TemplateChecker& templates_;
  const RegexCompiler* regexes_;
};

}  // namespace awf
