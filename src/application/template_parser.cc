#include "application/template_parser.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "application/template_functions.h"
#include "application/template_lexer.h"

namespace awf {
namespace {

constexpr int kMaxNesting = 100;
constexpr int kMaxCalls = 1000;  // in one action; bounds the depth of its tree, as a pipeline is a nest of calls

template <class Range>
bool Contains(const Range& range, std::string_view word) {
  return std::ranges::find(range, word) != std::end(range);
}

constexpr std::string_view kNamespaces[] = {"inputs", "states",  "captures", "env", "workflow",
                                            "awf",    "context", "error",    "loop"};
constexpr std::string_view kPlannedKeywords[] = {"if", "else", "end", "range", "with", "break", "continue"};
constexpr std::string_view kRefusedKeywords[] = {"define", "template", "block"};
constexpr std::string_view kPlannedFunctions[] = {"readFile", "and",   "or",     "not",    "eq",  "ne",
                                                  "lt",       "le",    "gt",     "ge",     "len", "index",
                                                  "slice",    "print", "printf", "println"};

std::unexpected<TemplateFault> NotSupportedYet(std::size_t offset, const std::string& what) {
  return BadSyntax(offset, what + " is not supported yet");
}

std::optional<json::value> ParseNumber(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = text;
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) base = 16;
  if (digits.starts_with("0o")) base = 8;
  if (digits.starts_with("0b")) base = 2;
  if (base != 10) digits.remove_prefix(2);
  if (digits.empty() || digits.front() == '-' || digits.front() == '+') return std::nullopt;
  const char* const end = digits.data() + digits.size();
  std::int64_t integer = 0;
  if (const auto [stop, fault] = std::from_chars(digits.data(), end, integer, base);
      fault == std::errc() && stop == end) {
    return json::value(negative ? -integer : integer);
  }
  if (base != 10) return std::nullopt;
  double number = 0;
  if (const auto [stop, fault] = std::from_chars(digits.data(), end, number, std::chars_format::general);
      fault == std::errc() && stop == end && digits.find_first_not_of("0123456789.eE+-") == std::string_view::npos) {
    return json::value(negative ? -number : number);
  }
  return std::nullopt;
}

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  std::expected<std::vector<TemplateNode>, TemplateFault> Run() {
    std::vector<TemplateNode> nodes;
    while (Peek().kind != TokenKind::kEnd) {
      const Token token = Take();
      if (token.kind == TokenKind::kText) {
        nodes.emplace_back(TextNode{token.text});
        continue;
      }
      auto expression = Action(token.offset);
      if (!expression) return std::unexpected(std::move(expression.error()));
      nodes.emplace_back(ActionNode{std::move(*expression)});
    }
    return nodes;
  }

 private:
  using Result = std::expected<TemplateExpression, TemplateFault>;

  const Token& Peek() const { return tokens_[at_]; }
  Token Take() { return tokens_[at_++]; }
  bool TakeIf(TokenKind kind) {
    if (Peek().kind != kind) return false;
    ++at_;
    return true;
  }

  Result Action(std::size_t open) {
    if (Peek().kind == TokenKind::kClose) return BadSyntax(open, "an action must not be empty");
    calls_ = 0;
    Result expression = Pipeline(0);
    if (!expression) return expression;
    if (!TakeIf(TokenKind::kClose)) return Unexpected();
    return expression;
  }

  Result Pipeline(int depth) {
    if (depth > kMaxNesting) return BadSyntax(Peek().offset, "parentheses are nested deeper than 100 levels");
    Result result = Command(depth, nullptr);
    while (result && TakeIf(TokenKind::kPipe)) {
      TemplateExpression before = std::move(*result);
      result = Command(depth, &before);
    }
    return result;
  }

  // One operand, or a function and its arguments; `piped` becomes its last argument.
  Result Command(int depth, TemplateExpression* piped) {
    const Token token = Peek();
    const bool is_reference = token.kind == TokenKind::kIdentifier && NamespaceFollows();
    const bool is_literal = token.text == "true" || token.text == "false" || token.text == "nil";
    if (token.kind == TokenKind::kIdentifier && !is_reference && !is_literal) return Call(depth, piped);
    Result operand = Operand(depth);
    if (!operand) return operand;
    if (piped != nullptr) return BadSyntax(token.offset, "what stands behind '|' must be a function");
    if (token.kind == TokenKind::kIdentifier && token.text == "nil") {
      return BadSyntax(token.offset, "nil can only be an argument");
    }
    if (StartsOperand(Peek().kind)) {
      return BadSyntax(Peek().offset, "unexpected operand", "arguments are given to functions only");
    }
    return operand;
  }

  static bool StartsOperand(TokenKind kind) {
    return kind == TokenKind::kIdentifier || kind == TokenKind::kField || kind == TokenKind::kDot ||
           kind == TokenKind::kVariable || kind == TokenKind::kString || kind == TokenKind::kNumber ||
           kind == TokenKind::kLeftParen;
  }

