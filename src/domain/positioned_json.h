// Where in a JSON text a member stands, for errors with a position.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/error.h"

namespace awf {

// Line and column (in bytes) of an offset.
Position PositionAt(std::string_view text, std::size_t offset, std::string file);

// Offset of the member that `path` leads to, key by key from the root, items of lists by their number ("0"); of the
// innermost value on the way when a key is not there. `text` must be valid JSON.
std::size_t OffsetOfMember(std::string_view text, std::span<const std::string> path);

// The first key that its object has had before. `text` must be valid JSON.
struct RepeatedKey {
  std::size_t offset = 0;  // of its second place
  std::string key;
};
std::optional<RepeatedKey> FindRepeatedKey(std::string_view text);

}  // namespace awf
