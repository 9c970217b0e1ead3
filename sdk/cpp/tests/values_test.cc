// What goes in and out of handlers: Inputs, Value, Result and the types of inputs.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "awf/plugin.h"
#include "json.h"

namespace awf::sdk {
namespace {

TEST(SdkInputs, ReadsEachTypeByItsAccessor) {
  const Inputs inputs{{{"text", R"("a\"\u00e9\n")"},
                       {"whole", "-9223372036854775808"},
                       {"number", " 2.5e-3 "},
                       {"flag", "true"},
                       {"list", R"(["a", 1, {"b": null}])"}}};
  EXPECT_EQ(inputs.String("text"), "a\"\xC3\xA9\n");
  EXPECT_EQ(inputs.Int("whole"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(inputs.Number("number"), 0.0025);
  EXPECT_TRUE(inputs.Bool("flag"));
  EXPECT_EQ(inputs.Strings("list"), (std::vector<std::string>{"a", "1", R"({"b":null})"}));
  EXPECT_EQ(inputs.Json("number"), " 2.5e-3 ");
}

TEST(SdkInputs, GivesTheFallbackForWhatIsAbsentNullOrOfAnotherType) {
  const Inputs inputs{{{"nothing", " null "}, {"text", R"("7")"}, {"broken", "{"}}};
  EXPECT_FALSE(inputs.Has("absent"));
  EXPECT_FALSE(inputs.Has("nothing"));
  EXPECT_TRUE(inputs.Has("text"));
  for (const char* name : {"absent", "nothing", "broken"}) EXPECT_EQ(inputs.String(name, "x"), "x") << name;
  for (const char* name : {"absent", "nothing", "text", "broken"}) {
    EXPECT_EQ(inputs.Int(name, 7), 7) << name;
    EXPECT_EQ(inputs.Number(name, 0.5), 0.5) << name;
    EXPECT_TRUE(inputs.Bool(name, true)) << name;
    EXPECT_TRUE(inputs.Strings(name).empty()) << name;
  }
  EXPECT_EQ(inputs.Json("absent"), "");
}

TEST(SdkInputs, IntegersMayBeWrittenAsNumbersAndNumbersKeepTheirBits) {
  const Inputs inputs{{{"three", "3.0"},
                       {"thousand", "1e3"},
                       {"half", "0.5"},
                       {"over", "9223372036854775808"},
                       {"long", "0.30000000000000004"},
                       {"tiny", "4.9406564584124654e-324"}}};
  EXPECT_EQ(inputs.Int("three"), 3);
  EXPECT_EQ(inputs.Int("thousand"), 1000);
  EXPECT_EQ(inputs.Int("half", -1), -1);
  EXPECT_EQ(inputs.Int("over", -1), -1);
  EXPECT_EQ(inputs.Number("long"), 0.1 + 0.2);
  EXPECT_EQ(inputs.Number("tiny"), std::numeric_limits<double>::denorm_min());
}

TEST(SdkValue, WritesJson) {
  EXPECT_EQ(Value("a\"\n\xFF").json(), "\"a\\\"\\n\xEF\xBF\xBD\"");
  EXPECT_EQ(Value(std::string{"text"}).json(), R"("text")");
  EXPECT_EQ(Value(true).json(), "true");
  EXPECT_EQ(Value(-3).json(), "-3");
  EXPECT_EQ(Value(std::numeric_limits<std::uint64_t>::max()).json(), "18446744073709551615");
  EXPECT_EQ(Value(0.1).json(), "0.1");
  EXPECT_EQ(Value(1e300).json(), "1e+300");
  EXPECT_EQ(Value(std::numeric_limits<double>::infinity()).json(), "null");
  EXPECT_EQ(Value(std::vector<std::string>{"a", "b\xFF"}).json(), "[\"a\",\"b\xEF\xBF\xBD\"]");
  EXPECT_EQ(Value::Json(R"({"a":1})").json(), R"({"a":1})");
}

TEST(SdkResult, KeepsWhatWasSet) {
  const Result good = Ok().Output("o\xFF").Set("a", 1).Set("a", 2).Set("b", "x");
  EXPECT_TRUE(good.success());
  EXPECT_EQ(good.output(), "o\xEF\xBF\xBD");
  EXPECT_EQ(good.data().at("a").json(), "2");
  EXPECT_EQ(good.data().at("b").json(), R"("x")");
  const Result bad = Failed("why").Set("exit_code", 3);
  EXPECT_FALSE(bad.success());
  EXPECT_EQ(bad.error(), "why");
  EXPECT_EQ(bad.data().at("exit_code").json(), "3");
}

TEST(SdkTypes, HoldForTheirValuesOnly) {
  struct Case {
    const char* type;
    const char* good;
    const char* bad;
  };
  for (const Case& row : std::vector<Case>{{"string", R"("1")", "1"},
                                           {"integer", "1.0", "1.5"},
                                           {"int", "1", R"("1")"},
                                           {"int64", "-1", "1e30"},
                                           {"number", "1.5", "true"},
                                           {"float", "1", "[]"},
                                           {"double", "1e9", "{}"},
                                           {"boolean", "false", "0"},
                                           {"bool", "true", R"("true")"},
                                           {"array", "[1]", R"({"a":1})"},
                                           {"object", R"({"a":1})", "[1]"}}) {
    EXPECT_TRUE(HasType(row.good, row.type)) << row.type;
    EXPECT_FALSE(HasType(row.bad, row.type)) << row.type;
    EXPECT_FALSE(HasType("nonsense", row.type)) << row.type;
  }
  EXPECT_TRUE(HasType("1", "file"));
  EXPECT_FALSE(HasType("", "file"));
}

}  // namespace
}  // namespace awf::sdk
