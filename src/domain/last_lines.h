// LastLines: the end of what a program has printed. Pure, thread-safe.
#pragma once

#include <cstddef>
#include <string_view>

namespace awf {

// The last `count` lines, without the line feeds at the end. A view into `text`.
inline std::string_view LastLines(std::string_view text, std::size_t count) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t begin = text.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t feed = begin == 0 ? std::string_view::npos : text.rfind('\n', begin - 1);
    if (feed == std::string_view::npos) return text;
    begin = feed;
  }
  return text.substr(begin + 1);
}

}  // namespace awf
