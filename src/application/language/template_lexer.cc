#include "application/language/template_lexer.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "application/language/characters.h"
#include "domain/utf8.h"

namespace awf {
namespace {

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::expected<std::vector<Token>, TemplateFault> Run() {
    bool trim_left = false;
    while (true) {
      const std::size_t open = text_.find("{{", at_);
      Text(open, trim_left);
      if (open == std::string_view::npos) break;
      at_ = open + 2;
      if (At("-") && at_ + 1 < text_.size() && IsSpace(text_[at_ + 1])) ++at_;
      const std::expected<bool, TemplateFault> comment = Comment(open);
      if (!comment) return std::unexpected(comment.error());
      if (!*comment) {
        Add(TokenKind::kOpen, open, "");
        if (auto done = Action(open); !done) return std::unexpected(std::move(done.error()));
      }
      trim_left = trimmed_close_;
    }
    Add(TokenKind::kEnd, text_.size(), "");
    return std::move(tokens_);
  }

 private:
  bool At(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void Add(TokenKind kind, std::size_t offset, std::string text) {
    tokens_.push_back({kind, std::move(text), offset, offset > 0 && !IsSpace(text_[offset - 1])});
  }

  // The text up to `open`, less what the trim markers on both sides take.
  void Text(std::size_t open, bool trim_left) {
    std::size_t begin = at_;
    std::size_t end = open == std::string_view::npos ? text_.size() : open;
    if (trim_left) {
      while (begin < end && IsSpace(text_[begin])) ++begin;
    }
    const bool trim_right =
        open != std::string_view::npos && open + 3 < text_.size() && text_[open + 2] == '-' && IsSpace(text_[open + 3]);
    if (trim_right) {
      while (end > begin && IsSpace(text_[end - 1])) --end;
    }
    if (end > begin) Add(TokenKind::kText, begin, std::string(text_.substr(begin, end - begin)));
  }

  // True when the action that begins here is a comment, which is then behind us.
  std::expected<bool, TemplateFault> Comment(std::size_t open) {
    std::size_t begin = at_;
    while (begin < text_.size() && IsSpace(text_[begin])) ++begin;
    // A comment stands directly behind the delimiter; only a trim marker puts a space there.
    if (!text_.substr(begin).starts_with("/*")) return false;
    const std::size_t end = text_.find("*/", begin + 2);
    if (end == std::string_view::npos) return BadSyntax(open, "this comment is never closed");
    at_ = end + 2;
    if (TakeClose()) return true;
    return BadSyntax(begin, "a comment must fill its whole action: {{/* … */}}");
  }

  // }} or -}} with white space before it.
  bool TakeClose() {
    std::size_t end = at_;
    while (end < text_.size() && IsSpace(text_[end])) ++end;
    trimmed_close_ = end > at_ && text_.substr(end).starts_with("-}}");
    if (trimmed_close_) ++end;
    if (!text_.substr(end).starts_with("}}")) return false;
    close_ = end;
    at_ = end + 2;
    return true;
  }

  std::expected<void, TemplateFault> Action(std::size_t open) {
    while (true) {
      if (TakeClose()) {
        Add(TokenKind::kClose, close_, "");
        return {};
      }
      while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
      if (at_ >= text_.size() || At("{{")) return BadSyntax(open, "this action is never closed with '}}'");
      if (auto token = Next(); !token) return token;
    }
  }

  std::expected<void, TemplateFault> Next() {
    const char c = text_[at_];
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (c == '"') return Quoted();
    if (c == '`') return Raw();
    if (c == '\'') return Character();
    if (StartsName(c)) return Name(TokenKind::kIdentifier, at_);
    if (c == '$') return Variable();
    const bool is_signed = c == '-' || c == '+';
    const char after = is_signed && next == '.' && at_ + 2 < text_.size() ? text_[at_ + 2] : '\0';
    if (IsDigit(c) || ((is_signed || c == '.') && IsDigit(next)) || IsDigit(after)) return Number();
    if (c == '.' && (StartsName(next) || ForeignLetter(at_ + 1) > 0)) return Field();
    return Sign();
  }

  std::expected<void, TemplateFault> Sign() {
    const std::size_t begin = at_;
    const auto single = [&](TokenKind kind) -> std::expected<void, TemplateFault> {
      ++at_;
      Add(kind, begin, "");
      return {};
    };
    switch (text_[at_]) {
      case '.':
        return single(TokenKind::kDot);
      case '|':
        return single(TokenKind::kPipe);
      case '(':
        return single(TokenKind::kLeftParen);
      case ')':
        return single(TokenKind::kRightParen);
      case ',':
        return single(TokenKind::kComma);
      case '=':
        return single(TokenKind::kAssign);
      case ':':
        if (!At(":=")) break;
        ++at_;
        return single(TokenKind::kDeclare);
      default:
        break;
    }
    std::size_t length = 1;
    while (begin + length < text_.size() && IsUtf8Continuation(text_[begin + length])) ++length;
    return BadSyntax(begin, "unexpected '" + std::string(text_.substr(begin, length)) + "' in an action");
  }

  std::expected<void, TemplateFault> Name(TokenKind kind, std::size_t begin) {
    const std::size_t name = at_;
    while (at_ < text_.size() && ContinuesName(text_[at_])) ++at_;
    Add(kind, begin, std::string(text_.substr(name, at_ - name)));
    return {};
  }

  // Names of states may hold dashes, so fields may too: there is no subtraction that they could be confused with. Keys
  // of JSON may hold letters of any script.
  std::expected<void, TemplateFault> Field() {
    const std::size_t begin = at_++;
    const std::size_t name = at_;
    while (const std::size_t length = FieldCharacter()) at_ += length;
    Add(TokenKind::kField, begin, std::string(text_.substr(name, at_ - name)));
    return {};
  }

  std::size_t FieldCharacter() const {
    if (at_ >= text_.size()) return 0;
    if (ContinuesName(text_[at_])) return 1;
    const bool more = at_ + 1 < text_.size() && (ContinuesName(text_[at_ + 1]) || text_[at_ + 1] == '-');
    if (text_[at_] == '-' && more) return 1;
    return ForeignLetter(at_);
  }

  // The bytes of the character there if it is none of ASCII and could be in a name, else 0. Latin-1's signs, general
  // punctuation and the space of East Asian scripts could not.
  std::size_t ForeignLetter(std::size_t at) const {
    constexpr char32_t kFirst = 0xC0, kPunctuation = 0x2000, kPunctuationEnd = 0x206F, kWideSpace = 0x3000;
    if (at >= text_.size()) return 0;
    const Utf8Step step = StepUtf8(text_, at);
    const bool sign = (step.code >= kPunctuation && step.code <= kPunctuationEnd) || step.code == kWideSpace;
    return step.valid && step.code >= kFirst && !sign ? step.length : 0;
  }

  std::expected<void, TemplateFault> Variable() {
    const std::size_t begin = at_++;
    return Name(TokenKind::kVariable, begin);
  }

  std::expected<void, TemplateFault> Number() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() &&
           (ContinuesName(text_[at_]) || text_[at_] == '.' ||
            ((text_[at_] == '-' || text_[at_] == '+') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E')))) {
      ++at_;
    }
    Add(TokenKind::kNumber, begin, std::string(text_.substr(begin, at_ - begin)));
    return {};
  }

  std::expected<void, TemplateFault> Raw() {
    const std::size_t begin = at_;
    const std::size_t end = text_.find('`', begin + 1);
    if (end == std::string_view::npos) return BadSyntax(begin, "this raw string is never closed");
    at_ = end + 1;
    Add(TokenKind::kString, begin, std::string(text_.substr(begin + 1, end - begin - 1)));
    return {};
  }

  std::expected<void, TemplateFault> Quoted() {
    const std::size_t begin = at_++;
    std::string value;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
      if (text_[at_] != '\\') {
        value.push_back(text_[at_++]);
      } else if (const auto code = Escape('"')) {
        AppendUtf8(value, *code);
      } else {
        return BadSyntax(at_, "unknown escape in a string", "a backslash is written \\\\, or use a raw string: `…`");
      }
    }
    if (!At("\"")) return BadSyntax(begin, "this string is never closed");
    ++at_;
    Add(TokenKind::kString, begin, std::move(value));
    return {};
  }

