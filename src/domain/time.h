// Deadlines on the steady clock. A missing deadline means "no limit".
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace awf {

using SteadyClock = std::chrono::steady_clock;
using WallClock = std::chrono::system_clock;
using Deadline = std::optional<SteadyClock::time_point>;

// Milliseconds until the deadline, never negative; `none` when there is no deadline. Suits poll(2) with none = -1.
inline int RemainingMs(const Deadline& deadline, int none = -1) {
  if (!deadline) return none;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - SteadyClock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 2'000'000'000));
}

inline bool Passed(const Deadline& deadline) { return deadline && SteadyClock::now() >= *deadline; }

inline Deadline Earlier(const Deadline& a, const Deadline& b) {
  if (!a) return b;
  if (!b) return a;
  return std::min(*a, *b);
}

}  // namespace awf
