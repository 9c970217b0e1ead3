// Did-you-mean.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace awf {

// The candidate that `wanted` was most likely meant to be, or "": the same word but for case, '_' and '-'; else the
// nearest within edit distance 2 (1 for words of up to 4 letters), a transposition counting 1.
std::string NearestName(std::string_view wanted, std::span<const std::string> candidates);
// "did you mean 'x'?" with the nearest name, or "".
std::string DidYouMean(std::string_view wanted, std::span<const std::string> candidates);

}  // namespace awf
