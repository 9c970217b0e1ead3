// Number literals of templates, as Go writes them.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "domain/json.h"

namespace awf {

// An integer (12, 0x1F, 0o17, 017, 0b1, 1_000) of 64 bits with sign, or a float (1.5, .5, 1e3, 0x1p4). The error is the
// whole message.
std::expected<json::value, std::string> ParseNumberLiteral(std::string_view text);

}  // namespace awf
