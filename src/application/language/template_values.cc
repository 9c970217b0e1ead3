#include "application/language/template_values.h"

#include <array>
#include <charconv>
#include <cmath>

namespace awf {
namespace {

void AppendJson(std::string& out, const json::value& value) {
  if (value.is_double()) {
    out += std::isfinite(value.get_double()) ? ShortestNumber(value.get_double()) : "null";
  } else if (value.is_array()) {
    out.push_back('[');
    for (bool first = true; const json::value& item : value.get_array()) {
      if (!std::exchange(first, false)) out.push_back(',');
      AppendJson(out, item);
    }
    out.push_back(']');
  } else if (value.is_object()) {
    out.push_back('{');
    for (bool first = true; const auto& [key, item] : value.get_object()) {
      if (!std::exchange(first, false)) out.push_back(',');
      out += json::serialize(json::string_view(key));
      out.push_back(':');
      AppendJson(out, item);
    }
    out.push_back('}');
  } else {
    out += json::serialize(value);
  }
}

}  // namespace

bool IsTrue(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return false;
    case json::kind::bool_:
      return value.get_bool();
    case json::kind::int64:
      return value.get_int64() != 0;
    case json::kind::uint64:
      return value.get_uint64() != 0;
    case json::kind::double_:
      return value.get_double() != 0;
    case json::kind::string:
      return !value.get_string().empty();
    case json::kind::array:
      return !value.get_array().empty();
    case json::kind::object:
      return !value.get_object().empty();
  }
  return false;
}

std::string_view KindName(const json::value& value) {
  if (value.is_null()) return "null";
  if (value.is_bool()) return "a boolean";
  if (value.is_string()) return "text";
  if (value.is_array()) return "a list";
  return value.is_object() ? "an object" : "a number";
}

std::string GivenName(const json::value& value) {
  return value.is_number() ? CompactJson(value) : std::string(KindName(value));
}

std::optional<std::int64_t> WholeNumber(const json::value& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64() && std::in_range<std::int64_t>(value.get_uint64())) {
    return static_cast<std::int64_t>(value.get_uint64());
  }
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!value.is_double()) return std::nullopt;
  const double number = value.get_double();
  if (!(number >= -kLimit && number < kLimit) || std::trunc(number) != number) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::string TextOf(const json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  return CompactJson(value);
}

std::string CompactJson(const json::value& value) {
  std::string text;
  AppendJson(text, value);
  return text;
}

std::string ShortestNumber(double number) {
  constexpr double kSmallest = 1e-6, kLargest = 1e21;
  const double size = std::fabs(number);
  const bool plain = size == 0 || (size >= kSmallest && size < kLargest);
  std::array<char, 64> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific)
                       .ptr;
  std::string text(digits.data(), end);
  // 1e-07 is 1e-7.
  if (const std::size_t exponent = text.find('e'); exponent != std::string::npos && text[exponent + 2] == '0') {
    text.erase(exponent + 2, 1);
  }
  return text;
}

std::string ShellEscaped(std::string_view text) {
  static constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted.push_back(c);
    }
  }
  return quoted + "'";
}

}  // namespace awf
