#include "infrastructure/agents/prompt_text.h"

#include <gtest/gtest.h>

namespace awf::agents {
namespace {

TEST(PromptLengthTest, CountsBytesOrCharacters) {
  const std::string umlauts = "\xc3\xa4\xc3\xb6\xc3\xbc";
  EXPECT_TRUE(CheckPromptLength("x", umlauts, {}));
  EXPECT_TRUE(CheckPromptLength("x", umlauts, {.bytes = 6}));
  EXPECT_TRUE(CheckPromptLength("x", umlauts, {.characters = 3}));
  const auto bytes = CheckPromptLength("x", umlauts, {.bytes = 5});
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, "EXECUTION.AGENT.FAILED");
  EXPECT_EQ(bytes.error().message, "x: the prompt has 6 bytes, and the CLI reads only 5");
  EXPECT_EQ(bytes.error().hint, "Let the agent read large inputs from files.");
  const auto characters = CheckPromptLength("x", umlauts, {.characters = 2});
  ASSERT_FALSE(characters);
  EXPECT_EQ(characters.error().message, "x: the prompt has 3 characters, and the CLI reads only 2");
}

}  // namespace
}  // namespace awf::agents
