#include "infrastructure/agents/agent_errors.h"

#include <gtest/gtest.h>

namespace awf::agents {
namespace {

TEST(AgentErrorsTest, TheLastLineThatSaysSomethingWithoutColours) {
  EXPECT_EQ(LastLine(""), "");
  EXPECT_EQ(LastLine(" \n\r\n\t"), "");
  EXPECT_EQ(LastLine("one"), "one");
  EXPECT_EQ(LastLine("one\n  two \r\n\n"), "  two");
  EXPECT_EQ(LastLine("one\n\x1b[31mtwo\x1b[0m\n"), "two");
  EXPECT_EQ(LastLine("\x1b]0;title\x07text"), "text");
}

TEST(AgentErrorsTest, TheStatusOfTheModelsServerGivesTheCode) {
  const auto code = [](std::int64_t status) { return ModelError("some", status, "text", "log in").code; };
  EXPECT_EQ(code(0), "EXECUTION.AGENT.FAILED");
  EXPECT_EQ(code(401), "EXECUTION.AGENT.AUTH");
  EXPECT_EQ(code(403), "EXECUTION.AGENT.AUTH");
  EXPECT_EQ(code(429), "EXECUTION.AGENT.RATE_LIMITED");
  EXPECT_EQ(code(500), "EXECUTION.AGENT.FAILED");
  EXPECT_EQ(ModelError("some", 401, "text", "log in").hint, "log in");
  EXPECT_EQ(ModelError("some", 500, "text", "log in").message, "some: text");
}

TEST(AgentErrorsTest, HowItEnded) {
  EXPECT_EQ(NoFinalEvent("some", {3, 0, ""}).message, "some ended without its final event (exit code 3)");
  EXPECT_EQ(NoFinalEvent("some", {139, 11, "boom\n"}).message, "some ended without its final event (signal 11): boom");
  EXPECT_EQ(UnknownFlag("some", "", "--x", "1.2.3").message, "some doesn't know --x; verified with 1.2.3");
  EXPECT_EQ(SessionLost("some", "s-1", "gone").message, "some no longer has the session s-1: gone");
}

}  // namespace
}  // namespace awf::agents