  // 'c' is the number of the character, as in Go.
  std::expected<void, TemplateFault> Character() {
    const std::size_t begin = at_++;
    const auto wrong = [&] {
      return BadSyntax(begin, "a character constant holds one character, as 'a'", "strings stand in double quotes");
    };
    std::optional<char32_t> code;
    if (At("\\")) {
      code = Escape('\'');
    } else if (at_ < text_.size() && text_[at_] != '\'' && text_[at_] != '\n') {
      const Utf8Step step = StepUtf8(text_, at_);
      if (step.valid) code = step.code;
      at_ += step.length;
    }
    if (!code || !At("'")) return wrong();
    ++at_;
    Add(TokenKind::kNumber, begin, std::to_string(static_cast<std::uint32_t>(*code)));
    return {};
  }

  // The character that the escape stands for; nothing, and at_ still at the backslash, when it is none of Go's. \x and
  // \101 name bytes in Go; above 0x7F they would make invalid UTF-8, so here they name characters.
  std::optional<char32_t> Escape(char quote) {
    static constexpr std::string_view kNames = "abfnrtv\\", kValues = "\a\b\f\n\r\t\v\\";
    if (at_ + 1 >= text_.size()) return std::nullopt;
    const char c = text_[at_ + 1];
    const std::size_t simple = kNames.find(c);
    if (c == quote || simple != std::string_view::npos) {
      at_ += 2;
      return static_cast<char32_t>(c == quote ? c : kValues[simple]);
    }
    if (c >= '0' && c <= '7') return CodeEscape(at_ + 1, 3, 8, 0xFF);
    if (c == 'x') return CodeEscape(at_ + 2, 2, 16, 0xFF);
    if (c == 'u') return CodeEscape(at_ + 2, 4, 16, 0xFFFF);
    if (c == 'U') return CodeEscape(at_ + 2, 8, 16, 0x10FFFF);
    return std::nullopt;
  }

  std::optional<char32_t> CodeEscape(std::size_t begin, std::size_t count, int base, char32_t largest) {
    char32_t code = 0;
    for (std::size_t place = begin; place < begin + count; ++place) {
      const int digit = place < text_.size() ? HexDigit(text_[place]) : -1;
      if (digit < 0 || digit >= base) return std::nullopt;
      code = code * static_cast<char32_t>(base) + static_cast<char32_t>(digit);
    }
    if (code > largest || (code >= 0xD800 && code <= 0xDFFF)) return std::nullopt;
    at_ = begin + count;
    return code;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t close_ = 0;
  bool trimmed_close_ = false;
  std::vector<Token> tokens_;
};

}  // namespace

std::expected<std::vector<Token>, TemplateFault> LexTemplate(std::string_view text) { return Lexer(text).Run(); }

}  // namespace awf
