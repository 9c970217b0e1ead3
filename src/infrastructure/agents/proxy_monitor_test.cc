#include "infrastructure/agents/proxy_monitor.h"

#include <gtest/gtest.h>

#include "infrastructure/agents/test_observer.h"

namespace awf::agents {
namespace {

using channel::ServerEvent;

class ProxyMonitorTest : public testing::Test {
 protected:
  void Connect(std::uint64_t connection) {
    monitor_.Handle({ServerEvent::Kind::kConnected, static_cast<pid_t>(100 + connection), connection, {}, false, {}});
  }
  void Say(std::uint64_t connection, channel::Message message) {
    monitor_.Handle({ServerEvent::Kind::kMessage, 0, connection, std::move(message), false, {}});
  }
  void Close(std::uint64_t connection, bool bye) {
    monitor_.Handle({ServerEvent::Kind::kClosed, 0, connection, {}, bye, {}});
  }
  void Ready(std::uint64_t connection) { Say(connection, channel::Ready{"claude-code", "2.1.332", "2025-11-25"}); }
  void List(std::uint64_t connection) { Say(connection, channel::ToolsListed{2, {"Write", "Read"}, "[]"}); }
  void Start(std::uint64_t connection, const std::string& call) {
    channel::CallStarted started;
    started.call.call = call;
    started.call.tool = "Bash";
    started.call.time = WallClock::now();
    Say(connection, started);
  }
  void End(std::uint64_t connection, const std::string& call) { Say(connection, channel::CallFinished{call, {}}); }
  std::string Failure() const { return monitor_.Failure() ? monitor_.Failure()->message : ""; }

