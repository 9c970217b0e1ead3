// FindBytes: a substring search whose time is linear also for needles that repeat themselves (std::string::find takes
// the product of both lengths there).
#pragma once

#include <string.h>

#include <cstddef>
#include <string_view>

namespace awf::builtins {

// Position of the first occurrence at or after `from`, or npos. An empty needle is found at once.
inline std::size_t FindBytes(std::string_view text, std::string_view needle, std::size_t from = 0) {
  if (from > text.size()) return std::string_view::npos;
  if (needle.empty()) return from;
  const void* at = ::memmem(text.data() + from, text.size() - from, needle.data(), needle.size());
  return at == nullptr ? std::string_view::npos : static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
}

}  // namespace awf::builtins
