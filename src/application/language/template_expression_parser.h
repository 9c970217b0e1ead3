// The pipelines inside the actions of a template. Used by the parser of the template (template_parser.cc), which deals
// with what stands around them.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "application/language/template_ast.h"
#include "application/language/template_fault.h"
#include "application/language/template_lexer.h"

namespace awf {

// The tokens of a template and a place among them. The last token is kEnd; nobody takes that.
struct TokenStream {
  std::vector<Token> tokens;
  std::size_t at = 0;

  const Token& Peek() const { return tokens[at]; }
  const Token& PeekBehind() const { return tokens[at + 1 < tokens.size() ? at + 1 : at]; }
  Token Take() { return tokens[at++]; }
  bool TakeIf(TokenKind kind) {
    if (Peek().kind != kind) return false;
    ++at;
    return true;
  }
  bool FieldFollows() const { return Peek().kind == TokenKind::kField && Peek().adjacent; }
};

// What names mean at a place.
struct TemplateNames {
  std::vector<std::string> variables;  // those declared, innermost last
  int rebound_dots = 0;                // bodies of range and with around the place
};

class TemplateExpressionParser {
 public:
  using Result = std::expected<TemplateExpression, TemplateFault>;

  TemplateExpressionParser(TokenStream& tokens, const TemplateNames& names) : tokens_(tokens), names_(names) {}

  // One pipeline with the }} behind it.
  Result Parse();

  // The token that comes next is not what could stand there.
  std::unexpected<TemplateFault> Unexpected() const;

 private:
  Result Pipeline(int depth);
  Result Command(int depth, TemplateExpression* piped);
  Result Call(int depth, TemplateExpression* piped);
  Result Argument(int depth);
  Result Operand(int depth);
  Result Word(const Token& token);
  Result Field(const Token& token);
  Result Variable(const Token& token);
  Result Reference(std::size_t offset, std::vector<std::string> path);
  Result Parenthesis(std::size_t offset, int depth);
  std::vector<std::string> Path(std::vector<std::string> path = {});
  bool CallFollows() const;
  Result Checked(TemplateExpression call) const;

  TokenStream& tokens_;
  const TemplateNames& names_;
  int calls_ = 0;
};

}  // namespace awf
