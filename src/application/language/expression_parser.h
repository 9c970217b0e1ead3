// Makes the tree of an expression from its text. Whether names and functions exist is not its business: that is the
// checks' at load, and the evaluation's.
//
// Binding, from loose to tight; operators of one line group from the left, `?:` from the right:
//   a ? b : c
//   or ||
//   and &&
//   not !                  (`not a == b` is not (a == b); behind a comparison it takes just the operand: a == !b)
//   == != < <= > >= contains startsWith endsWith matches in, and `not in`, `not contains`, …   (no chains: a < b < c)
//   + -
//   * / %
//   - of one operand
//   x.name x[key] f(x)
//
// `nil` is another word for null. Whole numbers have 64 bits.
#pragma once

#include <cstddef>
#include <expected>
#include <string_view>

#include "application/language/expression_ast.h"
#include "application/language/template_fault.h"

namespace awf {

// Together they bound the depth of the tree, hence of every recursion over it. Our choice: far above what people write.
inline constexpr std::size_t kMaxExpressionBytes = 256U << 10;
inline constexpr int kMaxExpressionNesting = 100;    // brackets, prefixes and branches of ?: inside one another
inline constexpr int kMaxExpressionOperators = 500;  // operators, calls and indices in all

std::expected<ExpressionNode, TemplateFault> ParseExpression(std::string_view text);

}  // namespace awf
