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

TEST(Timestamp, IsReadBackOnlyAsItWasWritten) {
  EXPECT_EQ(ParseUtcMilliseconds("2026-11-03T10:15:09.125Z"), At(1793700909125));
  for (const char* text : {"", "2026-11-03T10:15:09Z", "2026-11-03 10:15:09.125Z", "2026-11-03T10:15:09.125+01:00",
                           "2026-02-29T10:15:09.125Z", "0014-11-03T10:15:09.125Z", "2262-11-03T10:15:09.125Z",
                           "2026-11-03T24:15:09.125Z", "2026-11-03T10:15:09.125Zx"}) {
    EXPECT_FALSE(ParseUtcMilliseconds(text)) << text;
  }
}

}  // namespace
}  // namespace awf
