// Where in a JSON text a member stands, for errors with a position.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "domain/error.h"

namespace awf {

// Line and column (in bytes) of an offset.
Position PositionAt(std::string_view text, std::size_t offset, std::string file);

// Offset of the member that `path` leads to, key by key from the root; of the innermost object on the way when a key is
// not there. `text` must be valid JSON.
std::size_t OffsetOfMember(std::string_view text, std::span<const std::string> path);

}  // namespace awf
