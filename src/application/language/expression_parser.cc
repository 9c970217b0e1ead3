#include "application/language/expression_parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "application/language/expression_fault.h"
#include "application/language/expression_lexer.h"
#include "application/language/vocabulary.h"

namespace awf {
namespace {

using Kind = ExpressionTokenKind;
using Op = ExpressionOperator;

// How tightly operators of two operands bind; prefixes stand between and beside them.
enum Level { kOrLevel = 1, kAndLevel, kNotLevel, kComparisonLevel, kSumLevel, kProductLevel, kUnaryLevel };

struct BinaryOperator {
  std::string_view text;
  bool is_word;
  Level level;
  Op op;
};

constexpr BinaryOperator kBinary[] = {
    {"or", true, kOrLevel, Op::kOr},
    {"||", false, kOrLevel, Op::kOr},
    {"and", true, kAndLevel, Op::kAnd},
    {"&&", false, kAndLevel, Op::kAnd},
    {"==", false, kComparisonLevel, Op::kEqual},
    {"!=", false, kComparisonLevel, Op::kNotEqual},
    {"<", false, kComparisonLevel, Op::kLess},
    {"<=", false, kComparisonLevel, Op::kLessEqual},
    {">", false, kComparisonLevel, Op::kGreater},
    {">=", false, kComparisonLevel, Op::kGreaterEqual},
    {"contains", true, kComparisonLevel, Op::kContains},
    {"startsWith", true, kComparisonLevel, Op::kStartsWith},
    {"endsWith", true, kComparisonLevel, Op::kEndsWith},
    {"matches", true, kComparisonLevel, Op::kMatches},
    {"in", true, kComparisonLevel, Op::kIn},
    {"+", false, kSumLevel, Op::kAdd},
    {"-", false, kSumLevel, Op::kSubtract},
    {"*", false, kProductLevel, Op::kMultiply},
    {"/", false, kProductLevel, Op::kDivide},
    {"%", false, kProductLevel, Op::kModulo},
};

constexpr std::string_view kOperatorWords[] = {"or",         "and",      "not",     "contains",
                                               "startsWith", "endsWith", "matches", "in"};

bool IsOperatorWord(std::string_view word) {
  return std::ranges::find(kOperatorWords, word) != std::end(kOperatorWords);
}

const BinaryOperator* BinaryOperatorOf(const ExpressionToken& token) {
  if (token.kind != Kind::kWord && token.kind != Kind::kSign) return nullptr;
  const auto found = std::ranges::find_if(kBinary, [&](const BinaryOperator& binary) {
    return binary.is_word == (token.kind == Kind::kWord) && binary.text == token.text;
  });
  return found == std::end(kBinary) ? nullptr : found;
}

ExpressionNode Literal(std::size_t offset, json::value value) { return {offset, LiteralForm{std::move(value)}, {}}; }

ExpressionNode Operation(std::size_t offset, Op op, ExpressionNode operand) {
  ExpressionNode node{offset, OperationForm{op}, {}};
  node.operands.push_back(std::move(operand));
  return node;
}

ExpressionNode Index(std::size_t offset, ExpressionNode base, ExpressionNode key) {
  ExpressionNode node{offset, IndexForm{}, {}};
  node.operands.push_back(std::move(base));
  node.operands.push_back(std::move(key));
  return node;
}

class Parser {
 public:
  explicit Parser(std::vector<ExpressionToken> tokens) : tokens_(std::move(tokens)) {}

  std::expected<ExpressionNode, TemplateFault> Run() {
    if (Peek().kind == Kind::kEnd) return BadExpression(0, "an expression must not be empty");
    Result whole = Conditional();
    if (whole && Peek().kind != Kind::kEnd) return Unexpected();
    return whole;
  }

 private:
  using Result = std::expected<ExpressionNode, TemplateFault>;

  // One level deeper while it lives.
  class Nesting {
   public:
    explicit Nesting(int& depth) : depth_(depth) { ++depth_; }
    ~Nesting() { --depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    int& depth_;
  };

  const ExpressionToken& Peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool Is(Kind kind, std::string_view text) const { return Peek().kind == kind && Peek().text == text; }
  bool IsSign(std::string_view text) const { return Is(Kind::kSign, text); }
  bool TakeSign(std::string_view text) {
    if (!IsSign(text)) return false;
    ++at_;
    return true;
  }
  bool IsNot() const { return IsSign("!") || Is(Kind::kWord, "not"); }

  // Counts what makes the tree deeper than the nesting tells.
  std::expected<void, TemplateFault> Count(std::size_t offset) {
    if (++operators_ <= kMaxExpressionOperators) return {};
    return BadExpression(offset, "an expression may hold at most 500 operators");
  }

