// UTF-8 as every record needs it: valid, and cut between characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace awf {

// Length in bytes of the valid character at the start of `text` (1…4), or 0 when none begins there. Overlong forms,
// surrogates and values above U+10FFFF are not valid.
std::size_t Utf8CharacterLength(std::string_view text);

bool IsValidUtf8(std::string_view text);

// The text with every byte that belongs to no valid character turned into U+FFFD.
std::string RepairUtf8(std::string_view text);

// The longest prefix of at most `bytes` bytes that ends between characters.
std::string_view Utf8Prefix(std::string_view text, std::size_t bytes);

}  // namespace awf
