#include "application/language/template_printf.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "application/language/characters.h"
#include "domain/utf8.h"

namespace awf {
namespace {

using Text = std::expected<std::string, std::string>;

constexpr std::int64_t kMaxWidth = 1'000'000;  // as in Go
constexpr std::size_t kMaxPrecisionOfFloats = 1000;

struct Directive {
  bool minus = false, plus = false, sharp = false, space = false, zero = false;
  std::size_t width = 0;
  std::optional<std::size_t> precision;
  std::string verb;  // one character
};

std::string Padded(const Directive& directive, std::string text) {
  const std::size_t length = CountCharacters(text);
  if (length >= directive.width) return text;
  const std::size_t missing = directive.width - length;
  if (directive.minus) return std::move(text) + std::string(missing, ' ');
  return std::string(missing, directive.zero ? '0' : ' ') + text;
}

std::string Hex(std::string_view bytes, const Directive& directive) {
  const std::string_view digits = directive.verb == "X" ? "0123456789ABCDEF" : "0123456789abcdef";
  const std::string prefix = directive.verb == "X" ? "0X" : "0x";
  if (directive.precision) bytes = bytes.substr(0, *directive.precision);
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0 && directive.space) text.push_back(' ');
    if (directive.sharp && (i == 0 || directive.space)) text += prefix;
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text.push_back(digits[byte >> 4]);
    text.push_back(digits[byte & 15]);
  }
  return text;
}

std::string InBase(std::uint64_t number, int base) {
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, number, base).ptr};
}

void MakeUpper(std::string& digits) { std::ranges::transform(digits, digits.begin(), ToUpper); }

// Characters that Go shows as escapes in quotes; the rare ones that fonts draw nothing for, by their blocks.
bool IsPrintable(char32_t code) {
  struct Range {
    char32_t first, last;
  };
  static constexpr Range kHidden[] = {{0, 0x1F},          {0x7F, 0xA0},       {0xAD, 0xAD},     {0x1680, 0x1680},
                                      {0x2000, 0x200F},   {0x2028, 0x202F},   {0x205F, 0x206F}, {0x3000, 0x3000},
                                      {0xD800, 0xF8FF},   {0xFEFF, 0xFEFF},   {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF},
                                      {0xE0000, 0xE00FF}, {0xF0000, 0x10FFFF}};
  return std::ranges::none_of(kHidden, [&](const Range& range) { return code >= range.first && code <= range.last; });
}

std::string Digits(char32_t code, std::size_t count) {
  std::string hex = InBase(code, 16);
  return std::string(count - std::min(count, hex.size()), '0') + hex;
}

std::string Quoted(std::string_view text, char quote, bool ascii) {
  static constexpr std::string_view kNames = "abfnrtv\\", kValues = "\a\b\f\n\r\t\v\\";
  std::string quoted(1, quote);
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = StepUtf8(text, at);
    const char c = text[at];
    if (!step.valid) {
      quoted += "\\x" + Digits(static_cast<unsigned char>(c), 2);
      ++at;
      continue;
    }
    if (c == quote || kValues.find(c) != std::string_view::npos) {
      quoted.push_back('\\');
      quoted.push_back(c == quote ? c : kNames[kValues.find(c)]);
    } else if (IsPrintable(step.code) && (!ascii || step.code < 0x80)) {
      quoted += text.substr(at, step.length);
    } else if (step.code < 0x80) {
      quoted += "\\x" + Digits(step.code, 2);
    } else {
      quoted += step.code < 0x10000 ? "\\u" + Digits(step.code, 4) : "\\U" + Digits(step.code, 8);
    }
    at += step.length;
  }
  return quoted + quote;
}

bool FitsBackquotes(std::string_view text) {
  return std::ranges::none_of(
             text,
             [](char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '`' || c == '\x7F'; }) &&
         text.find("\xEF\xBB\xBF") == std::string_view::npos;
}

std::string FormatWords(const Directive& directive, const std::string& text) {
  const char verb = directive.verb[0];
  if (verb == 'x' || verb == 'X') return Padded(directive, Hex(text, directive));
  const std::string part = directive.precision ? std::string(FirstCharacters(text, *directive.precision)) : text;
  if (verb != 'q') return Padded(directive, part);
  if (directive.sharp && FitsBackquotes(part)) return Padded(directive, "`" + part + "`");
  return Padded(directive, Quoted(part, '"', directive.plus));
}

std::string PrefixOf(char verb, bool sharp, const std::string& digits) {
  if (verb == 'O') return "0o";
  if (!sharp) return "";
  if (verb == 'b') return "0b";
  if (verb == 'x') return "0x";
  if (verb == 'X') return "0X";
  return verb == 'o' && !digits.starts_with('0') ? "0" : "";
}

