// Vibe's own variables, VIBE_…, whose names it takes in any case. Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "infrastructure/agents/environment.h"

namespace awf::agents {

bool IsVibeVariable(std::string_view name);

// Whether the environment gives a variable of that name, in capitals here, a value.
bool HasVibeVariable(const Environment& environment, std::string_view name);

// The variables to remove: those that say once more, in other letters, what is `decided` (names that the recipe sets or
// removes), and in an intercepted step all that could bring tools and servers back.
std::vector<std::string> UnwantedVibeVariables(const Environment& environment, const std::vector<std::string>& decided,
                                               bool intercept);

}  // namespace awf::agents
