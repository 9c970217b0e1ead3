// Percent-decoding, as values of OpenTelemetry's variables and messages of gRPC need it. Pure, thread-safe.
#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

namespace awf::otlp {

// Whether a whole "%XX" stands there.
inline bool IsEncodedByte(std::string_view text, std::size_t at) {
  const auto is_digit = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
  return text[at] == '%' && at + 2 < text.size() && is_digit(text[at + 1]) && is_digit(text[at + 2]);
}

// Whether every '%' begins a "%XX".
inline bool IsPercentEncoded(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '%' && !IsEncodedByte(text, i)) return false;
  return true;
}

// What is no whole "%XX" stays as it is.
inline std::string PercentDecoded(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : std::tolower(static_cast<unsigned char>(c)) - 'a' + 10; };
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool encoded = IsEncodedByte(text, i);
    decoded.push_back(encoded ? static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])) : text[i]);
    if (encoded) i += 2;
  }
  return decoded;
}

}  // namespace awf::otlp