std::string FormatInteger(Directive directive, std::int64_t number) {
  const char verb = directive.verb[0];
  const bool signs = verb != 'v' && directive.plus;
  if (directive.precision == 0U && number == 0) {
    directive.zero = false;
    return Padded(directive, "");
  }
  const int base = verb == 'b' ? 2 : (verb == 'o' || verb == 'O') ? 8 : (verb == 'x' || verb == 'X') ? 16 : 10;
  const bool negative = number < 0;
  const auto size = negative ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
  std::string digits = InBase(size, base);
  if (verb == 'X') MakeUpper(digits);
  const std::string sign = negative ? "-" : signs ? "+" : directive.space ? " " : "";
  std::size_t count = directive.precision.value_or(0);
  if (!directive.precision && directive.zero && !directive.minus && directive.width > sign.size()) {
    count = directive.width - sign.size();
  }
  if (digits.size() < count) digits.insert(0, count - digits.size(), '0');
  directive.zero = false;
  return Padded(directive, sign + PrefixOf(verb, directive.sharp, digits) + digits);
}

// %g without a precision: the shortest digits, with an exponent below 1e-4 and from 1e6 on.
std::string ShortestGeneral(double number) {
  constexpr int kSmallest = -4, kLargest = 6;
  char digits[64];
  std::string text(digits, std::to_chars(digits, digits + sizeof digits, number, std::chars_format::scientific).ptr);
  const int exponent = std::stoi(text.substr(text.find('e') + 1));
  if (exponent < kSmallest || exponent >= kLargest) return text;
  return {digits, std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed).ptr};
}

std::string FloatDigits(const Directive& directive, double number) {
  const char verb = directive.verb[0];
  const char lower = ToLower(verb);
  if (!directive.precision && verb == 'v') return ShortestNumber(number);
  if (!directive.precision && lower == 'g') return ShortestGeneral(number);
  const std::chars_format form = lower == 'f'   ? std::chars_format::fixed
                                 : lower == 'e' ? std::chars_format::scientific
                                                : std::chars_format::general;
  const std::size_t precision = directive.precision.value_or(6);
  std::vector<char> digits(precision + 400);  // 309 digits before the point at most
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, form, static_cast<int>(precision)).ptr;
  return {digits.data(), end};
}

Text FormatFloat(const Directive& directive, double number) {
  if (directive.precision.value_or(0) > kMaxPrecisionOfFloats) {
    return std::unexpected("got a precision above " + std::to_string(kMaxPrecisionOfFloats));
  }
  std::string text = FloatDigits(directive, number);
  const char verb = directive.verb[0];
  if (IsUpper(verb)) MakeUpper(text);
  const bool negative = text.starts_with('-');
  std::string sign = negative ? "-" : directive.plus && verb != 'v' ? "+" : directive.space ? " " : "";
  if (negative) text.erase(0, 1);
  const bool fill = directive.zero && !directive.minus && directive.width > sign.size() + text.size();
  if (fill) text.insert(0, directive.width - sign.size() - text.size(), '0');
  return Padded(directive, sign + text);
}

class Formatter {
 public:
  Formatter(std::string_view format, std::span<const TemplateValue> arguments)
      : format_(format), arguments_(arguments) {}

  Text Run() {
    std::string text;
    while (at_ < format_.size()) {
      const std::size_t percent = std::min(format_.find('%', at_), format_.size());
      text += format_.substr(at_, percent - at_);
      at_ = percent;
      if (at_ == format_.size()) break;
      Text piece = OneDirective();
      if (!piece) return piece;
      text += *piece;
      if (text.size() > kMaxTemplateOutput) return std::unexpected("makes more than 64 MiB");
    }
    if (next_ < arguments_.size()) {
      const std::size_t left = arguments_.size() - next_;
      return std::unexpected("has " + std::to_string(left) + (left == 1 ? " argument" : " arguments") +
                             " too many for its format");
    }
    return text;
  }

 private:
  Text OneDirective() {
    const std::size_t begin = at_++;
    Directive directive;
    Flags(directive);
    if (auto read = Sizes(directive); !read) return std::unexpected(std::move(read.error()));
    if (at_ >= format_.size()) return std::unexpected("got a format that ends within '%'");
    const std::size_t length = std::max<std::size_t>(1, Utf8CharacterLength(format_.substr(at_)));
    directive.verb = format_.substr(at_, length);
    at_ += length;
    if (directive.verb == "%") return "%";
    whole_ = format_.substr(begin, at_ - begin);
    if (length > 1 || std::string_view("vsqdboOxXcUeEfFgGt").find(directive.verb) == std::string_view::npos) {
      return std::unexpected("does not know the verb '" + whole_ + "'");
    }
    if (next_ >= arguments_.size()) return std::unexpected("has no argument for '" + whole_ + "'");
    return Formatted(directive, *arguments_[next_++]);
  }

