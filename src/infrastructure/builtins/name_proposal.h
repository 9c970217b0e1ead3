// NearestEntry: the entry of a folder that a missing name was most likely meant to be.
#pragma once

#include <string>
#include <string_view>

namespace awf::builtins {

// The same name in other case, else the nearest; "" when nothing is near or the folder cannot be listed. `folder` is
// any descriptor of it, also O_PATH.
std::string NearestEntry(int folder, std::string_view wanted);

}  // namespace awf::builtins
