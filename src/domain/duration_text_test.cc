#include "domain/duration_text.h"

#include <gtest/gtest.h>

namespace awf {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(DurationText, SaysNoMoreThanPeopleNeed) {
  EXPECT_EQ(DurationText(microseconds(0)), "0 ms");
  EXPECT_EQ(DurationText(microseconds(400)), "0.4 ms");
  EXPECT_EQ(DurationText(microseconds(960)), "1 ms");
  EXPECT_EQ(DurationText(microseconds(6500)), "6 ms");
  EXPECT_EQ(DurationText(milliseconds(999)), "999 ms");
  EXPECT_EQ(DurationText(milliseconds(1000)), "1.0 s");
  EXPECT_EQ(DurationText(milliseconds(5120)), "5.1 s");
  EXPECT_EQ(DurationText(milliseconds(59'949)), "59.9 s");
  EXPECT_EQ(DurationText(milliseconds(59'950)), "1m00s");
  EXPECT_EQ(DurationText(seconds(125)), "2m05s");
  EXPECT_EQ(DurationText(seconds(3720)), "1h02m");
}

}  // namespace
}  // namespace awf
