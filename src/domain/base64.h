// Base64 as RFC 4648 has it, with padding. Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace awf {

std::string Base64(std::string_view bytes);

}  // namespace awf