  Result Call(int depth, TemplateExpression* piped) {
    const Token name = Take();
    if (auto refused = Refused(name)) return std::unexpected(std::move(*refused));
    const TemplateFunction* function = FindTemplateFunction(name.text);
    if (++calls_ > kMaxCalls) return BadSyntax(name.offset, "more than 1000 function calls in one action");
    CallExpression call{name.text, {}};
    while (StartsOperand(Peek().kind)) {
      Result argument = Argument(depth);
      if (!argument) return argument;
      call.arguments.push_back(std::move(*argument));
    }
    if (Peek().kind == TokenKind::kComma || Peek().kind == TokenKind::kAssign) return Unexpected();
    if (piped != nullptr) call.arguments.push_back(std::move(*piped));
    const std::size_t count = call.arguments.size();
    if (function != nullptr && (count < function->min_arguments || count > function->max_arguments)) {
      return BadSyntax(name.offset,
                       "function '" + name.text + "' does not take " + std::to_string(count) +
                           (count == 1 ? " argument" : " arguments"),
                       "write " + std::string(function->usage));
    }
    return TemplateExpression{name.offset, std::move(call)};
  }

  // An argument that is a bare function name is a call without arguments in Go; none of ours takes none.
  Result Argument(int depth) {
    const Token& token = Peek();
    if (token.kind == TokenKind::kIdentifier && !NamespaceFollows() && token.text != "true" && token.text != "false" &&
        token.text != "nil") {
      if (auto refused = Refused(token)) return std::unexpected(std::move(*refused));
      return BadSyntax(token.offset, "put the call of '" + token.text + "' in parentheses");
    }
    return Operand(depth);
  }

  Result Operand(int depth) {
    const Token token = Take();
    switch (token.kind) {
      case TokenKind::kField:
        return Reference(token, {token.text});
      case TokenKind::kIdentifier:
        if (token.text == "nil") return TemplateExpression{token.offset, LiteralExpression{nullptr}};
        if (token.text == "true" || token.text == "false") {
          return TemplateExpression{token.offset, LiteralExpression{token.text == "true"}};
        }
        return Reference(token, {token.text});
      case TokenKind::kString:
        return TemplateExpression{token.offset, LiteralExpression{json::value(token.text)}};
      case TokenKind::kNumber:
        if (auto number = ParseNumber(token.text)) {
          return TemplateExpression{token.offset, LiteralExpression{std::move(*number)}};
        }
        return BadSyntax(token.offset, "'" + token.text + "' is not a number");
      case TokenKind::kLeftParen:
        return Parenthesis(token.offset, depth);
      case TokenKind::kVariable:
        return NotSupportedYet(token.offset, "variable '$" + token.text + "'");
      case TokenKind::kDot:
        return NotSupportedYet(token.offset, "'.' alone");
      default:
        --at_;
        return Unexpected();
    }
  }

  Result Reference(const Token& first, std::vector<std::string> path) {
    while (FieldFollows()) path.push_back(Take().text);
    return TemplateExpression{first.offset, ReferenceExpression{std::move(path)}};
  }

  Result Parenthesis(std::size_t offset, int depth) {
    Result inner = Pipeline(depth + 1);
    if (!inner) return inner;
    if (!TakeIf(TokenKind::kRightParen)) {
      if (Peek().kind == TokenKind::kClose) return BadSyntax(offset, "this parenthesis is never closed");
      return Unexpected();
    }
    if (!FieldFollows()) return inner;
    SelectExpression select;
    select.base.push_back(std::move(*inner));
    while (FieldFollows()) select.path.push_back(Take().text);
    return TemplateExpression{offset, std::move(select)};
  }

  bool FieldFollows() const { return Peek().kind == TokenKind::kField && Peek().adjacent; }
  // `inputs.x` without the dot.
  bool NamespaceFollows() const {
    const Token& next = tokens_[at_ + 1];
    return next.kind == TokenKind::kField && next.adjacent;
  }

  // Words that stand where a function could, but are none. Functions that do not exist are the checker's to tell: the
  // rest of the template is still worth checking.
  static std::optional<TemplateFault> Refused(const Token& name) {
    const auto fault = [&](std::string message, std::string hint = {}) {
      return BadSyntax(name.offset, std::move(message), std::move(hint)).error();
    };
    const std::string quoted = "'" + name.text + "'";
    if (Contains(kPlannedKeywords, name.text)) return fault(quoted + " is not supported yet");
    if (Contains(kRefusedKeywords, name.text)) return fault(quoted + " is not supported");
    if (Contains(kPlannedFunctions, name.text)) return fault("function " + quoted + " is not supported yet");
    if (Contains(kNamespaces, name.text)) return fault(quoted + " needs a name behind it", "as in {{.inputs.name}}");
    return std::nullopt;
  }

  Result Unexpected() const {
    const Token& token = Peek();
    switch (token.kind) {
      case TokenKind::kAssign:
        return NotSupportedYet(token.offset, "assignment");
      case TokenKind::kComma:
        return BadSyntax(token.offset, "unexpected ','", "arguments are separated by spaces");
      case TokenKind::kRightParen:
        return BadSyntax(token.offset, "unexpected ')'");
      case TokenKind::kClose:
        return BadSyntax(token.offset, "something is missing before '}}'");
      case TokenKind::kPipe:
        return BadSyntax(token.offset, "unexpected '|'");
      default:
        return BadSyntax(token.offset, "unexpected '" + token.text + "'");
    }
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int calls_ = 0;
};

}  // namespace

std::expected<std::vector<TemplateNode>, TemplateFault> ParseTemplate(std::string_view text) {
  auto tokens = LexTemplate(text);
  if (!tokens) return std::unexpected(std::move(tokens.error()));
  return Parser(std::move(*tokens)).Run();
}

}  // namespace awf
