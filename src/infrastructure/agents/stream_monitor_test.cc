#include "infrastructure/agents/stream_monitor.h"

#include <gtest/gtest.h>

#include "infrastructure/agents/test_observer.h"

namespace awf::agents {
namespace {

class StreamMonitorTest : public testing::Test {
 protected:
  StreamMonitor& Monitor() {
    if (!monitor_) monitor_.emplace(rules_, observer_, [this] { return connected_; });
    return *monitor_;
  }
  std::string Stopped() const {
    return monitor_ && monitor_->stop_reason() ? monitor_->stop_reason()->code : std::string();
  }

  StreamMonitor::Rules rules_{.step = {},
                              .provider = "claude",
                              .version = "2.1.332",
                              .verified = "2.1.332",
                              .proxy = true,
                              .intercept = true,
                              .ours = {"ours_Read", "ours_Bash"},
                              .claim = {IsolationLevel::kCoexisting, "not announced"}};
  bool connected_ = true;
  TestObserver observer_;
  std::optional<StreamMonitor> monitor_;
};

const std::vector<std::string> kOurs = {"ours_Bash", "ours_Read"};
const std::vector<std::string> kOneMore = {"ours_Bash", "ours_Read", "Task"};

TEST_F(StreamMonitorTest, ExactListIsProvenAndToldOnce) {
  Monitor().Announced(kOurs, true, "2.1.400");
  Monitor().Announced(kOurs, true, "2.1.400");
  EXPECT_EQ(Monitor().level(), IsolationLevel::kProven);
  EXPECT_EQ(Monitor().version(), "2.1.400");
  EXPECT_EQ(observer_.Events(), std::vector<std::string>{"isolation proven announced"});
}

TEST_F(StreamMonitorTest, SurplusAndMissingToolsAreCoexisting) {
  Monitor().Announced(kOneMore, true, "");
  EXPECT_EQ(observer_.Events(), std::vector<std::string>{"isolation coexisting native tools: Task"});
  EXPECT_EQ(Stopped(), "");
  Monitor().Announced({"ours_Read"}, true, "");
  EXPECT_EQ(observer_.Events().back(), "isolation coexisting tools missing: ours_Bash");
}

TEST_F(StreamMonitorTest, RequiredStopsBelowProven) {
  rules_.required = true;
  Monitor().Announced(kOneMore, true, "");
  EXPECT_EQ(Stopped(), "USER.MCP_PROXY.UNSUPPORTED_PROVIDER");
}

TEST_F(StreamMonitorTest, RequiredStopsWhenTheModelSpeaksUnannounced) {
  rules_.required = true;
  Monitor().Text("hi");
  EXPECT_EQ(Stopped(), "USER.MCP_PROXY.UNSUPPORTED_PROVIDER");
}

TEST_F(StreamMonitorTest, NotConnectedStopsAtAnnouncementOrFirstWord) {
  Monitor().Announced({}, false, "");
  EXPECT_EQ(Stopped(), "EXECUTION.MCP_PROXY.NOT_CONNECTED");
  monitor_.reset();
  connected_ = false;
  Monitor().Announced(kOurs, true, "");
  EXPECT_EQ(Stopped(), "");
  Monitor().ToolUse("1", "ours_Read", false, "tool_use");
  EXPECT_EQ(Stopped(), "EXECUTION.MCP_PROXY.NOT_CONNECTED");
}

TEST_F(StreamMonitorTest, AdditiveModeNeedsAllOfOursAndClaimsNoLevel) {
  rules_.intercept = false;
  Monitor().Announced(kOneMore, true, "");
  Monitor().ToolUse("1", "Task", true, "tool_use");
  Monitor().ToolEnded("1", false, false);
  Monitor().Finish();
  EXPECT_EQ(Stopped(), "");
  EXPECT_FALSE(Monitor().level());
  EXPECT_TRUE(observer_.Events().empty()) << observer_.All();
  Monitor().Announced({"ours_Read"}, true, "");
  EXPECT_EQ(Stopped(), "EXECUTION.MCP_PROXY.NOT_CONNECTED");
}

TEST_F(StreamMonitorTest, WithoutProxyNothingIsJudged) {
  rules_.proxy = rules_.intercept = false;
  connected_ = false;
  Monitor().Announced({"Task"}, false, "");
  Monitor().Text("hi");
  Monitor().Finish();
  EXPECT_EQ(Stopped(), "");
  EXPECT_EQ(observer_.Events(), std::vector<std::string>{"text hi"});
}

TEST_F(StreamMonitorTest, NativeUseThatRanIsABypassAndLowersTheLevel) {
  Monitor().Announced(kOurs, true, "");
  Monitor().ToolUse("1", "Task", true, "tool_use");
  EXPECT_EQ(observer_.Count("bypass"), 0);
  Monitor().ToolEnded("1", false, false);
  EXPECT_EQ(Monitor().bypasses(), 1);
  EXPECT_EQ(Monitor().level(), IsolationLevel::kCoexisting);
  EXPECT_EQ(Stopped(), "");
  EXPECT_EQ(observer_.Events(), (std::vector<std::string>{"isolation proven announced", "bypass Task tool_use",
                                                          "isolation coexisting native tool used: Task"}));
}

TEST_F(StreamMonitorTest, RefusedNativeUseIsAnAttempt) {
  Monitor().Announced(kOurs, true, "");
  Monitor().ToolUse("1", "Task", true, "tool_use");
  Monitor().ToolEnded("1", true, true);
  Monitor().Finish();
  EXPECT_EQ(Monitor().bypasses(), 0);
  EXPECT_EQ(Monitor().level(), IsolationLevel::kProven);
  EXPECT_TRUE(observer_.Has("refused Task"));
}

TEST_F(StreamMonitorTest, NativeUseWithoutResultCountsAtTheEnd) {
  Monitor().Announced(kOurs, true, "");
  Monitor().ToolUse("1", "Task", true, "tool_use");
  Monitor().Finish();
  EXPECT_EQ(Monitor().bypasses(), 1);
}

TEST_F(StreamMonitorTest, BypassUnderRequiredStops) {
  rules_.required = true;
  Monitor().Announced(kOurs, true, "");
  Monitor().ToolUse("1", "Task", true, "tool_use");
  Monitor().ToolEnded("1", false, false);
  EXPECT_EQ(Stopped(), "EXECUTION.MCP_PROXY.BYPASS");
}

TEST_F(StreamMonitorTest, SomeRefusedCallsAreWarningsAllOfThemAFailure) {
  Monitor().Announced(kOurs, true, "");
  Monitor().ToolUse("1", "ours_Read", false, "tool_use");
  Monitor().PermissionDenied("ours_Read");
  EXPECT_EQ(Monitor().Failure()->code, "EXECUTION.AGENT.FAILED");
  Monitor().ToolUse("2", "ours_Read", false, "tool_use");
  EXPECT_FALSE(Monitor().Failure());
  EXPECT_EQ(observer_.Count("log warn permission denied by the agent CLI"), 1);
}

TEST_F(StreamMonitorTest, NeverAnnouncedIsCoexisting) {
  Monitor().Finish();
  EXPECT_EQ(Monitor().level(), IsolationLevel::kCoexisting);
  EXPECT_TRUE(observer_.Has("isolation coexisting not announced"));
}

TEST_F(StreamMonitorTest, TheCliMayProveLessThanItsVersionPromises) {
  rules_.claim = {IsolationLevel::kFlags, "not proven"};
  Monitor().IsolationIs(IsolationLevel::kCoexisting, "5 of 6 tools");
  Monitor().Text("hi");
  EXPECT_EQ(observer_.Events(), (std::vector<std::string>{"isolation coexisting 5 of 6 tools", "text hi"}));
}

TEST_F(StreamMonitorTest, AProofOutweighsFlagsButNotADoubt) {
  rules_.claim = {IsolationLevel::kProven, "probed"};
  Monitor().IsolationIs(IsolationLevel::kFlags, "as expected");
  Monitor().Text("hi");
  EXPECT_EQ(Monitor().level(), IsolationLevel::kProven);
  Monitor().Finish();
  Monitor().Doubt("the agent was not found");
  EXPECT_EQ(Monitor().level(), IsolationLevel::kCoexisting);
  EXPECT_EQ(observer_.Events().back(), "isolation coexisting the agent was not found");
}

TEST_F(StreamMonitorTest, TheVersionMayComeFromTheMcpClient) {
  rules_.version.clear();
  rules_.claim = {IsolationLevel::kCoexisting, "version unknown"};
  Monitor().VersionIs("1.2.3", {IsolationLevel::kFlags, "not proven"});
  Monitor().Text("hi");
  EXPECT_EQ(Monitor().version(), "1.2.3");
  EXPECT_EQ(Monitor().level(), IsolationLevel::kFlags);
}

TEST_F(StreamMonitorTest, AServerThatTheCliCallsFailedStopsIt) {
  Monitor().ServerFailed("spawn ENOENT");
  EXPECT_EQ(Stopped(), "EXECUTION.MCP_PROXY.NOT_CONNECTED");
}

TEST_F(StreamMonitorTest, CancelledBeforeItsAnnouncementProvesNothing) {
  Monitor().Finish(true);
  EXPECT_FALSE(Monitor().level());
  EXPECT_EQ(observer_.Count("isolation"), 0);
}

TEST_F(StreamMonitorTest, FirstStopReasonStays) {
  Monitor().HopelessRetry({"EXECUTION.AGENT.AUTH", "401", {}, {}, {}, {}});
  Monitor().Announced({}, false, "");
  EXPECT_EQ(Stopped(), "EXECUTION.AGENT.AUTH");
}

TEST_F(StreamMonitorTest, MessagesPassAndResultsOnlyAfterTheChannelWasRead) {
  int reads = 0;
  StreamMonitor monitor(rules_, observer_, [&] {
    ++reads;
    return true;
  });
  MessageBlock text, result;
  text.type = "text";
  text.text = "hi";
  result.type = "tool_result";
  monitor.Message({MessageRole::kAssistant, {text}});
  monitor.Message({MessageRole::kAssistant, {}});
  EXPECT_EQ(reads, 0);
  monitor.Message({MessageRole::kUser, {text, result}});
  EXPECT_EQ(reads, 1);
  EXPECT_EQ(observer_.Messages(), (std::vector<std::string>{"assistant [text] hi", "user [text] hi [tool_result] "}));
}

}  // namespace
}  // namespace awf::agents
