// Evaluates the tree of an expression against the values of a run.
//
// * A state that has not run, a namespace's missing key, a missing key of an object, an index outside of a list (those
//   below zero count from its end) and everything below null read as null. A key of a text, number or boolean is a
//   fault.
// * Comparisons with a null value are false, whatever the operator, also `!=`: null stands for what is not known. Only
//   where the word null itself is compared with, == and != tell whether the other side is null. `in` and `contains`
//   find null in a list that holds it.
// * `and`, `or`, `?:` evaluate what they need only. What they and `not` test must be a boolean.
// * What an expression makes may hold 64 MiB, together with all that it makes on the way.
#pragma once

#include <expected>

#include "application/language/expression_ast.h"
#include "application/language/scope.h"
#include "application/language/template_fault.h"
#include "domain/json.h"

namespace awf {

// Faults: EXECUTION.EXPRESSION.FAILED at the offset of the operator, or of the operand that is at fault.
std::expected<json::value, TemplateFault> EvaluateNode(const ExpressionNode& node, const Scope& scope);

}  // namespace awf
