// Gives memory back to the system after a large message. The allocator would keep it: after one freed block of 20 MiB
// it expects more of that size.
#pragma once

#include <malloc.h>

#include <cstddef>

namespace mcp {

inline void ReturnMemoryAfter(std::size_t message_size) {
  constexpr std::size_t kLarge = std::size_t{1} << 20;
  if (message_size > kLarge) ::malloc_trim(0);
}

}  // namespace mcp
