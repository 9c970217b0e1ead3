// SHA-256 as lower-case hex. Throws nothing; thread-safe.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace awf::telemetry {

std::string Sha256Hex(std::string_view bytes);

// Of the whole file behind a descriptor, from its begin, whatever its position; that stays. The error is an errno.
std::expected<std::string, int> Sha256OfDescriptor(int fd);

}  // namespace awf::telemetry
