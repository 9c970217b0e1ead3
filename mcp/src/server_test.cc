#include "mcp/server.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "test_client.h"

namespace mcp {
namespace {

CallResult Text(std::string text) { return {{TextContent{std::move(text)}}, false, {}}; }

// A hook whose calls wait until they are let go or cancelled. Its records outlive the server.
class Gate {
 public:
  CallHandler Handler() {
    return [this](CallContext& context, std::string_view tool,
                  const json::object&) -> std::expected<CallResult, CallError> {
      if (tool == "now") return Text("now");
      std::unique_lock lock(mutex_);
      ++started_;
      changed_.notify_all();
      const std::stop_callback wake(context.cancelled(), [this] {
        const std::lock_guard relock(wake_mutex_);
        woken_.notify_all();
      });
      lock.unlock();
      std::unique_lock waiting(wake_mutex_);
      woken_.wait(waiting, [&] { return open_ || context.cancelled().stop_requested(); });
      waiting.unlock();
      lock.lock();
      if (context.cancelled().stop_requested()) ++cancelled_;
      ++ended_;
      changed_.notify_all();
      return Text("done");
    };
  }
  void Open() {
    const std::lock_guard lock(wake_mutex_);
    open_ = true;
    woken_.notify_all();
  }
  void WaitStarted(int count) { Wait(started_, count); }
  void WaitCancelled(int count) { Wait(cancelled_, count); }
  int started() { return Get(started_); }
  int cancelled() { return Get(cancelled_); }

 private:
  void Wait(const int& value, int count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kPatience, [&] { return value >= count; })) << value << " of " << count;
  }
  int Get(const int& value) {
    const std::lock_guard lock(mutex_);
    return value;
  }

  std::mutex mutex_, wake_mutex_;
  std::condition_variable changed_, woken_;
  int started_ = 0, cancelled_ = 0, ended_ = 0;
  bool open_ = false;
};

// How the server is connected: pipes or sockets.
class ServerTest : public testing::TestWithParam<bool> {
 protected:
  static Ends Connection() { return GetParam() ? MakeSockets() : MakePipes(); }
};
INSTANTIATE_TEST_SUITE_P(Connections, ServerTest, testing::Bool(),
                         [](const auto& connection) { return connection.param ? "Sockets" : "Pipes"; });

TEST_P(ServerTest, AnswersAndEndsWithTheClient) {
  Gate gate;
  TestServer test(gate.Handler(), {}, Connection());
  test.Start();
  test.client.Send(PingText("1"));
  EXPECT_EQ(test.client.Line(), Pong("1"));
  test.client.Send(CallText("2", "now"));
  EXPECT_EQ(test.client.Line(), TextAnswer("2", "now"));
  test.client.CloseWrite();
  EXPECT_EQ(test.Join(), EndReason::kEof);
}

TEST_P(ServerTest, TakesInputByteByByteAndManyLinesAtOnce) {
  Gate gate;
  TestServer test(gate.Handler(), {}, Connection());
  test.Start();
  for (const char c : PingText("1") + "\r\n\n") test.client.Write({&c, 1});
  EXPECT_EQ(test.client.Line(), Pong("1"));
  std::string many;
  for (int i = 0; i < 1000; ++i) many += PingText(std::to_string(i)) + "\n";
  test.client.Write(many);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(test.client.Line(), Pong(std::to_string(i)));
}

// Bug 42: a slow call blocks neither the reader nor other calls.
TEST_P(ServerTest, Bug42AnswersWhileACallRuns) {
  Gate gate;
  TestServer test(gate.Handler(), {}, Connection());
  test.Start();
  for (int i = 0; i < 7; ++i) test.client.Send(CallText(std::to_string(i), "wait"));
  gate.WaitStarted(7);
  test.client.Send(PingText("100"));
  EXPECT_EQ(test.client.Line(), Pong("100"));
  test.client.Send(CallText("101", "now"));
  EXPECT_EQ(test.client.Line(), TextAnswer("101", "now"));
  gate.Open();
  std::vector<std::string> answers;
  for (int i = 0; i < 7; ++i) answers.push_back(test.client.Line().value_or(""));
  std::ranges::sort(answers);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(answers[static_cast<std::size_t>(i)], TextAnswer(std::to_string(i), "done"));
}

// Runs 100 calls; returns their ids in the order of their start and how many ran at once at most.
std::pair<std::vector<std::string>, int> RunCalls(std::size_t workers) {
  Options options;
  options.workers = workers;
  std::mutex mutex;
  std::vector<std::string> order;
  int running = 0, most = 0;
  TestServer test(
      [&](CallContext& context, std::string_view, const json::object&) -> std::expected<CallResult, CallError> {
        {
          const std::lock_guard lock(mutex);
          order.emplace_back(context.request_id());
          most = std::max(most, ++running);
        }
        std::this_thread::yield();
        const std::lock_guard lock(mutex);
        --running;
        return Text("x");
      },
      options);
  test.Start();
  for (int i = 0; i < 100; ++i) test.client.Send(CallText(std::to_string(i), "t"));
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(test.client.Line());
  const std::lock_guard lock(mutex);
  return {order, most};
}

