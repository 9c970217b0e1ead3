// For tests: moments by number.
#pragma once

#include <chrono>

#include "domain/time.h"

namespace awf {

// Milliseconds since 1970 UTC.
inline WallClock::time_point At(long long ms) { return WallClock::time_point(std::chrono::milliseconds(ms)); }

}  // namespace awf
