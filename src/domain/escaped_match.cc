#include "domain/escaped_match.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>

namespace awf {
namespace {

// One unit: so much of the text stands for so much of the value.
struct Step {
  std::size_t text = 0, value = 0;  // both 0: no match
  bool cut = false;                 // the text ends within the unit
};

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The number of exactly `digits` hex digits at the beginning.
std::optional<std::uint32_t> HexNumber(std::string_view text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  std::uint32_t number = 0;
  for (const char c : text.substr(0, digits)) {
    const int digit = HexDigit(c);
    if (digit < 0) return std::nullopt;
    number = number << 4U | static_cast<std::uint32_t>(digit);
  }
  return number;
}

// Whether the text is too short for its digits, and has none that is wrong.
bool EndsWithinHex(std::string_view text, std::size_t digits) {
  return text.size() < digits && std::ranges::all_of(text, [](char c) { return HexDigit(c) >= 0; });
}

std::string Utf8(std::uint32_t point) {
  const auto byte = [](std::uint32_t bits) { return static_cast<char>(static_cast<unsigned char>(bits)); };
  if (point < 0x80) return {byte(point)};
  if (point < 0x800) return {byte(0xC0 | point >> 6U), byte(0x80 | (point & 0x3F))};
  if (point < 0x10000)
    return {byte(0xE0 | point >> 12U), byte(0x80 | (point >> 6U & 0x3F)), byte(0x80 | (point & 0x3F))};
  return {byte(0xF0 | point >> 18U), byte(0x80 | (point >> 12U & 0x3F)), byte(0x80 | (point >> 6U & 0x3F)),
          byte(0x80 | (point & 0x3F))};
}

Step Literal(std::string_view value, std::string_view text) { return value[0] == text[0] ? Step{1, 1} : Step{}; }

Step PercentStep(std::string_view value, std::string_view text) {
  if (text[0] == '+' && value[0] == ' ') return {1, 1};
  if (text[0] != '%') return Literal(value, text);
  if (EndsWithinHex(text.substr(1), 2)) return {0, 0, true};
  const auto byte = HexNumber(text.substr(1), 2);
  if (byte && static_cast<char>(static_cast<unsigned char>(*byte)) == value[0]) return {3, 1};
  return Literal(value, text);
}

// \u and four hex digits, two of them for what lies outside the basic plane.
Step UnicodeStep(std::string_view value, std::string_view text) {
  constexpr std::size_t kLength = 6;
  if (EndsWithinHex(text.substr(2), 4)) return {0, 0, true};
  const auto first = HexNumber(text.substr(2), 4);
  if (!first) return {};
  std::uint32_t point = *first;
  std::size_t length = kLength;
  if (point >= 0xD800 && point < 0xDC00) {
    const std::string_view rest = text.substr(kLength);
    const std::string_view begin = "\\u";
    if (begin.starts_with(rest.substr(0, begin.size())) && rest.size() < begin.size()) return {0, 0, true};
    if (rest.starts_with(begin) && EndsWithinHex(rest.substr(2), 4)) return {0, 0, true};
    const auto second = rest.starts_with(begin) ? HexNumber(rest.substr(2), 4) : std::nullopt;
    if (!second || *second < 0xDC00 || *second > 0xDFFF) return {};
    point = 0x10000 + ((point & 0x3FF) << 10U) + (*second & 0x3FF);
    length += kLength;
  }
  const std::string bytes = Utf8(point);
  return value.starts_with(bytes) ? Step{length, bytes.size()} : Step{};
}

// \101 of $'…'.
Step OctalStep(std::string_view value, std::string_view text) {
  constexpr std::size_t kMost = 3;
  unsigned number = 0;
  std::size_t digits = 0;
  while (digits < kMost && 1 + digits < text.size() && text[1 + digits] >= '0' && text[1 + digits] <= '7')
    number = number * 8 + static_cast<unsigned>(text[1 + digits++] - '0');
  if (digits == 0) return {};
  if (digits < kMost && 1 + digits == text.size()) return {0, 0, true};
  return static_cast<unsigned char>(value[0]) == number ? Step{1 + digits, 1} : Step{};
}

bool IsLetterEscape(char letter, char meant) {
  static constexpr std::string_view kLetters = "ntrbfaveE";
  static constexpr std::string_view kMeant = "\n\t\r\b\f\a\v\x1b\x1b";
  const std::size_t at = kLetters.find(letter);
  return at != std::string_view::npos && kMeant[at] == meant;
}

// Within single quotes nothing but these is special: the string ends, a quote is added, it goes on.
Step SingleQuotesStep(std::string_view value, std::string_view text) {
  if (text[0] != '\'' || value[0] != '\'') return Literal(value, text);
  for (const std::string_view quoted : {R"('\'')", R"('"'"')"}) {
    if (text.starts_with(quoted)) return {quoted.size(), 1};
    if (quoted.starts_with(text)) return {0, 0, true};
  }
  return {1, 1};
}

Step BackslashStep(std::string_view value, std::string_view text) {
  if (text[0] != '\\') return Literal(value, text);
  if (text.size() < 2) return {0, 0, true};
  Step step;
  if (text[1] == 'u') step = UnicodeStep(value, text);
  if (text[1] == 'x') {
    if (EndsWithinHex(text.substr(2), 2)) return {0, 0, true};
    const auto byte = HexNumber(text.substr(2), 2);
    if (byte && static_cast<char>(static_cast<unsigned char>(*byte)) == value[0]) return {4, 1};
  }
  if (text[1] >= '0' && text[1] <= '7') step = OctalStep(value, text);
  if (step.cut || step.value != 0) return step;
  // What is no escape of a language is that character itself, to a shell.
  return IsLetterEscape(text[1], value[0]) || text[1] == value[0] ? Step{2, 1} : Step{};
}

ValueMatch Unfinished(std::size_t seen, std::string_view text, const TextEnd& end) {
  if (!end.final) return {0, true};
  return {seen >= end.least ? text.size() : 0, false};
}

Step StepOf(Escapes escapes, std::string_view value, std::string_view text) {
  switch (escapes) {
    case Escapes::kPercent:
      return PercentStep(value, text);
    case Escapes::kBackslash:
      return BackslashStep(value, text);
    case Escapes::kSingleQuotes:
      return SingleQuotesStep(value, text);
  }
  return {};
}

// Whether the line that ends there is one of base64.
bool BehindFullLine(std::string_view text, std::size_t at) {
  constexpr std::size_t kShortestLine = 60;
  if (at > 0 && text[at - 1] == '\r') --at;
  return at >= kShortestLine && std::ranges::all_of(text.substr(at - kShortestLine, kShortestLine), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("+/-_").contains(c);
         });
}

}  // namespace

ValueMatch MatchEscaped(std::string_view value, std::string_view text, Escapes escapes, TextEnd end) {
  std::size_t seen = 0, at = 0;
  while (seen < value.size()) {
    if (at == text.size()) return Unfinished(seen, text, end);
    const Step step = StepOf(escapes, value.substr(seen), text.substr(at));
    if (step.cut) return Unfinished(seen, text, end);
    if (step.value == 0) return {};
    seen += step.value;
    at += step.text;
  }
  return {at, false};
}

ValueMatch MatchWrapped(std::string_view digits, std::string_view text, std::size_t at, TextEnd end) {
  const std::string_view from_here = text.substr(at);
  std::size_t seen = 0;
  for (std::size_t next = at; seen < digits.size(); ++next) {
    if (next == text.size()) return Unfinished(seen, from_here, end);
    if (text[next] == digits[seen]) {
      ++seen;
    } else if ((text[next] != '\n' && text[next] != '\r') || !BehindFullLine(text, next)) {
      return {};
    }
    if (seen == digits.size()) return {next + 1 - at, false};
  }
  return {};
}

}  // namespace awf
