// The tree of a parsed expression. Plain data, constant once parsed; at most some 600 levels deep
// (expression_parser.h).
//
// A node is a form and its operands, in the order of the text, so that a walk over all of them needs no case per form:
//
//   literal       –                       3, "x", true, null
//   reference     –                       inputs.x, states.a.Response.key: `path` holds the names, the namespace first
//   index         base, key               base[key], base.name where the path of a reference does not reach it
//   list          items                   [a, b]
//   object        values                  {"k": v}; `keys` are theirs
//   operation     one or two              not a, a < b
//   conditional   condition, then, else   a ? b : c
//   call          arguments               len(a)
//
// A text literal in brackets is as good as a name behind a dot: states["my-state"].Output is one reference. A reference
// ends at the first other bracket: states.a.JSON[0].name is index(index(reference, 0), "name").
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/json.h"

namespace awf {

enum class ExpressionOperator {
  kOr,
  kAnd,
  kNot,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kContains,
  kStartsWith,
  kEndsWith,
  kMatches,
  kIn,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kNegate,
};

// As it is written; `or` for `||`.
std::string_view NameOf(ExpressionOperator op);

struct LiteralForm {
  json::value value;
};

struct ReferenceForm {
  std::vector<std::string> path;  // at least one; whether it names anything is not the parser's business
};

struct IndexForm {};

struct ListForm {};

struct ObjectForm {
  std::vector<std::string> keys;  // as many as operands; of equal ones the last counts
};

struct OperationForm {
  ExpressionOperator op;
};

struct ConditionalForm {};

struct CallForm {
  std::string function;  // may be unknown (expression_functions.h)
};

struct ExpressionNode {
  std::size_t offset = 0;  // of the operator, of the bracket or dot of an index, else of the first byte
  std::variant<LiteralForm, ReferenceForm, IndexForm, ListForm, ObjectForm, OperationForm, ConditionalForm, CallForm>
      form;
  std::vector<ExpressionNode> operands;
};

}  // namespace awf
