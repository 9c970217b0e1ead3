// The end of a server: what is still handled, in which phases running calls are cut off, who is noticed.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "mcp/server.h"
#include "mcp/signals.h"
#include "test_client.h"

namespace mcp {
namespace {

CallResult Text(std::string text) { return {{TextContent{std::move(text)}}, false, {}}; }

CallHandler Immediate() {
  return [](CallContext&, std::string_view, const json::object&) -> std::expected<CallResult, CallError> {
    return Text("x");
  };
}

class ServerEndTest : public testing::TestWithParam<bool> {
 protected:
  static Ends Connection() { return GetParam() ? MakeSockets() : MakePipes(); }
};
INSTANTIATE_TEST_SUITE_P(Connections, ServerEndTest, testing::Bool(),
                         [](const auto& connection) { return connection.param ? "Sockets" : "Pipes"; });

// Bugs 1 to 3: requests that came before the end of input are answered, the unterminated last one too.
TEST_P(ServerEndTest, Bug1To3AnswersWhatWasReceivedBeforeTheEnd) {
  TestServer test(Immediate(), {}, Connection());
  std::string text;
  for (int i = 0; i < 20; ++i) text += PingText(std::to_string(i)) + "\n";
  test.client.Write(text + PingText("20"));
  test.client.CloseWrite();
  test.Start();
  EXPECT_EQ(test.Join(), EndReason::kEof);
  for (int i = 0; i <= 20; ++i) EXPECT_EQ(test.client.Line(), Pong(std::to_string(i)));
}

// A quick call is answered, unless the machine was so slow that the time for it was over.
TEST_P(ServerEndTest, FinishesQuickCallsAtTheEnd) {
  bool cut_off = false;
  std::atomic<int> called = 0;
  Options options;
  options.on_cancel_running = [&] { cut_off = true; };
  TestServer test(
      [&](CallContext&, std::string_view, const json::object&) -> std::expected<CallResult, CallError> {
        ++called;
        return Text("x");
      },
      options, Connection());
  test.client.Send(CallText("1", "t"));
  test.client.CloseWrite();
  test.Start();
  EXPECT_EQ(test.Join(), EndReason::kEof);
  EXPECT_EQ(called, 1);
  if (!cut_off) {
    EXPECT_EQ(test.client.Line(), TextAnswer("1", "x"));
  }
}

TEST_P(ServerEndTest, EndsAtOnceWithoutInput) {
  TestServer test(Immediate(), {}, Connection());
  test.client.CloseWrite();
  test.Start();
  EXPECT_EQ(test.Join(), EndReason::kEof);
}

// The phases, in order and none too early. The first call obeys its token, the second the kill, the third nothing.
TEST_P(ServerEndTest, CutsCallsOffInPhases) {
  using Clock = std::chrono::steady_clock;
  std::mutex mutex;
  std::vector<std::pair<std::string, Clock::time_point>> events;
  std::atomic<bool> killed = false, released = false;
  std::atomic<int> started = 0;
  const auto note = [&](std::string what) {
    const std::lock_guard lock(mutex);
    events.emplace_back(std::move(what), Clock::now());
  };
  Options options;
  options.on_cancel_running = [&] { note("cancel"); };
  options.on_kill_running = [&] {
    note("kill");
    killed = true;
  };
  options.on_overdue = [&] {
    note("overdue");
    released = true;
  };
  TestServer test(
      [&](CallContext& context, std::string_view tool, const json::object&) -> std::expected<CallResult, CallError> {
        ++started;
        const auto wait_for = [](auto condition) {
          while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        };
        if (tool == "obeys") wait_for([&] { return context.cancelled().stop_requested(); });
        if (tool == "killed") wait_for([&] { return killed.load(); });
        if (tool == "stuck") wait_for([&] { return released.load(); });
        return Text("late");
      },
      options, Connection());
  test.Start();
  test.client.Send(CallText("1", "obeys"));
  test.client.Send(CallText("2", "killed"));
  test.client.Send(CallText("3", "stuck"));
  while (started < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const Clock::time_point end = Clock::now();
  test.client.CloseWrite();
  EXPECT_EQ(test.Join(), EndReason::kEof);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].first, "cancel");
  EXPECT_GE(events[0].second - end, kCancelRunningAfter);
  EXPECT_EQ(events[1].first, "kill");
  EXPECT_GE(events[1].second - end, kKillRunningAfter);
  EXPECT_EQ(events[2].first, "overdue");
  EXPECT_GE(events[2].second - end, kOverdueAfter);
  test.transport.reset();
  EXPECT_EQ(test.client.Line(), std::nullopt);  // what was cut off is not answered
}

TEST_P(ServerEndTest, HoldsSubscriptionsUntilTheEnd) {
  TestServer test(Immediate(), {}, Connection());
  test.Start();
  test.client.Send(
      R"({"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{"_meta":{)"
      R"("io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})");
  EXPECT_TRUE(test.client.Line()->find("acknowledged") != std::string::npos);
  test.server.Stop(EndReason::kSignal);
  EXPECT_EQ(test.Join(), EndReason::kSignal);
  EXPECT_TRUE(test.client.Line()->starts_with(R"({"jsonrpc":"2.0","id":5,"result":{"resultType":"complete")"));
}

// Bug 29: a client that closes its reading end is an end, not a crash and not a loop.
TEST_P(ServerEndTest, Bug29EndsWhenTheClientNoLongerReads) {
  TestServer test(Immediate(), {}, Connection());
  test.Start();
  test.client.Send(PingText("1"));
  EXPECT_EQ(test.client.Line(), Pong("1"));
  test.client.CloseRead();
  test.client.Send(CallText("2", "t"));
  EXPECT_EQ(test.Join(), EndReason::kWriteFailed);
}

TEST(ServerWriteEndTest, NoticesAClosedPipeWithoutWriting) {
  TestServer test(Immediate());
  test.Start();
  test.client.CloseRead();
  EXPECT_EQ(test.Join(), EndReason::kWriteFailed);
}

// A client that keeps its pipe open but never reads must not hold the end up.
TEST_P(ServerEndTest, AbandonsAClientThatDoesNotRead) {
  Options options;
  options.max_queued_bytes = std::size_t{1} << 30;
  TestServer test(
      [](CallContext&, std::string_view, const json::object&) -> std::expected<CallResult, CallError> {
        return Text(std::string(std::size_t{4} << 20, 'x'));
      },
      options, Connection());
  test.Start();
  for (int i = 0; i < 4; ++i) test.client.Send(CallText(std::to_string(i), "t"));
  test.client.Send(PingText("9"));
  test.client.CloseWrite();
  EXPECT_EQ(test.Join(), EndReason::kEof);
}

// Waiting calls have their hook called even if every worker is stuck, so that each has its record.
TEST(ServerRecordTest, CallsTheHookForWaitingCallsAtTheEnd) {
  std::atomic<bool> released = false;
  std::atomic<int> started = 0, cancelled_at_start = 0;
  Options options;
  options.workers = 1;
  options.on_overdue = [&] { released = true; };
  TestServer test(
      [&](CallContext& context, std::string_view tool, const json::object&) -> std::expected<CallResult, CallError> {
        ++started;
        if (context.cancelled().stop_requested()) ++cancelled_at_start;
        while (tool == "stuck" && !released) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return Text("x");
      },
      options);
  test.Start();
  test.client.Send(CallText("1", "stuck"));
  test.client.Send(CallText("2", "t"));
  test.client.Send(CallText("3", "t"));
  test.client.CloseWrite();
  EXPECT_EQ(test.Join(), EndReason::kEof);
  EXPECT_EQ(started, 3);
  EXPECT_EQ(cancelled_at_start, 2);
}

// Watched descriptors.

TEST(ServerWatchTest, RunsAWatchOnTheServingThreadAndDropsItWhenItSaysSo) {
  TestServer test(Immediate());
  int watched[2];
  ASSERT_EQ(::pipe2(watched, O_CLOEXEC), 0);
  std::atomic<int> runs = 0;
  test.transport->Watch(watched[0], [&] {
    ++runs;
    return false;  // the descriptor stays readable: watching on would spin
  });
  test.Start();
  ASSERT_EQ(::write(watched[1], "x", 1), 1);
  while (runs == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  test.client.Send(PingText("1"));
  EXPECT_EQ(test.client.Line(), Pong("1"));
  EXPECT_EQ(runs, 1);
  test.client.CloseWrite();
  EXPECT_EQ(test.Join(), EndReason::kEof);
  ::close(watched[0]);
  ::close(watched[1]);
}

TEST(ServerWatchTest, EndsOnAWatchedDescriptorAndHandlesWhatCameBefore) {
  std::atomic<int> called = 0;
  TestServer test([&](CallContext&, std::string_view, const json::object&) -> std::expected<CallResult, CallError> {
    ++called;
    return Text("x");
  });
  int parent[2];
  ASSERT_EQ(::pipe2(parent, O_CLOEXEC), 0);
  test.transport->Watch(parent[0], [&] {
    test.server.Stop(EndReason::kStopped);
    return false;
  });
  test.client.Send(CallText("1", "t"));
  test.client.Send(PingText("2"));
  ::close(parent[1]);
  test.Start();
  EXPECT_EQ(test.Join(), EndReason::kStopped);
  EXPECT_EQ(called, 1);
  const std::string first = test.client.Line().value_or("");
  EXPECT_TRUE(first == Pong("2") || first == TextAnswer("1", "x")) << first;
  ::close(parent[0]);
}

TEST(SignalSourceTest, GivesBlockedSignalsToThePoll) {
  sigset_t before;
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, nullptr, &before), 0);
  auto signals = SignalSource::Block({SIGUSR1, SIGUSR2});
  ASSERT_TRUE(signals);
  EXPECT_EQ((*signals)->Take(), std::nullopt);
  TestServer test(Immediate());
  std::vector<int> taken;
  test.transport->Watch((*signals)->fd(), [&] {
    while (const auto signal = (*signals)->Take()) taken.push_back(*signal);
    test.server.Stop(EndReason::kSignal);
    return true;
  });
  // To this thread, which is in the server then: other tests of the process keep theirs.
  ASSERT_EQ(::pthread_kill(::pthread_self(), SIGUSR1), 0);
  const auto ended = test.server.Serve(*test.transport);
  EXPECT_EQ(ended.value(), EndReason::kSignal);
  EXPECT_EQ(taken, std::vector<int>{SIGUSR1});
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace mcp
