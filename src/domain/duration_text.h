// A duration as people read it. Pure, thread-safe.
#pragma once

#include <chrono>
#include <string>

namespace awf {

std::string DurationText(std::chrono::microseconds duration);  // 0.4 ms, 7 ms, 5.1 s, 2m05s, 1h02m

}  // namespace awf
