#include "application/language/retry_delay.h"

#include <gtest/gtest.h>

#include <vector>

#include "application/language/duration.h"

namespace awf {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

// Before attempts 2, 3, 4, 5, in the middle of the jitter.
std::vector<milliseconds> Delays(const RetryPolicy& policy, double random01 = 0.5) {
  std::vector<milliseconds> delays;
  for (int attempt = 2; attempt <= 5; ++attempt) delays.push_back(RetryDelay(policy, attempt, random01));
  return delays;
}

TEST(RetryDelay, GrowsByItsBackoff) {
  RetryPolicy policy;
  policy.initial_delay = 200ms;
  EXPECT_EQ(Delays(policy), (std::vector<milliseconds>{200ms, 200ms, 200ms, 200ms}));
  policy.backoff = Backoff::kLinear;
  EXPECT_EQ(Delays(policy), (std::vector<milliseconds>{200ms, 400ms, 600ms, 800ms}));
  policy.backoff = Backoff::kExponential;
  EXPECT_EQ(Delays(policy), (std::vector<milliseconds>{200ms, 400ms, 800ms, 1600ms}));
  policy.multiplier = 1.5;
  EXPECT_EQ(Delays(policy), (std::vector<milliseconds>{200ms, 300ms, 450ms, 675ms}));
}

TEST(RetryDelay, IsOneSecondByDefaultAndNothingBeforeTheFirstAttempt) {
  EXPECT_EQ(RetryDelay(RetryPolicy{}, 2, 0.5), 1s);
  EXPECT_EQ(RetryDelay(RetryPolicy{}, 1, 0.5), 0s);
}

TEST(RetryDelay, IsCutToTheLongest) {
  RetryPolicy policy;
  policy.backoff = Backoff::kExponential;
  policy.max_delay = 3s;
  EXPECT_EQ(Delays(policy), (std::vector<milliseconds>{1s, 2s, 3s, 3s}));
  policy.max_delay = 500ms;
  EXPECT_EQ(RetryDelay(policy, 2, 0.5), 500ms);
  policy.max_delay = 0s;
  EXPECT_EQ(RetryDelay(policy, 2, 0.5), 0s);
}

TEST(RetryDelay, VariesByTheJitterAroundTheCutDelay) {
  RetryPolicy policy;
  policy.jitter = 0.25;
  EXPECT_EQ(RetryDelay(policy, 2, 0), 750ms);
  EXPECT_EQ(RetryDelay(policy, 2, 0.5), 1000ms);
  EXPECT_EQ(RetryDelay(policy, 2, 1), 1250ms);
  policy.max_delay = 400ms;
  EXPECT_EQ(RetryDelay(policy, 2, 0), 300ms);
  EXPECT_EQ(RetryDelay(policy, 2, 1), 500ms);
  policy.jitter = 1;
  EXPECT_EQ(RetryDelay(policy, 2, 0), 0ms);
}

TEST(RetryDelay, NeverOverflows) {
  RetryPolicy policy;
  policy.backoff = Backoff::kExponential;
  policy.max_attempts = 100;
  policy.multiplier = 1e300;
  policy.jitter = 1;
  EXPECT_EQ(RetryDelay(policy, 100, 1), kMaxDuration);
  policy.initial_delay = 0s;
  EXPECT_EQ(RetryDelay(policy, 100, 1), 0s);
  policy.initial_delay = kMaxDuration;
  policy.backoff = Backoff::kLinear;
  EXPECT_EQ(RetryDelay(policy, 100, 0.5), kMaxDuration);
}

}  // namespace
}  // namespace awf
