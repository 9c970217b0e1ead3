#include "domain/exact_json.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace awf {
namespace {

TEST(ExactJson, ReadsEveryKindOfValue) {
  const auto value = ParseExactJson(R"( {"a":[1,-2,18446744073709551615,true,null,"x\n\u00e4"],"b":{}} )");
  ASSERT_TRUE(value) << value.error().what;
  EXPECT_EQ(json::serialize(*value), R"({"a":[1,-2,18446744073709551615,true,null,"x\nä"],"b":{}})");
  EXPECT_EQ(value->at("a").at(2).as_uint64(), std::numeric_limits<std::uint64_t>::max());
}

TEST(ExactJson, FractionsComeBackAsTheyWereWritten) {
  std::mt19937_64 random(7);
  int tried = 0;
  while (tried < 20'000) {
    const auto number = std::bit_cast<double>(random());
    if (!std::isfinite(number)) continue;
    ++tried;
    const auto back = ParseExactJson(json::serialize(json::value(number)));
    ASSERT_TRUE(back) << back.error().what;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(back->to_number<double>()), std::bit_cast<std::uint64_t>(number)) << number;
  }
  EXPECT_EQ(ParseExactJson("0.30000000000000004")->as_double(), 0.1 + 0.2);
}

TEST(ExactJson, TellsWhereAndTakesAnyBytesWhereAsked) {
  EXPECT_EQ(ParseExactJson("{\"a\": nope}").error().offset, 6U);
  EXPECT_EQ(ParseExactJson("{} {}").error().offset, 3U);
  const auto bytes = ParseExactJson("\"a\xFF\"", {.any_bytes = true});
  ASSERT_TRUE(bytes) << bytes.error().what;
  EXPECT_EQ(bytes->as_string(), "a\xFF");
}

TEST(ExactJson, SaysWhatIsWrong) {
  const auto fault = [](std::string_view text, std::size_t nesting = 4) {
    const auto value = ParseExactJson(text, {.max_nesting = nesting});
    return value ? "fine" : value.error().what;
  };
  EXPECT_EQ(fault("1e400"), "number out of range");
  EXPECT_EQ(fault("[[[[1]]]]"), "fine");
  EXPECT_EQ(fault("[[[[[1]]]]]"), "nested too deeply");
  EXPECT_EQ(fault("{} {}").find("extra data"), 0U);
  EXPECT_EQ(fault("").find("incomplete"), 0U);
  EXPECT_EQ(fault("[1,").find("incomplete"), 0U);
  EXPECT_EQ(fault("\"\xFF\"") == "fine", false);
  EXPECT_EQ(fault("// no\n1") == "fine", false);
}

}  // namespace
}  // namespace awf
