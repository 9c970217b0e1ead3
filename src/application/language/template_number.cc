#include "application/language/template_number.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "application/language/characters.h"

namespace awf {
namespace {

// Underscores stand between digits, or between the prefix and a digit.
std::optional<std::string> WithoutUnderscores(std::string_view text) {
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      digits.push_back(text[i]);
      continue;
    }
    const bool prefix = i == 2 && text[0] == '0' && std::string_view("xXoObB").find(text[1]) != std::string_view::npos;
    const bool between =
        i > 0 && i + 1 < text.size() && (prefix || HexDigit(text[i - 1]) >= 0) && HexDigit(text[i + 1]) >= 0;
    if (!between) return std::nullopt;
  }
  return digits;
}

// Takes the prefix off.
int TakeBase(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  const char mark = digits[1];
  const int base = mark == 'x' || mark == 'X'   ? 16
                   : mark == 'o' || mark == 'O' ? 8
                   : mark == 'b' || mark == 'B' ? 2
                                                : 0;
  if (base != 0) {
    digits.remove_prefix(2);
    return base;
  }
  const bool octal = std::ranges::all_of(digits, IsDigit);
  return octal ? 8 : 10;
}

std::optional<json::value> ParseFloat(std::string_view digits, int base, bool negative) {
  const bool hex = base == 16;
  if (base == 2 || base == 8) return std::nullopt;
  const std::string_view allowed = hex ? "0123456789abcdefABCDEF.pP+-" : "0123456789.eE+-";
  if (digits.find_first_not_of(allowed) != std::string_view::npos) return std::nullopt;
  if (hex && digits.find_first_of("pP") == std::string_view::npos) return std::nullopt;
  double number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, fault] =
      std::from_chars(digits.data(), end, number, hex ? std::chars_format::hex : std::chars_format::general);
  if (fault != std::errc() || stop != end) return std::nullopt;
  return json::value(negative ? -number : number);
}

}  // namespace

std::expected<json::value, std::string> ParseNumberLiteral(std::string_view text) {
  const auto wrong = [&] { return std::unexpected("'" + std::string(text) + "' is not a number"); };
  const bool negative = text.starts_with('-');
  const auto clean = WithoutUnderscores(text.substr(negative || text.starts_with('+') ? 1 : 0));
  if (!clean) return wrong();
  std::string_view digits = *clean;
  const int base = TakeBase(digits);
  if (digits.empty() || digits.front() == '-' || digits.front() == '+') return wrong();
  const std::string whole = (negative ? "-" : "") + std::string(digits);
  std::int64_t integer = 0;
  const auto [stop, fault] = std::from_chars(whole.data(), whole.data() + whole.size(), integer, base);
  if (stop == whole.data() + whole.size()) {
    if (fault == std::errc()) return json::value(integer);
    return std::unexpected("the number '" + std::string(text) + "' does not fit into 64 bits");
  }
  if (auto number = ParseFloat(digits, base, negative)) return *number;
  return wrong();
}

}  // namespace awf
