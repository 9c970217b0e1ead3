// The text for a regular expression that does not compile, with the place and a way out; and what else is wrong with a
// pattern of Grep. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "domain/regex.h"

namespace awf::builtins {

// `Invalid regular expression "foo(": missing ) at 4. For a literal search use foo\(.`
std::string RegexFaultText(std::string_view pattern, const RegexFault& fault, const RegexCompiler& compiler);

// True when the pattern asks for a line feed outside of a set, so that no single line can match.
bool WantsLineFeed(std::string_view pattern);

// ` The pattern is a regular expression; for a literal search use arr\[i\].` for a pattern that looks like plain text
// but holds characters with a meaning; else "".
std::string LiteralHint(std::string_view pattern, const RegexCompiler& compiler);

}  // namespace awf::builtins
