// UTF-8 as the wire needs it: valid in every text that goes out, repaired in JSON that comes in.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace mcp {

// U+FFFD, which stands for every ill-formed sequence.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Utf8Sequence {
  std::size_t length = 1;  // of the character, or of the ill-formed bytes that one U+FFFD replaces
  bool valid = false;
};

// The sequence at the start of text, which must not be empty.
Utf8Sequence NextUtf8(std::string_view text);

// Appends text with every ill-formed sequence replaced.
void AppendValidUtf8(std::string& out, std::string_view text);

// The longest part of text that is at most max_bytes long and does not end within a character.
std::string_view CutUtf8(std::string_view text, std::size_t max_bytes);

// JSON text with ill-formed UTF-8 and lone surrogate escapes replaced; nothing when there are none.
std::optional<std::string> RepairJsonText(std::string_view json);

}  // namespace mcp
