#include "application/validation/dominators.h"

#include <gtest/gtest.h>

#include <random>

namespace awf {
namespace {

// What can be reached from the root without entering `avoided`.
std::vector<bool> ReachedWithout(const Dominators::Successors& successors, std::size_t avoided) {
  std::vector<bool> seen(successors.size());
  std::vector<std::size_t> pending = {0};
  while (!pending.empty()) {
    const std::size_t node = pending.back();
    pending.pop_back();
    if (seen[node] || node == avoided) continue;
    seen[node] = true;
    pending.insert(pending.end(), successors[node].begin(), successors[node].end());
  }
  return seen;
}

TEST(Dominators, AgreeWithTheirDefinition) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 2 + random() % 14;
    Dominators::Successors successors(count);
    for (std::size_t edges = random() % (3 * count); edges > 0; --edges) {
      successors[random() % count].push_back(random() % count);
    }
    const Dominators dominators(successors, 0);
    const std::vector<bool> reached = ReachedWithout(successors, count);
    for (std::size_t one = 0; one < count; ++one) {
      ASSERT_EQ(dominators.IsReached(one), reached[one]);
      const std::vector<bool> without = ReachedWithout(successors, one);
      for (std::size_t other = 0; other < count; ++other) {
        if (!reached[one] || !reached[other]) continue;
        ASSERT_EQ(dominators.Dominates(one, other), !without[other]) << round << ": " << one << " " << other;
      }
    }
  }
}

}  // namespace
}  // namespace awf
