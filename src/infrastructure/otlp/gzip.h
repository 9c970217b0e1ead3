// Gzip: compressed batches, and answers that come compressed. Pure, thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace awf::otlp {

// Nothing when zlib has no memory.
std::optional<std::string> Gzip(std::string_view bytes);

// Nothing when the bytes are no gzip member, or hold more than `limit`. What follows the member is left out.
std::optional<std::string> Gunzip(std::string_view bytes, std::size_t limit);

}  // namespace awf::otlp
