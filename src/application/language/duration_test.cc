#include "application/language/duration.h"

#include <gtest/gtest.h>

namespace awf {
namespace {

using std::chrono::milliseconds;

milliseconds Parsed(std::string_view text) {
  const auto parsed = ParseDuration(text);
  EXPECT_TRUE(parsed.has_value()) << text << ": " << (parsed ? "" : parsed.error());
  return parsed.value_or(milliseconds(-1));
}

std::string Refusal(std::string_view text) {
  const auto parsed = ParseDuration(text);
  EXPECT_FALSE(parsed.has_value()) << text;
  return parsed ? "" : parsed.error();
}

TEST(Duration, ReadsSecondsAndGoForm) {
  EXPECT_EQ(Parsed("0"), milliseconds(0));
  EXPECT_EQ(Parsed("90"), milliseconds(90'000));
  EXPECT_EQ(Parsed("0.25"), milliseconds(250));
  EXPECT_EQ(Parsed(".5s"), milliseconds(500));
  EXPECT_EQ(Parsed("500ms"), milliseconds(500));
  EXPECT_EQ(Parsed("1h2m3.5s"), milliseconds(3'723'500));
  EXPECT_EQ(Parsed("1.5h"), milliseconds(5'400'000));
  EXPECT_EQ(Parsed("+2m"), milliseconds(120'000));
  EXPECT_EQ(Parsed("1000000us"), milliseconds(1'000));
  EXPECT_EQ(Parsed("5000\xC2\xB5s"), milliseconds(5));
}

TEST(Duration, NeverRoundsSomethingToNothing) {
  EXPECT_EQ(Parsed("1ns"), milliseconds(1));
  EXPECT_EQ(Parsed("0.0000000001"), milliseconds(1));
  EXPECT_EQ(Parsed("1.9999ms"), milliseconds(1));
  EXPECT_EQ(Parsed("0s"), milliseconds(0));
}

TEST(Duration, RefusesTheRest) {
  const std::string form = "is not a duration: write seconds, or as 1h2m3.5s, 500ms";
  for (const char* text :
       {"", "+", ".", "h", "1 m", "1d", "1h30", "5 minutes", "1e3", "0x10", "1..2s", "s1", "1m-2s"}) {
    EXPECT_EQ(Refusal(text), form) << text;
  }
  EXPECT_EQ(Refusal("-5"), "must not be negative");
  EXPECT_EQ(Refusal("-"), "must not be negative");
  EXPECT_EQ(Refusal("300000h"), "is longer than 31 years");
  EXPECT_EQ(Refusal("99999999999999999999999999"), "is longer than 31 years");
  EXPECT_EQ(Refusal("277777h277777h"), "is longer than 31 years");
}

TEST(Duration, WritesGoForm) {
  EXPECT_EQ(FormatDuration(milliseconds(0)), "0s");
  EXPECT_EQ(FormatDuration(milliseconds(250)), "250ms");
  EXPECT_EQ(FormatDuration(milliseconds(1'000)), "1s");
  EXPECT_EQ(FormatDuration(milliseconds(1'050)), "1.05s");
  EXPECT_EQ(FormatDuration(milliseconds(61'000)), "1m1s");
  EXPECT_EQ(FormatDuration(milliseconds(3'600'000)), "1h0m0s");
  EXPECT_EQ(FormatDuration(milliseconds(3'723'500)), "1h2m3.5s");
}

}  // namespace
}  // namespace awf
