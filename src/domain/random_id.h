// Random identifiers, from the kernel's generator.
#pragma once

#include <cstddef>
#include <string>

namespace awf {

// `bytes` random bytes as lower-case hex digits; never all zero.
std::string RandomHex(std::size_t bytes);

}  // namespace awf
