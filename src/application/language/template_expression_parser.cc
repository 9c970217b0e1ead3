#include "application/language/template_expression_parser.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "application/language/template_functions.h"
#include "application/language/template_number.h"
#include "application/language/vocabulary.h"

namespace awf {
namespace {

constexpr int kMaxNesting = 100;
constexpr int kMaxCalls = 1000;  // in one action; bounds the depth of its tree, as a pipeline is a nest of calls

constexpr std::string_view kKeywords[] = {"if", "else", "end", "range", "with", "break", "continue"};
constexpr std::string_view kRefusedKeywords[] = {"define", "template", "block"};

template <class Range>
bool Contains(const Range& range, std::string_view word) {
  return std::ranges::find(range, word) != std::end(range);
}

bool IsConstant(std::string_view word) { return word == "true" || word == "false" || word == "nil"; }

bool StartsOperand(TokenKind kind) {
  return kind == TokenKind::kIdentifier || kind == TokenKind::kField || kind == TokenKind::kDot ||
         kind == TokenKind::kVariable || kind == TokenKind::kString || kind == TokenKind::kNumber ||
         kind == TokenKind::kLeftParen;
}

// Words that stand where a function could, but are none. Functions that do not exist are the checker's to tell: the
// rest of the template is still worth checking.
std::optional<TemplateFault> Refused(const Token& name) {
  const std::string quoted = "'" + name.text + "'";
  if (Contains(kKeywords, name.text)) {
    return BadSyntax(name.offset, quoted + " must be the first word of its action").error();
  }
  if (Contains(kRefusedKeywords, name.text)) return BadSyntax(name.offset, quoted + " is not supported").error();
  if (name.text == "call") {
    return BadSyntax(name.offset, "'call' is not supported: no value is a function").error();
  }
  return std::nullopt;
}

}  // namespace

TemplateExpressionParser::Result TemplateExpressionParser::Parse() {
  calls_ = 0;
  Result expression = Pipeline(0);
  if (!expression) return expression;
  if (!tokens_.TakeIf(TokenKind::kClose)) return Unexpected();
  return expression;
}

TemplateExpressionParser::Result TemplateExpressionParser::Pipeline(int depth) {
  if (depth > kMaxNesting) {
    return BadSyntax(tokens_.Peek().offset, "parentheses are nested deeper than 100 levels");
  }
  Result result = Command(depth, nullptr);
  while (result && tokens_.TakeIf(TokenKind::kPipe)) {
    TemplateExpression before = std::move(*result);
    result = Command(depth, &before);
  }
  return result;
}

// A word that is neither a constant nor the first of a reference.
bool TemplateExpressionParser::CallFollows() const {
  const Token &word = tokens_.Peek(), &next = tokens_.PeekBehind();
  const bool has_field = next.kind == TokenKind::kField && next.adjacent;
  return word.kind == TokenKind::kIdentifier && !has_field && !IsConstant(word.text) && !IsNamespace(word.text);
}

// One operand, or a function and its arguments; `piped` becomes its last argument.
TemplateExpressionParser::Result TemplateExpressionParser::Command(int depth, TemplateExpression* piped) {
  const Token token = tokens_.Peek();
  if (CallFollows()) return Call(depth, piped);
  Result operand = Operand(depth);
  if (!operand) return operand;
  if (piped != nullptr) return BadSyntax(token.offset, "what stands behind '|' must be a function");
  if (token.kind == TokenKind::kIdentifier && token.text == "nil") {
    return BadSyntax(token.offset, "nil can only be an argument");
  }
  if (StartsOperand(tokens_.Peek().kind)) {
    return BadSyntax(tokens_.Peek().offset, "unexpected operand",
                     "arguments are given to functions only; values have no methods");
  }
  return operand;
}

TemplateExpressionParser::Result TemplateExpressionParser::Call(int depth, TemplateExpression* piped) {
  const Token name = tokens_.Take();
  if (auto refused = Refused(name)) return std::unexpected(std::move(*refused));
  if (++calls_ > kMaxCalls) return BadSyntax(name.offset, "more than 1000 function calls in one action");
  CallExpression call{name.text, {}};
  while (StartsOperand(tokens_.Peek().kind)) {
    if (tokens_.Peek().adjacent) return BadSyntax(tokens_.Peek().offset, "a space is missing here");
    Result argument = Argument(depth);
    if (!argument) return argument;
    call.arguments.push_back(std::move(*argument));
  }
  const TokenKind next = tokens_.Peek().kind;
  if (next == TokenKind::kComma || next == TokenKind::kAssign || next == TokenKind::kDeclare) return Unexpected();
  if (piped != nullptr) call.arguments.push_back(std::move(*piped));
  return Checked({name.offset, std::move(call)});
}

TemplateExpressionParser::Result TemplateExpressionParser::Checked(TemplateExpression expression) const {
  const auto& call = std::get<CallExpression>(expression.form);
  const TemplateFunction* function = FindTemplateFunction(call.function);
  const std::size_t count = call.arguments.size();
  if (function == nullptr || (count >= function->min_arguments && count <= function->max_arguments)) return expression;
  return BadSyntax(expression.offset,
                   "function '" + call.function + "' does not take " + std::to_string(count) +
                       (count == 1 ? " argument" : " arguments"),
                   "write " + std::string(function->usage));
}

// An argument that is a bare function name is a call without arguments.
TemplateExpressionParser::Result TemplateExpressionParser::Argument(int depth) {
  if (!CallFollows()) return Operand(depth);
  const Token name = tokens_.Take();
  if (auto refused = Refused(name)) return std::unexpected(std::move(*refused));
  const TemplateFunction* function = FindTemplateFunction(name.text);
  if (function == nullptr || function->min_arguments > 0) {
    return BadSyntax(name.offset, "put the call of '" + name.text + "' in parentheses");
  }
  if (++calls_ > kMaxCalls) return BadSyntax(name.offset, "more than 1000 function calls in one action");
  return TemplateExpression{name.offset, CallExpression{name.text, {}}};
}

TemplateExpressionParser::Result TemplateExpressionParser::Operand(int depth) {
  const Token token = tokens_.Peek();
  if (!StartsOperand(token.kind)) return Unexpected();
  ++tokens_.at;
  switch (token.kind) {
    case TokenKind::kField:
      return Field(token);
    case TokenKind::kIdentifier:
      return Word(token);
    case TokenKind::kVariable:
      return Variable(token);
    case TokenKind::kString:
      return TemplateExpression{token.offset, LiteralExpression{json::value(token.text)}};
    case TokenKind::kNumber: {
      auto number = ParseNumberLiteral(token.text);
      if (!number) return BadSyntax(token.offset, std::move(number.error()));
      return TemplateExpression{token.offset, LiteralExpression{std::move(*number)}};
    }
    case TokenKind::kLeftParen:
      return Parenthesis(token.offset, depth);
    default:  // a dot
      if (names_.rebound_dots > 0) return TemplateExpression{token.offset, DotExpression{}};
      return BadSyntax(token.offset, "'.' alone is a value inside range and with only",
                       "name a value, as .inputs.name");
  }
}

TemplateExpressionParser::Result TemplateExpressionParser::Word(const Token& token) {
  if (token.text == "nil") return TemplateExpression{token.offset, LiteralExpression{nullptr}};
  if (!IsConstant(token.text)) return Reference(token.offset, Path({token.text}));
  return TemplateExpression{token.offset, LiteralExpression{json::value(token.text == "true")}};
}

TemplateExpressionParser::Result TemplateExpressionParser::Field(const Token& token) {
  std::vector<std::string> path = Path({token.text});
  if (names_.rebound_dots == 0) return Reference(token.offset, std::move(path));
  return TemplateExpression{token.offset, DotExpression{std::move(path)}};
}

TemplateExpressionParser::Result TemplateExpressionParser::Variable(const Token& token) {
  std::vector<std::string> path = Path();
  if (tokens_.Peek().kind == TokenKind::kDeclare || tokens_.Peek().kind == TokenKind::kAssign) return Unexpected();
  if (!token.text.empty()) {
    if (Contains(names_.variables, token.text)) {
      return TemplateExpression{token.offset, VariableExpression{token.text, std::move(path)}};
    }
    return BadSyntax(token.offset, "there is no variable '$" + token.text + "' here",
                     "a variable lives until the end of the if, range or with in which it is declared");
  }
  if (!path.empty()) return Reference(token.offset, std::move(path));
  return BadSyntax(token.offset, "'$' needs a name behind it", "as in {{$.inputs.name}}");
}

TemplateExpressionParser::Result TemplateExpressionParser::Reference(std::size_t offset,
                                                                     std::vector<std::string> path) {
  if (path.size() == 1 && path[0] == "env")
    return BadSyntax(offset, "'env' needs a name behind it", "as in {{.env.HOME}}");
  if (path.size() == 1 && path[0] == "states") {
    return BadSyntax(offset, "'states' needs a name behind it", "as in {{.states.name.Output}}");
  }
  return TemplateExpression{offset, ReferenceExpression{std::move(path)}};
}

TemplateExpressionParser::Result TemplateExpressionParser::Parenthesis(std::size_t offset, int depth) {
  Result inner = Pipeline(depth + 1);
  if (!inner) return inner;
  if (!tokens_.TakeIf(TokenKind::kRightParen)) {
    if (tokens_.Peek().kind == TokenKind::kClose) return BadSyntax(offset, "this parenthesis is never closed");
    return Unexpected();
  }
  if (!tokens_.FieldFollows()) return inner;
  SelectExpression select;
  select.base.push_back(std::move(*inner));
  select.path = Path();
  return TemplateExpression{offset, std::move(select)};
}

std::vector<std::string> TemplateExpressionParser::Path(std::vector<std::string> path) {
  while (tokens_.FieldFollows()) path.push_back(tokens_.Take().text);
  return path;
}

std::unexpected<TemplateFault> TemplateExpressionParser::Unexpected() const {
  const Token& token = tokens_.Peek();
  switch (token.kind) {
    case TokenKind::kAssign:
    case TokenKind::kDeclare:
      return BadSyntax(token.offset, "only a variable at the begin of an action can be set",
                       "as in {{$name := .inputs.name}}");
    case TokenKind::kComma:
      return BadSyntax(token.offset, "unexpected ','", "arguments are separated by spaces");
    case TokenKind::kRightParen:
      return BadSyntax(token.offset, "unexpected ')'");
    case TokenKind::kClose:
      return BadSyntax(token.offset, "something is missing before '}}'");
    case TokenKind::kPipe:
      return BadSyntax(token.offset, "unexpected '|'");
    default:
      return BadSyntax(token.offset, "unexpected operand");
  }
}

}  // namespace awf
