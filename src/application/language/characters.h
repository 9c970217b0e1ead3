// The characters of names, numbers and white space in templates and expressions: ASCII, whatever the locale.
#pragma once

#include <string_view>

namespace awf {

// What the functions that trim take off.
inline constexpr std::string_view kTrimmedSpaces = " \t\r\n\v\f";

constexpr bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr char ToLower(char c) { return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr char ToUpper(char c) { return IsLower(c) ? static_cast<char>(c - 'a' + 'A') : c; }
constexpr bool StartsName(char c) { return IsLower(c) || IsUpper(c) || c == '_'; }
constexpr bool ContinuesName(char c) { return StartsName(c) || IsDigit(c); }

// -1 for what is none.
constexpr int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace awf