TEST(ServerPoolTest, StartsCallsInOrder) {
  const auto [order, most] = RunCalls(1);
  ASSERT_EQ(order.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(order[i], std::to_string(i));
  EXPECT_EQ(most, 1);
}

TEST(ServerPoolTest, RunsNoMoreCallsAtOnceThanThereAreWorkers) {
  const auto [order, most] = RunCalls(3);
  EXPECT_EQ(order.size(), 100U);
  EXPECT_LE(most, 3);
}

TEST(ServerPoolTest, SurvivesHooksThatThrow) {
  Options options;
  options.log = {};
  TestServer test(
      [](CallContext&, std::string_view tool, const json::object&) -> std::expected<CallResult, CallError> {
        if (tool == "std") throw std::runtime_error("x");
        throw 7;
      },
      options);
  test.Start();
  for (const std::string tool : {"std", "int"}) {
    test.client.Send(CallText("1", tool));
    EXPECT_EQ(test.client.Line(),
              R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"internal error in tool )" + tool +
                  R"("}],"isError":true}})");
  }
  test.client.Send(PingText("2"));
  EXPECT_EQ(test.client.Line(), Pong("2"));
}

// Cancellation.

TEST_P(ServerTest, CancelsRunningAndWaitingCalls) {
  Gate gate;
  Options options;
  options.workers = 1;
  TestServer test(gate.Handler(), options, Connection());
  test.Start();
  test.client.Send(CallText("1", "wait"));
  gate.WaitStarted(1);
  test.client.Send(CallText("2", "wait"));  // waits for the only worker
  test.client.Send(CancelText("2"));
  test.client.Send(CancelText("1"));
  gate.WaitCancelled(2);  // the waiting one reaches the hook too, with its token fired
  test.client.Send(PingText("3"));
  EXPECT_EQ(test.client.Line(), Pong("3"));
  test.client.CloseWrite();
  EXPECT_EQ(test.Join(), EndReason::kEof);
  EXPECT_EQ(gate.started(), 2);
}

// Each call is either answered or cancelled, never both or neither, and the hook learns the same.
TEST(ServerRaceTest, CancelAgainstFinish) {
  std::mutex mutex;
  std::condition_variable ended;
  int finished = 0;
  TestServer test([&](CallContext&, std::string_view, const json::object&) -> std::expected<CallResult, CallError> {
    {
      const std::lock_guard lock(mutex);
      ++finished;
    }
    ended.notify_all();
    return Text("x");
  });
  test.Start();
  constexpr int kCalls = 2000;
  std::thread reader;
  int answers = 0;
  reader = std::thread([&] {
    while (const auto line = test.client.Line()) {
      if (*line == Pong("\"end\"")) return;
      ++answers;
    }
  });
  std::string batch;
  for (int i = 0; i < kCalls; ++i) {
    const std::string id = std::to_string(i);
    batch += CallText(id, "t") + "\n" + CancelText(id) + "\n";
    if (i % 50 == 49) {
      test.client.Write(batch);
      batch.clear();
    }
  }
  {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(ended.wait_for(lock, kPatience, [&] { return finished == kCalls; }));
  }
  test.client.Send(PingText("\"end\""));
  reader.join();
  EXPECT_LE(answers, kCalls);
  EXPECT_EQ(finished, kCalls);
}

TEST(ServerRaceTest, StopAgainstWrite) {
  for (int round = 0; round < 50; ++round) {
    TestServer test([](CallContext&, std::string_view, const json::object&) -> std::expected<CallResult, CallError> {
      return Text(std::string(10000, 'x'));
    });
    test.Start();
    for (int i = 0; i < 20; ++i) test.client.Send(CallText(std::to_string(i), "t"));
    std::thread stopper([&] { test.server.Stop(EndReason::kSignal); });
    int whole = 0;
    std::thread reader([&] {
      while (const auto line = test.client.Line()) {
        EXPECT_EQ(line->back(), '}');
        ++whole;
      }
    });
    EXPECT_EQ(test.Join(), EndReason::kSignal);
    stopper.join();
    test.transport.reset();  // the reader sees the end
    reader.join();
    EXPECT_LE(whole, 20);
  }
}

// Large and many.

TEST_P(ServerTest, TakesAndGivesTwentyMebibytes) {
  TestServer test(
      [](CallContext&, std::string_view, const json::object& arguments) -> std::expected<CallResult, CallError> {
        return Text(json::value_to<std::string>(arguments.at("text")));
      },
      {}, Connection());
  test.Start();
  const std::string text(std::size_t{20} << 20, 'x');
  std::thread writer([&] { test.client.Send(CallText("1", "t", R"({"text":")" + text + R"("})")); });
  const auto line = test.client.Line();
  writer.join();
  ASSERT_TRUE(line);
  EXPECT_TRUE(*line == TextAnswer("1", text));
}

