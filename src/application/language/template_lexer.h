// Splits a template into text and the tokens of its actions, as Go's text/template does.
//
// Trim markers and comments are dealt with here: the parser sees neither. Offsets are bytes from the template's begin.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "application/language/template_fault.h"

namespace awf {

enum class TokenKind {
  kText,        // text outside of actions, after trimming
  kOpen,        // {{
  kClose,       // }}
  kIdentifier,  // name
  kField,       // .name; `text` lacks the dot
  kDot,         // . alone
  kVariable,    // $name; `text` lacks the dollar sign
  kString,      // "…" or `…`; `text` is unescaped
  kNumber,      // as it is written; of 'c' the code point in decimal
  kPipe,
  kLeftParen,
  kRightParen,
  kDeclare,  // :=
  kAssign,   // =
  kComma,
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;
  std::size_t offset = 0;
  bool adjacent = false;  // no white space before it
};

std::expected<std::vector<Token>, TemplateFault> LexTemplate(std::string_view text);

}  // namespace awf
