#include "domain/timestamp.h"

#include <gtest/gtest.h>

#include "domain/test_time.h"

namespace awf {
namespace {

TEST(Timestamp, IsRfc3339InUtc) {
  EXPECT_EQ(UtcSeconds(At(1793700909125)), "2026-11-03T10:15:09Z");
  EXPECT_EQ(UtcMilliseconds(At(1793700909125)), "2026-11-03T10:15:09.125Z");
  EXPECT_EQ(UtcMilliseconds(At(1793700909007)), "2026-11-03T10:15:09.007Z");
  EXPECT_EQ(UtcMilliseconds(At(-1)), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(CompactUtc(At(1793700909125)), "20261103-101509");
}

}  // namespace
}  // namespace awf
