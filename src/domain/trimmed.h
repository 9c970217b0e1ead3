// Trimmed: a text without the white space around it. Pure, thread-safe.
#pragma once

#include <cstddef>
#include <string_view>

namespace awf {

// A view into `text`; `spaces` are the characters that count as white space.
inline std::string_view Trimmed(std::string_view text, std::string_view spaces = " \t\r\n") {
  const std::size_t begin = text.find_first_not_of(spaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(spaces) - begin + 1);
}

}  // namespace awf
