#include "application/language/retry_delay.h"

#include <algorithm>
#include <cmath>

#include "application/language/duration.h"

namespace awf {
namespace {

// Of retry n without cap and jitter; may be infinite.
double Growth(const RetryPolicy& policy, int n) {
  switch (policy.backoff) {
    case Backoff::kLinear:
      return n;
    case Backoff::kExponential:
      return std::pow(policy.multiplier, n - 1);
    case Backoff::kConstant:
      break;
  }
  return 1;
}

}  // namespace

std::chrono::milliseconds RetryDelay(const RetryPolicy& policy, int next_attempt, double random01) {
  using std::chrono::milliseconds;
  // No delay grows from nothing; also keeps 0 · ∞ out.
  if (next_attempt < 2 || policy.initial_delay <= milliseconds::zero()) return milliseconds::zero();
  const auto longest = static_cast<double>(kMaxDuration.count());
  const double cap = policy.max_delay ? static_cast<double>(policy.max_delay->count()) : longest;
  const double delay =
      std::min(static_cast<double>(policy.initial_delay.count()) * Growth(policy, next_attempt - 1), cap);
  const double varied = delay * (1 + policy.jitter * (2 * random01 - 1));
  return milliseconds(std::llround(std::clamp(varied, 0.0, longest)));
}

}  // namespace awf
