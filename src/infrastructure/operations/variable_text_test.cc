#include "infrastructure/operations/variable_text.h"

#include <gtest/gtest.h>

namespace awf::operations {
namespace {

std::optional<std::string> Lookup(std::string_view name) {
  if (name == "A") return "1";
  if (name == "B") return "${A}";
  if (name == "EMPTY") return "";
  return std::nullopt;
}

TEST(VariableTextTest, EachIsReplacedOnce) {
  EXPECT_EQ(WithVariables("", Lookup), "");
  EXPECT_EQ(WithVariables("https://h/$A/x", Lookup), "https://h/$A/x");
  EXPECT_EQ(WithVariables("${A}", Lookup), "1");
  EXPECT_EQ(WithVariables("x${A}y${B}z", Lookup), "x1y${A}z");
}

TEST(VariableTextTest, MissingOnesAreNamed) {
  EXPECT_EQ(WithVariables("https://h/${HOOK_KEY}", Lookup).error(), "the environment variable HOOK_KEY is not set");
  EXPECT_EQ(WithVariables("${A}${EMPTY}", Lookup).error(), "the environment variable EMPTY is not set");
}

}  // namespace
}  // namespace awf::operations
