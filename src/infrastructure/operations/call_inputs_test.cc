#include "infrastructure/operations/call_inputs.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>

#include "infrastructure/operations/test_operations.h"

namespace awf::operations {
namespace {

constexpr std::array<std::string_view, 2> kWords = {"a", "b"};

TEST(CallInputsTest, ReadsWhatIsThere) {
  const json::object object =
      Object(R"({"t":"x","i":2.0,"n":0.5,"f":true,"l":["p","q"],"o":{"k":1},"w":"b","z":null})");
  CallInputs inputs(object);
  EXPECT_EQ(inputs.Text("t", CallInputs::kRequired), "x");
  EXPECT_EQ(inputs.Text("absent"), "");
  EXPECT_EQ(inputs.Text("z"), "");
  EXPECT_FALSE(inputs.Has("z"));
  EXPECT_EQ(inputs.Integer("i", 1, 5), 2);
  EXPECT_EQ(inputs.Integer("absent", 1, 5), std::nullopt);
  EXPECT_EQ(inputs.Number("n"), 0.5);
  EXPECT_TRUE(inputs.Flag("f"));
  EXPECT_FALSE(inputs.Flag("absent"));
  EXPECT_EQ(inputs.Texts("l"), (std::vector<std::string>{"p", "q"}));
  EXPECT_EQ(inputs.Object("o")->size(), 1U);
  EXPECT_EQ(inputs.Word("w", kWords, "a"), "b");
  EXPECT_EQ(inputs.Word("absent", kWords, "a"), "a");
  EXPECT_EQ(inputs.fault(), "");
}

TEST(CallInputsTest, SaysWhatIsWrongFirst) {
  using Reading = std::function<void(CallInputs&)>;
  const json::object object = Object(R"({"t":"","i":1.5,"big":18446744073709551615,"l":[1],"e":[],"w":"c","o":[]})");
  const auto fault = [&](const Reading& read) {
    CallInputs inputs(object);
    read(inputs);
    return inputs.fault();
  };
  EXPECT_EQ(fault([](CallInputs& in) { in.Text("absent", CallInputs::kRequired); }), "absent is required");
  EXPECT_EQ(fault([](CallInputs& in) { in.Text("t", CallInputs::kRequired); }), "t is empty");
  EXPECT_EQ(fault([](CallInputs& in) { in.Text("i"); }), "i must be a string");
  EXPECT_EQ(fault([](CallInputs& in) { in.Integer("i", 1, 5); }), "i must be an integer from 1 to 5");
  EXPECT_EQ(fault([](CallInputs& in) { in.Integer("big", 1, 5); }), "big must be an integer from 1 to 5");
  EXPECT_EQ(fault([](CallInputs& in) { in.Integer("absent", 1, 5, CallInputs::kRequired); }), "absent is required");
  EXPECT_EQ(fault([](CallInputs& in) { in.Number("t"); }), "t must be a number");
  EXPECT_EQ(fault([](CallInputs& in) { in.Flag("t"); }), "t must be true or false");
  EXPECT_EQ(fault([](CallInputs& in) { in.Texts("l"); }), "l must be an array of strings that are not empty");
  EXPECT_EQ(fault([](CallInputs& in) { in.Texts("e", CallInputs::kRequired); }), "e is empty");
  EXPECT_EQ(fault([](CallInputs& in) { in.Texts("t"); }), "t must be an array");
  EXPECT_EQ(fault([](CallInputs& in) { in.Object("o"); }), "o must be an object");
  EXPECT_EQ(fault([](CallInputs& in) { in.Word("w", kWords, "a"); }), "w must be one of a, b");
  EXPECT_EQ(fault([](CallInputs& in) {
              in.Text("i");
              in.Text("absent", CallInputs::kRequired);
            }),
            "i must be a string");
}

}  // namespace
}  // namespace awf::operations
