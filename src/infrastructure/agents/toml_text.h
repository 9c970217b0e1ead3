// TOML values as text, for programs that take their configuration as KEY=VALUE arguments. Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "domain/json.h"

namespace awf::agents {

// A basic string: quoted, with escapes for quotes, backslashes and control characters. Bytes that are no valid UTF-8
// become U+FFFD.
std::string TomlString(std::string_view text);

// Letters, digits, '_' and '-': a key that needs no quotes.
bool IsBareTomlKey(std::string_view key);

// Objects become inline tables, in their order. TOML has no null: members and items that are null are left out, null
// itself becomes an empty string.
std::string TomlValue(const json::value& value);

}  // namespace awf::agents
