#include "infrastructure/builtins/file_locks.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace awf::builtins {
namespace {

TEST(FileLocksTest, OneHolderPerFile) {
  FileLocks locks;
  long plain = 0;  // unguarded but for the lock: ThreadSanitizer sees a failure as well
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        const auto guard = locks.Acquire({1, 2});
        ++plain;
      }
    });
  threads.clear();
  EXPECT_EQ(plain, 4000);
}

TEST(FileLocksTest, OtherFilesDoNotWait) {
  FileLocks locks;
  const auto first = locks.Acquire({1, 2});
  const auto second = locks.Acquire({1, 3});
  const auto third = locks.Acquire({2, 2});
  std::jthread([&] { const auto fourth = locks.Acquire({9, 9}); });
}

TEST(FileLocksTest, AMovedGuardReleasesOnce) {
  FileLocks locks;
  {
    auto guard = locks.Acquire({1, 2});
    const auto moved = std::move(guard);
  }
  const auto again = locks.Acquire({1, 2});
}

}  // namespace
}  // namespace awf::builtins
