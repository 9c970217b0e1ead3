// Splits an expression into tokens. Offsets are bytes from the text's begin.
//
// A '.' directly behind a name, a text or a closing bracket selects a field; any other one is the leading dot that
// names may have as in templates. Names are [A-Za-z_][A-Za-z0-9_]*. Only the name of a state, directly behind
// `states.`, may hold '-' as well, where more of the name follows: states.my-state.Output is one name, inputs.a-b and
// states.x.Attempts-1 are subtractions. Other names with dashes are written in brackets: states.x.JSON["my-key"].
//
// Texts stand in "…" or '…' with the escapes of JSON and \', or in `…` without any. They may hold line breaks.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "application/language/template_fault.h"

namespace awf {

enum class ExpressionTokenKind {
  kNumber,
  kString,  // `text` is unescaped
  kWord,    // a name, a function or an operator
  kRoot,    // .name at the begin of an operand; `text` lacks the dot
  kField,   // .name behind an operand; `text` lacks the dot
  kSign,
  kEnd,
};

struct ExpressionToken {
  ExpressionTokenKind kind = ExpressionTokenKind::kEnd;
  std::string text;
  std::size_t offset = 0;
};

// The last token is kEnd, at the end of the text.
std::expected<std::vector<ExpressionToken>, TemplateFault> LexExpression(std::string_view text);

}  // namespace awf
