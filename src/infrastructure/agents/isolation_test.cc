#include "infrastructure/agents/isolation.h"

#include <gtest/gtest.h>

namespace awf::agents {
namespace {

TEST(IsolationTest, Versions) {
  EXPECT_TRUE(VersionAtLeast("2.1.197", "2.1.197"));
  EXPECT_TRUE(VersionAtLeast("2.1.332", "2.1.197"));
  EXPECT_TRUE(VersionAtLeast("10.0.0", "9.9.9"));
  EXPECT_FALSE(VersionAtLeast("2.1.99", "2.1.197"));
  EXPECT_FALSE(VersionAtLeast("", "2.1.197"));
  EXPECT_FALSE(VersionAtLeast("2.1", "2.1.0"));
}

TEST(IsolationTest, WarningTellsWhatRemains) {
  IsolationReport report = JudgeAnnouncement({"a", "X", "Y"}, {"a"});
  report.provider = "github-copilot";
  report.version = "1.2.3";
  EXPECT_EQ(report.foreign, (std::vector<std::string>{"X", "Y"}));
  EXPECT_EQ(CoexistenceWarning(report, "1.0.0"),
            "WARN: mcp_proxy on provider=github-copilot runs in coexistence mode.\n"
            "      Native tools remain: X, Y.\n"
            "      Use 'claude' or 'openai-compatible' for guaranteed MCP-only isolation.\n"
            "      found 1.2.3, verified 1.0.0, level coexisting\n");
}

TEST(IsolationTest, WarningOfWhatIsNotProven) {
  IsolationReport report;
  report.level = IsolationLevel::kFlags;
  report.provider = "codex";
  report.version = "0.172.0";
  EXPECT_EQ(CoexistenceWarning(report, "0.171.0"),
            "WARN: mcp_proxy on provider=codex runs in coexistence mode.\n"
            "      Isolation is not proven for 0.172.0; run awf doctor --probe codex.\n"
            "      Use 'claude' or 'openai-compatible' for guaranteed MCP-only isolation.\n"
            "      found 0.172.0, verified 0.171.0, level flags\n");
  report.level = IsolationLevel::kProven;
  EXPECT_EQ(CoexistenceWarning(report, "0.171.0"), "");
}

}  // namespace
}  // namespace awf::agents