  void Flags(Directive& directive) {
    for (; at_ < format_.size(); ++at_) {
      switch (format_[at_]) {
        case '-':
          directive.minus = true;
          break;
        case '+':
          directive.plus = true;
          break;
        case '#':
          directive.sharp = true;
          break;
        case ' ':
          directive.space = true;
          break;
        case '0':
          directive.zero = true;
          break;
        default:
          return;
      }
    }
  }

  std::expected<void, std::string> Sizes(Directive& directive) {
    auto width = Size(true);
    if (!width) return std::unexpected(std::move(width.error()));
    if (*width < 0) directive.minus = true;
    directive.width = static_cast<std::size_t>(std::abs(*width));
    if (at_ >= format_.size() || format_[at_] != '.') return {};
    ++at_;
    auto precision = Size(false);
    if (!precision) return std::unexpected(std::move(precision.error()));
    directive.precision = static_cast<std::size_t>(*precision);
    return {};
  }

  // Digits, or * for the next argument; nothing is 0.
  std::expected<std::int64_t, std::string> Size(bool may_be_negative) {
    std::int64_t size = 0;
    if (at_ < format_.size() && format_[at_] == '*') {
      ++at_;
      if (next_ >= arguments_.size()) return std::unexpected("has no argument for '*'");
      const auto number = WholeNumber(*arguments_[next_++]);
      if (!number || (*number < 0 && !may_be_negative)) return std::unexpected("needs a whole number for '*'");
      size = *number;
    }
    for (; at_ < format_.size() && IsDigit(format_[at_]) && size <= kMaxWidth; ++at_) {
      size = size * 10 + (format_[at_] - '0');
    }
    if (size > kMaxWidth || size < -kMaxWidth) return std::unexpected("got a width or precision above 1000000");
    return size;
  }

  Text Formatted(const Directive& directive, const json::value& value) const {
    const char verb = directive.verb[0];
    if (verb == 'v' && directive.sharp) return std::unexpected("does not know '#' with 'v'");
    if (verb == 's' || (verb == 'v' && !value.is_number())) return FormatWords(directive, TextOf(value));
    if (verb == 't') {
      if (!value.is_bool()) return Unfit("a boolean", value);
      Directive plain = directive;
      plain.precision.reset();
      return FormatWords(plain, TextOf(value));
    }
    if (std::string_view("eEfFgG").find(verb) != std::string_view::npos || (verb == 'v' && value.is_double())) {
      if (!value.is_number()) return Unfit("a number", value);
      return FormatFloat(directive, value.to_number<double>());
    }
    if (value.is_string() && (verb == 'q' || verb == 'x' || verb == 'X')) return FormatWords(directive, TextOf(value));
    const auto number = WholeNumber(value);
    if (!number)
      return Unfit(verb == 'q' || verb == 'x' || verb == 'X' ? "text or a whole number" : "a whole number", value);
    if (verb == 'c' || verb == 'q' || verb == 'U') return FormatCharacter(directive, *number);
    return FormatInteger(directive, *number);
  }

  static Text FormatCharacter(const Directive& directive, std::int64_t number) {
    const bool exists = number >= 0 && number <= 0x10FFFF && (number < 0xD800 || number > 0xDFFF);
    const char32_t code = exists ? static_cast<char32_t>(number) : U'\uFFFD';
    std::string text;
    AppendUtf8(text, code);
    if (directive.verb == "q") return Padded(directive, Quoted(text, '\'', directive.plus));
    if (directive.verb == "c") return Padded(directive, text);
    if (number < 0) return std::unexpected("got a negative number for 'U'");
    std::string digits = InBase(static_cast<std::uint64_t>(number), 16);
    MakeUpper(digits);
    if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
    Directive plain = directive;
    plain.zero = false;
    return Padded(plain, "U+" + digits + (directive.sharp && exists && IsPrintable(code) ? " '" + text + "'" : ""));
  }

  Text Unfit(std::string_view wanted, const json::value& value) const {
    return std::unexpected("needs " + std::string(wanted) + " for '" + whole_ + "', not " + GivenName(value));
  }

  std::string_view format_;
  std::span<const TemplateValue> arguments_;
  std::size_t at_ = 0;
  std::size_t next_ = 0;
  std::string whole_;  // the directive at hand, for messages
};

}  // namespace

Text FormatText(std::string_view format, std::span<const TemplateValue> arguments) {
  return Formatter(format, arguments).Run();
}

}  // namespace awf