  TestObserver observer_;
  ProxyMonitor monitor_{{}, observer_};
};

TEST_F(ProxyMonitorTest, ConnectedNeedsHandshakeAndList) {
  Connect(1);
  EXPECT_FALSE(monitor_.Connected());
  Ready(1);
  EXPECT_FALSE(monitor_.Connected());
  List(1);
  EXPECT_TRUE(monitor_.Connected());
  EXPECT_EQ(monitor_.tools(), 2);
  EXPECT_EQ(observer_.Events(), std::vector<std::string>{"ready claude-code tools=2 start=1"});
}

TEST_F(ProxyMonitorTest, OrderlyRun) {
  Connect(1);
  Ready(1);
  List(1);
  List(1);  // again, as some clients do
  Start(1, "a");
  End(1, "a");
  End(1, "a");  // a second end of the same call is no end
  Close(1, true);
  EXPECT_FALSE(monitor_.JudgeEnds());
  monitor_.Finish();
  EXPECT_EQ(Failure(), "");
  EXPECT_EQ(monitor_.calls(), 1);
  EXPECT_EQ(observer_.Events(),
            (std::vector<std::string>{"ready claude-code tools=2 start=1", "call Bash", "end Bash ok"}));
}

TEST_F(ProxyMonitorTest, KnowsWhichCallsAreInFlightAndWhose) {
  Connect(1);
  Connect(2);
  Start(1, "a");
  ASSERT_NE(monitor_.InFlight(1, "a"), nullptr);
  EXPECT_EQ(monitor_.InFlight(1, "a")->tool, "Bash");
  EXPECT_EQ(monitor_.InFlight(2, "a"), nullptr);
  EXPECT_EQ(monitor_.InFlight(3, "a"), nullptr);
  End(1, "a");
  EXPECT_EQ(monitor_.InFlight(1, "a"), nullptr);
}

TEST_F(ProxyMonitorTest, APeerThatWasDroppedIsToldAndNoMoreOfItCounts) {
  Connect(1);
  monitor_.Handle({ServerEvent::Kind::kClosed, 101, 1, {}, false, "a plugin call without a call of a tool"});
  Start(1, "a");
  monitor_.Finish();
  EXPECT_EQ(monitor_.calls(), 0);
  EXPECT_EQ(observer_.Events(),
            std::vector<std::string>{
                R"(log warn mcp proxy dropped a peer {"pid":101,"reason":"a plugin call without a call of a tool"})"});
}

TEST_F(ProxyMonitorTest, DeathInMidCallLosesItEvenWhenReplaced) {
  Connect(1);
  Ready(1);
  List(1);
  Start(1, "a");
  Close(1, false);
  EXPECT_TRUE(monitor_.JudgeEnds());
  EXPECT_TRUE(observer_.Has("end Bash lost proxy_lost"));
  EXPECT_EQ(observer_.Count("lost "), 0);
  Connect(2);
  Ready(2);
  EXPECT_TRUE(observer_.Has("lost calls=1 replaced"));
  EXPECT_TRUE(observer_.Has("ready claude-code tools=2 start=2"));
  Close(2, true);
  monitor_.Finish();
  EXPECT_EQ(Failure(), "the MCP server of the step died; 1 call was lost");
  EXPECT_EQ(monitor_.Failure()->code, "EXECUTION.MCP_PROXY.LOST");
}

TEST_F(ProxyMonitorTest, IdleDeathThatIsReplacedIsNoFailure) {
  Connect(1);
  Ready(1);
  List(1);
  Close(1, false);
  EXPECT_TRUE(monitor_.JudgeEnds());
  Connect(2);
  Ready(2);
  monitor_.StepEnds();
  Close(2, false);
  EXPECT_FALSE(monitor_.JudgeEnds());
  monitor_.Finish();
  EXPECT_EQ(Failure(), "");
  EXPECT_EQ(observer_.Count("lost calls=0 replaced"), 1);
}

TEST_F(ProxyMonitorTest, IdleDeathWithoutReplacementIsAFailure) {
  Connect(1);
  Ready(1);
  List(1);
  Close(1, false);
  EXPECT_TRUE(monitor_.JudgeEnds());
  monitor_.StepEnds();
  monitor_.Finish();
  EXPECT_EQ(Failure(), "the MCP server of the step died and none took its place");
  EXPECT_TRUE(observer_.Has("lost calls=0"));
}

TEST_F(ProxyMonitorTest, AnotherLiveServerCountsAsReplacement) {
  Connect(1);
  Ready(1);
  List(1);
  Connect(2);
  Ready(2);
  Close(1, false);
  EXPECT_TRUE(monitor_.JudgeEnds());
  EXPECT_TRUE(observer_.Has("lost calls=0 replaced"));
  monitor_.StepEnds();
  Close(2, true);
  monitor_.Finish();
  EXPECT_EQ(Failure(), "");
}

TEST_F(ProxyMonitorTest, EndAfterTheFinalEventIsNoDeath) {
  Connect(1);
  Ready(1);
  List(1);
  Close(1, false);      // read from the channel first …
  monitor_.StepEnds();  // … but the CLI had told its result before
  EXPECT_FALSE(monitor_.JudgeEnds());
  monitor_.Finish();
  EXPECT_EQ(Failure(), "");
  EXPECT_EQ(observer_.Count("lost"), 0);
}

TEST_F(ProxyMonitorTest, CallsStillOpenAtTheEndAreLostOnce) {
  Connect(1);
  Ready(1);
  List(1);
  Start(1, "a");
  Start(1, "b");
  End(1, "b");
  monitor_.StepEnds();
  monitor_.Finish();
  EXPECT_EQ(observer_.Count("end Bash lost proxy_lost"), 1);
  EXPECT_EQ(observer_.Count("end Bash ok"), 1);
  EXPECT_EQ(Failure(), "the MCP server of the step died; 1 call was lost");
}

TEST_F(ProxyMonitorTest, CallsThatAwfItselfCutsOffAreNotLost) {
  Connect(1);
  Ready(1);
  List(1);
  Start(1, "a");
  monitor_.StepIsStopped(CallOutcome::kCancelled);
  Close(1, false);
  monitor_.JudgeEnds();
  monitor_.Finish();
  EXPECT_TRUE(observer_.Has("end Bash cancelled cancelled")) << observer_.All();
  EXPECT_EQ(observer_.Count("lost"), 0);
  EXPECT_EQ(Failure(), "");
}

TEST_F(ProxyMonitorTest, CallsThatRunIntoTheTimeoutOfTheStepSaySo) {
  Connect(1);
  Ready(1);
  List(1);
  Start(1, "a");
  monitor_.StepIsStopped(CallOutcome::kTimeout);
  monitor_.Finish();
  EXPECT_TRUE(observer_.Has("end Bash timeout timeout")) << observer_.All();
  EXPECT_EQ(observer_.Count("lost"), 0);
}

TEST_F(ProxyMonitorTest, ProbeThatLeavesWithoutListingIsNothing) {
  Connect(1);
  Close(1, false);
  Connect(2);
  Ready(2);
  Close(2, true);
  Connect(3);
  Ready(3);
  List(3);
  monitor_.StepEnds();
  Close(3, true);
  monitor_.Finish();
  EXPECT_EQ(Failure(), "");
  EXPECT_EQ(monitor_.starts(), 3);
  EXPECT_EQ(observer_.Events(), std::vector<std::string>{"ready claude-code tools=2 start=3"});
}

TEST_F(ProxyMonitorTest, RefusedPeerIsTold) {
  monitor_.Handle({ServerEvent::Kind::kRefused, 7, 0, {}, false, "wrong token"});
  EXPECT_EQ(observer_.Count("log warn mcp proxy refused a peer"), 1);
  EXPECT_EQ(monitor_.starts(), 0);
}

}  // namespace
}  // namespace awf::agents
