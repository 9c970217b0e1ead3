// Joined: words as one text. Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace awf {

// `words` is a range of what converts to a view; empty ones at the begin leave no separator behind.
template <class Words>
std::string Joined(const Words& words, std::string_view separator) {
  std::string text;
  for (const std::string_view word : words) text.append(text.empty() ? "" : separator).append(word);
  return text;
}

}  // namespace awf
