// Random identifiers and numbers, from the kernel's generator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace awf {

// `bytes` random bytes as lower-case hex digits; never all zero.
std::string RandomHex(std::size_t bytes);

// 0 … limit, both included.
std::uint64_t RandomUpTo(std::uint64_t limit);

}  // namespace awf
