// UTF-8, byte by byte: lengths of sequences, validity, code points. Pure functions, thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace awf::builtins {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// One step through text that may not be valid.
struct Utf8Step {
  std::size_t length;  // bytes taken, at least 1; of a bad place: the longest start of a sequence, so that each start
                       // becomes one U+FFFD
  char32_t code;       // the code point when valid
  bool valid;
};

// `at` < text.size().
Utf8Step StepUtf8(std::string_view text, std::size_t at);

bool IsUtf8(std::string_view text);
bool IsAscii(std::string_view text);

// How many bytes at the end are the start of a sequence that the text does not finish (0 to 3).
std::size_t UnfinishedUtf8(std::string_view text);

// Surrogates and values above U+10FFFF become U+FFFD.
void AppendUtf8(std::string& out, char32_t code);

}  // namespace awf::builtins
