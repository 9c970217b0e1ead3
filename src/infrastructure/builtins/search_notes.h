// Texts that Glob and Grep share: paths below a start, and the notes about what a walk left out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "infrastructure/builtins/result_text.h"
#include "infrastructure/builtins/walker.h"

namespace awf::builtins {

// A path relative to a start, as shown: "src" + "a.c" is "src/a.c", "." + "a.c" is "a.c".
std::string ShownBelow(std::string_view shown_start, std::string_view path);

// "a, b, c and 5 more" of sorted names.
std::string NameList(const std::vector<std::string>& names, std::size_t count);

// [2 ignored entries not searched (.gitignore). …], [1 unreadable directory skipped: no]. The names of the report are
// as shown already.
void AddWalkNotes(const WalkReport& report, Notes& notes);

inline constexpr std::string_view kTimeNote = "The time limit ended the search; not everything was searched.";
inline constexpr std::string_view kCancelledText = "The search was cancelled.";

}  // namespace awf::builtins
