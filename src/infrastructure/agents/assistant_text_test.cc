#include "infrastructure/agents/assistant_text.h"

#include <gtest/gtest.h>

namespace awf::agents {
namespace {

TEST(AssistantTextTest, IsWhatFollowsTheLastToolUse) {
  AssistantText text;
  EXPECT_EQ(text.Output(), "");
  text.Append("first ");
  text.Append("piece");
  text.ToolUsed();
  text.Append("second");
  text.EndPiece();
  text.Append("");
  text.Append("third");
  EXPECT_EQ(text.Output(), "second\n\nthird");
}

TEST(AssistantTextTest, IsAllOfItWhereNothingFollows) {
  AssistantText text;
  text.Append("one");
  text.ToolUsed();
  text.Append("two");
  text.ToolUsed();
  EXPECT_EQ(text.Output(), "one\n\ntwo");
}

}  // namespace
}  // namespace awf::agents
