#include "application/language/expression_lexer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "application/language/characters.h"
#include "application/language/expression_fault.h"
#include "domain/utf8.h"

namespace awf {
namespace {

using Kind = ExpressionTokenKind;

// Longer signs first.
constexpr std::array<std::string_view, 24> kSigns = {"||", "&&", "==", "!=", "<=", ">=", "<", ">", "!", "+", "-", "*",
                                                     "/",  "%",  "?",  ":",  "(",  ")",  "[", "]", "{", "}", ",", "."};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::expected<std::vector<ExpressionToken>, TemplateFault> Run() {
    while (true) {
      while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
      if (at_ >= text_.size()) break;
      if (auto token = Next(); !token) return std::unexpected(std::move(token.error()));
    }
    Add(Kind::kEnd, text_.size(), "");
    return std::move(tokens_);
  }

 private:
  using Result = std::expected<void, TemplateFault>;

  char Peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void Add(Kind kind, std::size_t offset, std::string text) {
    tokens_.push_back({kind, std::move(text), offset});
    end_of_last_ = at_;
  }

  Result Next() {
    const char c = Peek();
    if (c == '"' || c == '\'') return Quoted(c);
    if (c == '`') return Raw();
    if (StartsName(c)) return Name(Kind::kWord, at_, false);
    if (IsDigit(c)) return Number();
    if (c == '.') return Dot();
    return Sign();
  }

  Result Dot() {
    const std::size_t begin = at_++;
    const bool selects = EndsOperand() && end_of_last_ == begin;
    if (StartsName(Peek())) return Name(selects ? Kind::kField : Kind::kRoot, begin, selects && BehindStates());
    if (!selects) return BadExpression(begin, "unexpected '.'", IsDigit(Peek()) ? "write a 0 before the point" : "");
    return BadExpression(begin, "a name must follow '.'", "anything else is written in brackets: x[0], x[\"my-key\"]");
  }

  bool EndsOperand() const {
    if (tokens_.empty()) return false;
    const ExpressionToken& last = tokens_.back();
    if (last.kind == Kind::kSign) return last.text == ")" || last.text == "]" || last.text == "}";
    return last.kind != Kind::kNumber;
  }

  bool BehindStates() const {
    const ExpressionToken& last = tokens_.back();
    return (last.kind == Kind::kWord || last.kind == Kind::kRoot) && last.text == "states";
  }

  Result Name(Kind kind, std::size_t offset, bool dashes) {
    const std::size_t begin = at_;
    while (const std::size_t more = ContinuesName(Peek()) ? 1 : dashes ? DashesOfName() : 0) at_ += more;
    Add(kind, offset, std::string(text_.substr(begin, at_ - begin)));
    return {};
  }

  // How many dashes stand here with more of the name behind.
  std::size_t DashesOfName() const {
    std::size_t ahead = 0;
    while (Peek(ahead) == '-') ++ahead;
    return ContinuesName(Peek(ahead)) ? ahead : 0;
  }

  Result Number() {
    const std::size_t begin = at_;
    const auto digits = [&] {
      const std::size_t first = at_;
      while (IsDigit(Peek())) ++at_;
      return at_ > first;
    };
    digits();
    bool good = true;
    if (Peek() == '.') {
      ++at_;
      good = digits();
    }
    if (good && (Peek() == 'e' || Peek() == 'E')) {
      ++at_;
      if (Peek() == '+' || Peek() == '-') ++at_;
      good = digits();
    }
    if (good && !ContinuesName(Peek()) && Peek() != '.') {
      Add(Kind::kNumber, begin, std::string(text_.substr(begin, at_ - begin)));
      return {};
    }
    while (ContinuesName(Peek()) || Peek() == '.') ++at_;
    return BadExpression(begin, "'" + std::string(text_.substr(begin, at_ - begin)) + "' is not a number");
  }

  Result Sign() {
    const std::size_t begin = at_;
    const auto sign =
        std::ranges::find_if(kSigns, [&](std::string_view s) { return text_.substr(at_).starts_with(s); });
    if (sign != kSigns.end()) {
      at_ += sign->size();
      Add(Kind::kSign, begin, std::string(*sign));
      return {};
    }
    const char c = Peek();
    const std::size_t length = std::max<std::size_t>(Utf8CharacterLength(text_.substr(begin)), 1);
    const std::string_view hint = c == '='   ? "two values are compared with =="
                                  : c == '|' ? "write || or the word or"
                                  : c == '&' ? "write && or the word and"
                                             : "";
    const std::string shown = RepairUtf8(text_.substr(begin, length));
    return BadExpression(begin, "unexpected '" + shown + "'", std::string(hint));
  }

  Result Raw() {
    const std::size_t begin = at_;
    const std::size_t end = text_.find('`', begin + 1);
    if (end == std::string_view::npos) return BadExpression(begin, "this text is never closed with `");
    at_ = end + 1;
    Add(Kind::kString, begin, std::string(text_.substr(begin + 1, end - begin - 1)));
    return {};
  }

  Result Quoted(char quote) {
    const std::size_t begin = at_++;
    std::string value;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] != '\\') {
        value.push_back(text_[at_++]);
      } else if (!Escape(value)) {
        return BadExpression(at_, "unknown escape in a text", "a backslash is written \\\\, or stands in `…`");
      }
    }
    if (at_ >= text_.size()) return BadExpression(begin, std::string("this text is never closed with ") + quote);
    ++at_;
    Add(Kind::kString, begin, std::move(value));
    return {};
  }

  // False, and at_ still at the backslash, when there is no such escape.
  bool Escape(std::string& value) {
    static constexpr std::string_view kNames = "bfnrt\\/\"'", kValues = "\b\f\n\r\t\\/\"'";
    if (const std::size_t simple = Peek(1) == '\0' ? kNames.npos : kNames.find(Peek(1)); simple != kNames.npos) {
      value.push_back(kValues[simple]);
      at_ += 2;
      return true;
    }
    std::optional<char32_t> code = Unit(at_);
    if (!code) return false;
    std::size_t length = 6;
    if (*code >= 0xD800 && *code < 0xDC00) {
      const std::optional<char32_t> low = Unit(at_ + length);
      if (!low || *low < 0xDC00 || *low > 0xDFFF) return false;
      code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
      length = 12;
    } else if (*code >= 0xDC00 && *code <= 0xDFFF) {
      return false;
    }
    AppendUtf8(value, *code);
    at_ += length;
    return true;
  }

  // The UTF-16 unit of an escape: \u and four hex digits.
  std::optional<char32_t> Unit(std::size_t at) const {
    if (!text_.substr(std::min(at, text_.size())).starts_with("\\u")) return std::nullopt;
    char32_t code = 0;
    for (std::size_t i = at + 2; i < at + 6; ++i) {
      const int digit = i < text_.size() ? HexDigit(text_[i]) : -1;
      if (digit < 0) return std::nullopt;
      code = code * 16 + static_cast<char32_t>(digit);
    }
    return code;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t end_of_last_ = 0;
  std::vector<ExpressionToken> tokens_;
};

}  // namespace

std::expected<std::vector<ExpressionToken>, TemplateFault> LexExpression(std::string_view text) {
  return Lexer(text).Run();
}

}  // namespace awf