  Result Conditional() {
    const Nesting nesting(depth_);
    if (depth_ > kMaxExpressionNesting) return BadExpression(Peek().offset, "nested deeper than 100 levels");
    Result condition = Binary(kOrLevel);
    if (!condition || !IsSign("?")) return condition;
    const std::size_t offset = tokens_[at_++].offset;
    if (auto counted = Count(offset); !counted) return std::unexpected(std::move(counted.error()));
    Result then = Conditional();
    if (!then) return then;
    if (!TakeSign(":")) return MissingSign(":", offset);
    Result otherwise = Conditional();
    if (!otherwise) return otherwise;
    ExpressionNode node{offset, ConditionalForm{}, {}};
    node.operands.push_back(std::move(*condition));
    node.operands.push_back(std::move(*then));
    node.operands.push_back(std::move(*otherwise));
    return node;
  }

  Result Binary(int level) {
    if (level == kNotLevel) return IsNot() ? Prefix(Op::kNot, kNotLevel) : Binary(level + 1);
    if (level == kUnaryLevel) return Unary();
    Result left = Binary(level + 1);
    for (int count = 0; left; ++count) {
      const bool negated = level == kComparisonLevel && NegatedComparisonFollows();
      const BinaryOperator* binary = BinaryOperatorOf(Peek(negated ? 1 : 0));
      if (binary == nullptr || binary->level != level) break;
      const std::size_t offset = Peek().offset;
      if (level == kComparisonLevel && count > 0) {
        return BadExpression(offset, "comparisons cannot be chained", "join them with and: a < b and b < c");
      }
      if (auto counted = Count(offset); !counted) return std::unexpected(std::move(counted.error()));
      at_ += negated ? 2 : 1;
      Result right = Binary(level + 1);
      if (!right) return right;
      ExpressionNode node = Operation(offset, binary->op, std::move(*left));
      node.operands.push_back(std::move(*right));
      left = negated ? Operation(offset, Op::kNot, std::move(node)) : std::move(node);
    }
    return left;
  }

  // `not in` and its like.
  bool NegatedComparisonFollows() const {
    if (!Is(Kind::kWord, "not") || Peek(1).kind != Kind::kWord) return false;
    const BinaryOperator* binary = BinaryOperatorOf(Peek(1));
    return binary != nullptr && binary->level == kComparisonLevel;
  }

  Result Prefix(Op op, int operand_level) {
    const Nesting nesting(depth_);
    const std::size_t offset = tokens_[at_++].offset;
    if (depth_ > kMaxExpressionNesting) return BadExpression(offset, "nested deeper than 100 levels");
    if (auto counted = Count(offset); !counted) return std::unexpected(std::move(counted.error()));
    Result operand = Binary(operand_level);
    if (!operand) return operand;
    return Operation(offset, op, std::move(*operand));
  }

  Result Unary() {
    if (IsNot()) return Prefix(Op::kNot, kUnaryLevel);
    if (!IsSign("-")) return Postfix();
    // The lowest 64-bit number has no positive counterpart that could be negated.
    if (Peek(1).kind == Kind::kNumber) {
      const std::size_t offset = tokens_[at_++].offset;
      return Number(offset, "-" + tokens_[at_++].text);
    }
    return Prefix(Op::kNegate, kUnaryLevel);
  }

  Result Postfix() {
    Result node = Operand();
    while (node) {
      const ExpressionToken& token = Peek();
      Result key = Literal(token.offset, nullptr);
      if (token.kind == Kind::kField) {
        key = Literal(token.offset, json::value(token.text));
        ++at_;
      } else if (IsSign("[")) {
        key = Bracket();
        if (!key) return key;
      } else {
        break;
      }
      const auto* name = std::get_if<LiteralForm>(&key->form);
      auto* reference = std::get_if<ReferenceForm>(&node->form);
      if (reference != nullptr && name != nullptr && name->value.is_string()) {
        reference->path.emplace_back(name->value.get_string());
        continue;
      }
      if (auto counted = Count(token.offset); !counted) return std::unexpected(std::move(counted.error()));
      node = Index(token.offset, std::move(*node), std::move(*key));
    }
    return node;
  }

  Result Bracket() {
    const std::size_t open = tokens_[at_++].offset;
    Result key = Conditional();
    if (key && !TakeSign("]")) return MissingSign("]", open);
    return key;
  }

  Result Operand() {
    const ExpressionToken& token = Peek();
    switch (token.kind) {
      case Kind::kNumber:
        ++at_;
        return Number(token.offset, token.text);
      case Kind::kString:
        ++at_;
        return Literal(token.offset, json::value(token.text));
      case Kind::kWord:
        return Word();
      case Kind::kRoot:
        ++at_;
        return ExpressionNode{token.offset, ReferenceForm{{token.text}}, {}};
      case Kind::kSign:
        if (token.text == "(") return Parenthesis();
        if (token.text == "[") return List();
        if (token.text == "{") return Object();
        return Unexpected();
      default:
        return Unexpected();
    }
  }

  Result Word() {
    const ExpressionToken& token = Peek();
    const std::string& word = token.text;
    if (IsOperatorWord(word)) return Unexpected();
    ++at_;
    if (word == "true" || word == "false") return Literal(token.offset, word == "true");
    if (word == "null" || word == "nil") return Literal(token.offset, nullptr);
    if (IsSign("(")) return Call(token);
    return ExpressionNode{token.offset, ReferenceForm{{word}}, {}};
  }

