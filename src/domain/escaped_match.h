// Finds a known value in text that holds it with escapes: percent-encoded, or behind backslashes and quotes as JSON, C
// and shells write it.
//
// The text is decoded beside the value, unit by unit, so that every way to write it is found: with more or fewer
// characters escaped, hex digits of either case, "+" for a blank, \/ and \u003d of JSON, '\'' and '"'"' of a shell in
// single quotes, \$ in double quotes, $'\n\x41\101'. Pure, linear in the value.
#pragma once

#include <cstddef>
#include <string_view>

namespace awf {

// What stands at the beginning of a text.
struct ValueMatch {
  std::size_t length = 0;  // of the text; 0: not the value
  bool undecided = false;  // the text ends within it
};

// What it means that a text ends within a value.
struct TextEnd {
  bool final = true;      // nothing follows; else the match is undecided
  std::size_t least = 0;  // how much of the value must have been there for a match, as the text may have been cut
};

enum class Escapes { kPercent, kBackslash, kSingleQuotes };

ValueMatch MatchEscaped(std::string_view value, std::string_view text, Escapes escapes, TextEnd end);

// As above at a place of a text, for digits of base64 with line ends between, where the lines before are as long as
// encoders make them.
ValueMatch MatchWrapped(std::string_view digits, std::string_view text, std::size_t at, TextEnd end);

}  // namespace awf