TEST(ServerLimitTest, RefusesFramesOverTheLimit) {
  Gate gate;
  Options options;
  options.max_frame = std::size_t{1} << 20;
  options.log = {};
  TestServer test(gate.Handler(), options);
  test.Start();
  const std::string filler(3 << 20, 'x');
  std::thread writer([&] {
    test.client.Send(R"({"jsonrpc":"2.0","id":"big","method":"ping","params":{"x":")" + filler + R"("}})");
    test.client.Send(R"({"params":{"x":")" + filler + R"("},"jsonrpc":"2.0","id":9,"method":"ping"})");
    test.client.Send(PingText("1"));
  });
  EXPECT_EQ(test.client.Line(),
            R"({"jsonrpc":"2.0","id":"big","error":{"code":-32600,"message":"message exceeds 1 MiB"}})");
  EXPECT_EQ(test.client.Line(), Pong("1"));
  writer.join();
}

// Bug 42, the other half, and a bounded memory: the client does not read, so reading stops, and nothing is lost.
TEST_P(ServerTest, PausesWhileTheClientDoesNotRead) {
  Options options;
  options.max_queued_bytes = 100000;
  TestServer test(
      [](CallContext&, std::string_view, const json::object&) -> std::expected<CallResult, CallError> {
        return Text(std::string(5000, 'x'));
      },
      options, Connection());
  test.Start();
  constexpr int kCalls = 3000;
  std::atomic<int> sent = 0;
  std::thread writer([&] {
    for (int i = 0; i < kCalls; ++i) {
      test.client.Send(CallText(std::to_string(i), "t"));
      ++sent;
    }
  });
  std::vector<bool> answered(kCalls);
  for (int i = 0; i < kCalls; ++i) {
    const auto line = test.client.Line();
    ASSERT_TRUE(line);
    answered[json::parse(*line).at("id").to_number<std::size_t>()] = true;
  }
  writer.join();
  EXPECT_EQ(std::ranges::count(answered, true), kCalls);
}

TEST_P(ServerTest, PausesWhileTooManyCallsWait) {
  Gate gate;
  Options options;
  options.workers = 1;
  options.max_waiting = 3;
  TestServer test(gate.Handler(), options, Connection());
  test.Start();
  std::string calls;
  for (int i = 0; i < 50; ++i) calls += CallText(std::to_string(i), "wait") + "\n";
  test.client.Write(calls + PingText("\"p\"") + "\n");
  gate.WaitStarted(1);
  gate.Open();
  bool ponged = false;
  for (int i = 0; i < 51; ++i) {
    const auto line = test.client.Line();
    ASSERT_TRUE(line);
    if (*line == Pong("\"p\"")) {
      ponged = true;
      EXPECT_GE(i, 40);  // it could only be read when all but a few calls were done
    }
  }
  EXPECT_TRUE(ponged);
}

// Bugs 4 to 7: the end of a client is noticed also while reading is paused.
TEST_P(ServerTest, Bug4To7NoticesTheEndWhilePaused) {
  Gate gate;
  Options options;
  options.workers = 1;
  options.max_waiting = 0;
  TestServer test(gate.Handler(), options, Connection());
  test.Start();
  test.client.Write(CallText("1", "wait") + "\n" + CallText("2", "wait") + "\n" + CallText("3", "wait") + "\n" +
                    PingText("4") + "\n");
  gate.WaitStarted(1);
  test.client.CloseWrite();
  EXPECT_EQ(test.Join(), EndReason::kEof);
  EXPECT_EQ(gate.cancelled(), 3);  // every call that was received had its hook
  EXPECT_EQ(test.client.Line(), Pong("4"));
}

TEST(ServerSocketTest, NoticesAHalfClosedSocketWhilePaused) {
  Gate gate;
  Options options;
  options.workers = 1;
  options.max_waiting = 0;
  TestServer test(gate.Handler(), options, MakeSockets());
  test.Start();
  test.client.Write(CallText("1", "wait") + "\n" + CallText("2", "wait") + "\n" + CallText("3", "wait") + "\n");
  gate.WaitStarted(1);
  test.client.ShutWrite();
  EXPECT_EQ(test.Join(), EndReason::kEof);
  EXPECT_EQ(gate.cancelled(), 3);
}

TEST(ServerStopTest, EndsBeforeItBegins) {
  Gate gate;
  TestServer test(gate.Handler());
  test.server.Stop(EndReason::kStopped);
  test.server.Stop(EndReason::kSignal);
  test.Start();
  EXPECT_EQ(test.Join(), EndReason::kStopped);
  const auto again = test.server.Serve(*test.transport);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message, "a server serves only once");
}

}  // namespace
}  // namespace mcp