  static Result Number(std::size_t offset, const std::string& text) {
    const char* const end = text.data() + text.size();
    if (text.find_first_of(".eE") == std::string::npos) {
      std::int64_t whole = 0;
      if (std::from_chars(text.data(), end, whole).ec == std::errc()) return Literal(offset, whole);
      return BadExpression(offset, "'" + text + "' does not fit into 64 bits");
    }
    double number = 0;
    if (std::from_chars(text.data(), end, number).ec == std::errc() && std::isfinite(number)) {
      return Literal(offset, number);
    }
    return BadExpression(offset, "'" + text + "' is out of range");
  }

  Result Parenthesis() {
    const std::size_t open = tokens_[at_++].offset;
    Result inner = Conditional();
    if (inner && !TakeSign(")")) return MissingSign(")", open);
    return inner;
  }

  Result Call(const ExpressionToken& function) {
    if (auto counted = Count(function.offset); !counted) return std::unexpected(std::move(counted.error()));
    const std::size_t open = tokens_[at_++].offset;
    ExpressionNode node{function.offset, CallForm{function.text}, {}};
    auto arguments = Items(node, ")", open);
    if (!arguments) return std::unexpected(std::move(arguments.error()));
    if (node.operands.size() != 1) {
      return BadExpression(function.offset, "function '" + function.text + "' takes one value, not " +
                                                std::to_string(node.operands.size()));
    }
    return node;
  }

  Result List() {
    const std::size_t open = tokens_[at_++].offset;
    ExpressionNode node{open, ListForm{}, {}};
    auto items = Items(node, "]", open);
    if (!items) return std::unexpected(std::move(items.error()));
    return node;
  }

  std::expected<void, TemplateFault> Items(ExpressionNode& node, std::string_view close, std::size_t open) {
    if (TakeSign(close)) return {};
    do {
      Result item = Conditional();
      if (!item) return std::unexpected(std::move(item.error()));
      node.operands.push_back(std::move(*item));
    } while (TakeSign(","));
    if (!TakeSign(close)) return MissingSign(close, open);
    return {};
  }

  Result Object() {
    const std::size_t open = tokens_[at_++].offset;
    ObjectForm form;
    std::vector<ExpressionNode> values;
    if (!TakeSign("}")) {
      do {
        if (Peek().kind != Kind::kString) {
          return BadExpression(Peek().offset, "a key of an object must be a text", "as in {\"key\": value}");
        }
        form.keys.push_back(tokens_[at_++].text);
        if (!TakeSign(":")) return MissingSign(":", open);
        Result value = Conditional();
        if (!value) return value;
        values.push_back(std::move(*value));
      } while (TakeSign(","));
      if (!TakeSign("}")) return MissingSign("}", open);
    }
    return ExpressionNode{open, std::move(form), std::move(values)};
  }

  // What was begun at `begin` is not ended as it should be.
  std::unexpected<TemplateFault> MissingSign(std::string_view sign, std::size_t begin) const {
    const std::string quoted = "'" + std::string(sign) + "'";
    if (Peek().kind == Kind::kEnd) return BadExpression(begin, quoted + " is missing for what begins here");
    return Unexpected(quoted + " is expected here");
  }

  std::unexpected<TemplateFault> Unexpected(std::string hint = {}) const {
    const ExpressionToken& token = Peek();
    if (token.kind == Kind::kEnd)
      return BadExpression(token.offset, "something is missing at the end", std::move(hint));
    const bool is_value = token.kind == Kind::kNumber || token.kind == Kind::kString || token.kind == Kind::kRoot ||
                          (token.kind == Kind::kWord && !IsOperatorWord(token.text));
    if (is_value) {
      const std::string_view meant = SameButCase(token.text, kOperatorWords);
      if (!meant.empty()) hint = "did you mean '" + std::string(meant) + "'?";
      const std::string shown = token.kind == Kind::kString ? "this text" : "'" + token.text + "'";
      return BadExpression(token.offset, "there is no operator before " + shown, std::move(hint));
    }
    if (token.text == "(" && hint.empty()) hint = "only functions can be called: len(x), lower(x), …";
    return BadExpression(token.offset, "unexpected '" + token.text + "'", std::move(hint));
  }

  std::vector<ExpressionToken> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int operators_ = 0;
};

}  // namespace

std::string_view NameOf(ExpressionOperator op) {
  if (op == Op::kNot) return "not";
  if (op == Op::kNegate) return "-";
  return std::ranges::find(kBinary, op, &BinaryOperator::op)->text;
}

std::expected<ExpressionNode, TemplateFault> ParseExpression(std::string_view text) {
  if (text.size() > kMaxExpressionBytes) return BadExpression(0, "an expression may be at most 256 KiB long");
  auto tokens = LexExpression(text);
  if (!tokens) return std::unexpected(std::move(tokens.error()));
  return Parser(std::move(*tokens)).Run();
}

}  // namespace awf
