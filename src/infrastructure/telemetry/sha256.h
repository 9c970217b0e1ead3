// SHA-256 as lower-case hex. Throws nothing; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace awf::telemetry {

std::string Sha256Hex(std::string_view bytes);

}  // namespace awf::telemetry
