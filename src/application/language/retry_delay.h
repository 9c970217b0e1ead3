// How long a state waits before it is tried again. Pure, thread-safe.
#pragma once

#include <chrono>

#include "domain/workflow.h"

namespace awf {

// The wait before attempt `next_attempt`. Attempts count from 1, so the second attempt is retry n = 1, the third n = 2:
// constant d, linear d·n, exponential d·m^(n−1), d being initial_delay and m the multiplier. The first attempt waits 0.
//
// What comes out is cut to max_delay and only then varied by ± jitter, so that retries that have reached the cap still
// spread: with jitter a wait may be longer than max_delay by that share. `random01` (0…1, uniform) chooses the place in
// that range: 0 the shortest, 0.5 the middle, 1 the longest. Rounded to milliseconds, at most kMaxDuration.
std::chrono::milliseconds RetryDelay(const RetryPolicy& policy, int next_attempt, double random01);

}  // namespace awf
