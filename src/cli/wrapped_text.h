// Text for a terminal of some width. Pure, thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace awf::cli {

// Lines of at most `columns`, broken at blanks; a word that is too long stands alone and runs over. One at least.
std::vector<std::string> Wrapped(std::string_view text, std::size_t columns);

}  // namespace awf::cli
