// Why a text that Edit should have found is not there, as far as it can be told. Nothing is ever matched by these
// rules: they only make the next attempt a better one.
#pragma once

#include <string>
#include <string_view>

namespace awf::builtins {

// The first hint that fits, a sentence; "" when none does. `old_string` is not in `text`.
std::string HintForMissing(std::string_view text, std::string_view old_string);

}  // namespace awf::builtins
