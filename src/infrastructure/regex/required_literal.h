// RequiredLiteral: a string that every match of an RE2 pattern contains, read off the pattern's text.
#pragma once

#include <string>
#include <string_view>

namespace awf {

// The longest run of plain characters at the top level of the pattern; "" when it has none, or holds anything that this
// reading does not understand. Wrong answers are impossible by being timid: what is doubtful ends a run or all of it.
// For patterns that are matched case-sensitively.
std::string RequiredLiteral(std::string_view pattern);

}  // namespace awf
