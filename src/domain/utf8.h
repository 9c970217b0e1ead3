// UTF-8: lengths of sequences, validity, code points, repair, and cuts between characters. Pure functions, thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace awf {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";  // U+FFFD

// One step through text that may not be valid. Overlong forms, surrogates and values above U+10FFFF are not valid.
struct Utf8Step {
  std::size_t length;  // bytes taken, at least 1; of a bad place: the longest start of a sequence, so that each start
                       // can become one U+FFFD
  char32_t code;       // the code point when valid
  bool valid;
};

// `at` < text.size().
Utf8Step StepUtf8(std::string_view text, std::size_t at);

// Length in bytes of the valid character at the start of `text` (1…4), or 0 when none begins there.
std::size_t Utf8CharacterLength(std::string_view text);

// A byte that goes on with a character. In valid text, every other byte begins one.
inline bool IsUtf8Continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

bool IsValidUtf8(std::string_view text);
bool IsAscii(std::string_view text);

// How many bytes at the end are the start of a sequence that the text does not finish (0 to 3).
std::size_t UnfinishedUtf8(std::string_view text);

// The text with every byte that belongs to no valid character turned into U+FFFD.
std::string RepairUtf8(std::string_view text);

// Surrogates and values above U+10FFFF become U+FFFD.
void AppendUtf8(std::string& out, char32_t code);

// Characters (code points) of valid UTF-8.
std::size_t CountCharacters(std::string_view utf8);

// The longest prefix of at most `bytes` bytes that ends between characters.
std::string_view Utf8Prefix(std::string_view text, std::size_t bytes);

// The first `characters` characters of valid UTF-8.
std::string_view FirstCharacters(std::string_view utf8, std::size_t characters);

}  // namespace awf
