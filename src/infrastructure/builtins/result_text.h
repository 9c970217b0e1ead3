// Texts of the built-in tools: ends of them, names of files, reasons. What every result goes through is in
// domain/result_text.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "domain/result_text.h"

namespace awf::builtins {

// The longest suffix with at most that many characters and bytes, cut between characters.
std::string_view SuffixWithin(std::string_view utf8, std::size_t characters, std::size_t bytes);

// Lines of a text; a last one without line feed counts. The last `count` of them, with their line feeds.
std::size_t CountLines(std::string_view text);
std::string_view LastLines(std::string_view text, std::size_t count);

// A name with line feeds and other control characters as \n, \x01 and invalid bytes as U+FFFD.
std::string ShownName(std::string_view name);

// What went wrong with a path, as a sentence: "P: permission denied.", "P: file name too long.", without numbers.
std::string ErrnoSentence(std::string_view shown, int error);

// "1 byte", "2 bytes".
std::string Counted(unsigned long long count, std::string_view one, std::string_view many);

}  // namespace awf::builtins
