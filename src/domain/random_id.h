// Random identifiers and numbers, from the kernel's generator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace awf {

// `bytes` random bytes as lower-case hex digits; never all zero.
std::string RandomHex(std::size_t bytes);

// A random UUID (version 4), in lower case.
std::string NewUuid();

// 0 … limit, both included.
std::uint64_t RandomUpTo(std::uint64_t limit);

}  // namespace awf
