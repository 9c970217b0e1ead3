// The results of plugin calls: as lines, and on their way from awf to a server.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>

#include "infrastructure/step_channel/handshake.h"
#include "infrastructure/step_channel/test_channel.h"

namespace awf::channel {
namespace {

constexpr std::string_view kCall = "0123456789abcdef";

TEST(PluginResult, IsOneLineWithItsFields) {
  PluginResult result{std::string(kCall), ToolResult::Text("{\"a\":1}\n")};
  EXPECT_EQ(EncodeResult(result), R"({"type":"plugin_result","call":"0123456789abcdef",)"
                                  R"("content":[{"type":"text","text":"{\"a\":1}\n"}],"is_error":false})");
}

TEST(PluginResult, GoesThereAndBack) {
  PluginResult result{std::string(kCall), ToolResult::Failure("bad \xFF text")};
  result.result.content.emplace_back(ImageContent{"QUJD", "image/png"});
  ResultFields& fields = result.result.fields;
  fields.truncated = fields.timed_out = fields.cancelled = fields.lost = fields.invalid_arguments = true;
  fields.denied = "sandbox";
  fields.log_error = "p: no answer within 7 ms";
  fields.rpc =
      RpcRecord{"plugin.v1.OperationService", "Execute", 4, std::chrono::microseconds(1), std::chrono::microseconds(2)};
  const auto back = DecodeResult(EncodeResult(result));
  ASSERT_TRUE(back) << back.error();
  EXPECT_EQ(back->call, kCall);
  EXPECT_TRUE(back->result.is_error);
  ASSERT_EQ(back->result.content.size(), 2U);
  EXPECT_EQ(std::get<TextContent>(back->result.content[0]).text, "bad \xEF\xBF\xBD text");
  EXPECT_EQ(std::get<ImageContent>(back->result.content[1]).data, "QUJD");
  EXPECT_EQ(std::get<ImageContent>(back->result.content[1]).mime_type, "image/png");
  EXPECT_TRUE(back->result.fields.truncated);
  EXPECT_TRUE(back->result.fields.timed_out);
  EXPECT_TRUE(back->result.fields.cancelled);
  EXPECT_TRUE(back->result.fields.lost);
  EXPECT_TRUE(back->result.fields.invalid_arguments);
  EXPECT_EQ(back->result.fields.denied, "sandbox");
  EXPECT_EQ(back->result.fields.log_error, "p: no answer within 7 ms");
  EXPECT_EQ(back->result.fields.rpc, fields.rpc);
}

TEST(PluginResult, HostileLinesAreRefused) {
  const auto fault = [](const std::string& line) {
    const auto result = DecodeResult(line);
    return result ? "fine" : result.error();
  };
  const std::string begin = R"({"type":"plugin_result","call":"0123456789abcdef","content":)";
  EXPECT_EQ(fault(begin + R"([{"type":"text","text":"x"}]})"), "fine");
  EXPECT_EQ(fault(begin + "[]}"), "member 'content' is missing or malformed");
  EXPECT_EQ(fault(begin + "{}}"), "member 'content' is missing or malformed");
  EXPECT_EQ(fault(begin + "[7]}"), "a block of content is no object");
  EXPECT_EQ(fault(begin + R"([{"type":"text"}]})"), "member 'text' is missing or malformed");
  EXPECT_EQ(fault(begin + R"([{"type":"image","data":"x","mime_type":1}]})"),
            "member 'mime_type' is missing or malformed");
  EXPECT_EQ(fault(begin + R"([{"type":"audio","data":"x"}]})"), "unknown block of content");
  EXPECT_EQ(fault(begin + R"([{"type":"text","text":"x"}],"lost":1})"), "member 'lost' is missing or malformed");
  EXPECT_EQ(fault(R"({"type":"plugin_result","call":"x","content":[{"type":"text","text":"x"}]})"),
            "member 'call' is missing or malformed");
  EXPECT_EQ(fault(R"({"type":"bye"})"), "unknown message type");
  EXPECT_EQ(fault("{").substr(0, 16), "line is not JSON");
}

// What the reading side of a client was told.
class Inbox {
 public:
  bool ReadFrom(StepChannelClient& client) {
    return client.ReadResults(
        [this](PluginResult result) {
          const std::lock_guard lock(mutex_);
          CallId call = result.call;
          results_[std::move(call)] = std::move(result.result);
          changed_.notify_all();
        },
        [this] {
          const std::lock_guard lock(mutex_);
          lost_ = true;
          changed_.notify_all();
        });
  }
  bool WaitFor(std::size_t results) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return results_.size() >= results; });
  }
  bool WaitForLoss() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return lost_; });
  }
  bool lost() {
    const std::lock_guard lock(mutex_);
    return lost_;
  }
  std::string TextOf(const CallId& call) {
    const std::lock_guard lock(mutex_);
    return std::get<TextContent>(results_.at(call).content.at(0)).text;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<CallId, ToolResult> results_;
  bool lost_ = false;
};

CallId Numbered(int number) {
  std::string digits = std::to_string(number);
  return std::string(16 - digits.size(), '0') + digits;
}

std::string ResultLine(const CallId& call, std::string text) {
  return EncodeResult({call, ToolResult::Text(std::move(text))});
}

class PluginResultsTest : public StepChannelTest {
 protected:
  // Lets the server send until `done`.
  template <typename Done>
  void ServeWhileNot(const Done& done) {
    const auto until = SteadyClock::now() + std::chrono::seconds(60);
    while (!done() && SteadyClock::now() < until) {
      std::vector<pollfd> waiting;
      server_->AddFds(waiting);
      ::poll(waiting.data(), waiting.size(), 10);
      server_->Handle();
    }
  }
};

TEST_F(PluginResultsTest, AHundredCallsAtOnceAreAllAnswered) {
  const auto client = Connected();
  ASSERT_TRUE(client);
  Inbox inbox;
  ASSERT_TRUE(inbox.ReadFrom(*client));
  constexpr int kCalls = 100;
  std::vector<std::thread> senders;
  for (int i = 0; i < kCalls; ++i) {
    senders.emplace_back([&, i] { EXPECT_TRUE(client->Send(PluginCall{Numbered(i), "p", "o", {{"i", i}}, {}})); });
  }
  for (const ServerEvent& event : ServeUntil(ServerEvent::Kind::kMessage, kCalls)) {
    const auto& call = std::get<PluginCall>(*event.message);
    EXPECT_EQ(Numbered(static_cast<int>(call.arguments.at("i").as_int64())), call.call);
    EXPECT_TRUE(server_->Send(event.connection, ResultLine(call.call, "for " + call.call)));
  }
  for (std::thread& sender : senders) sender.join();
  EXPECT_TRUE(inbox.WaitFor(kCalls));
  for (int i = 0; i < kCalls; ++i) EXPECT_EQ(inbox.TextOf(Numbered(i)), "for " + Numbered(i));
  EXPECT_FALSE(inbox.lost());
}

TEST_F(PluginResultsTest, LargeResultsGoOutAsThePeerReads) {
  const auto client = Connected();
  ASSERT_TRUE(client);
  constexpr std::size_t kLarge = std::size_t{10} << 20;
  const std::string large(kLarge, 'x');
  // Nobody reads yet: nothing waits, nothing is lost.
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(server_->Send(1, ResultLine(Numbered(i), large)));
  std::vector<pollfd> waiting;
  server_->AddFds(waiting);
  EXPECT_EQ(waiting.back().events, POLLIN | POLLOUT);
  Inbox inbox;
  ASSERT_TRUE(inbox.ReadFrom(*client));
  std::atomic<bool> all = false;
  std::thread watching([&] { all = inbox.WaitFor(3); });
  ServeWhileNot([&] { return all.load(); });
  watching.join();
  ASSERT_TRUE(all);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(inbox.TextOf(Numbered(i)), large);
  waiting.clear();
  server_->AddFds(waiting);
  EXPECT_EQ(waiting.back().events, POLLIN);
}

TEST_F(PluginResultsTest, APeerThatReadsNothingIsDropped) {
  const auto client = Connected();
  ASSERT_TRUE(client);
  const std::string line = ResultLine(Numbered(1), std::string(std::size_t{60} << 20, 'x'));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(server_->Send(1, line));
  const auto events = server_->Handle();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].kind, ServerEvent::Kind::kClosed);
  EXPECT_EQ(events[0].reason, "the process does not read its results");
  EXPECT_FALSE(server_->Send(1, line));
}

TEST_F(PluginResultsTest, WhatAPeerSaidBeforeItDiedIsStillRead) {
  std::array<int, 2> hold{};
  ASSERT_EQ(::pipe2(hold.data(), O_CLOEXEC), 0);
  const Fd release(hold[0]);
  Fd held(hold[1]);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    held.Reset();
    const auto fd = ConnectUnix(path_);
    if (!fd) ::_exit(1);
    const std::string text =
        HelloLine(kToken, ::getpid()) + Encode(PluginCall{Numbered(1), "p", "o", {}, {}}) + "\n" + Encode(Bye{}) + "\n";
    ::send(fd->get(), text.data(), text.size(), MSG_NOSIGNAL);
    char byte = 0;
    if (::read(release.get(), &byte, 1) == 0) ::raise(SIGKILL);
    ::_exit(2);
  }
  ServeUntil(ServerEvent::Kind::kConnected);
  held.Reset();
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  // A result that cannot be delivered hides nothing of what is in the socket.
  server_->Send(1, ResultLine(Numbered(1), std::string(std::size_t{1} << 20, 'x')));
  std::vector<ServerEvent> events = ServeUntil(ServerEvent::Kind::kClosed);
  EXPECT_TRUE(events.back().said_bye);
  EXPECT_EQ(events.back().reason, "");
  EXPECT_FALSE(server_->Send(1, ResultLine(Numbered(1), "x")));
}

TEST_F(PluginResultsTest, TheReaderLearnsThatTheParentIsGone) {
  const auto client = Connected();
  ASSERT_TRUE(client);
  Inbox inbox;
  ASSERT_TRUE(inbox.ReadFrom(*client));
  EXPECT_TRUE(client->Send(PluginCall{Numbered(1), "p", "o", {}, {}}));
  ServeUntil(ServerEvent::Kind::kMessage);
  EXPECT_TRUE(server_->Send(1, ResultLine(Numbered(1), "in time")));
  server_.reset();
  EXPECT_TRUE(inbox.WaitForLoss());
  EXPECT_EQ(inbox.TextOf(Numbered(1)), "in time");
  EXPECT_FALSE(client->Send(Bye{}));
}

TEST_F(PluginResultsTest, AParentThatSendsNonsenseIsAsGoodAsGone) {
  const auto client = Connected();
  ASSERT_TRUE(client);
  Inbox inbox;
  ASSERT_TRUE(inbox.ReadFrom(*client));
  EXPECT_TRUE(server_->Send(1, "{\"type\":\"welcome\"}"));
  EXPECT_TRUE(inbox.WaitForLoss());
}

TEST_F(PluginResultsTest, AnEndInOrderIsNoLoss) {
  Inbox inbox;
  auto client = Connected();
  ASSERT_TRUE(client);
  ASSERT_TRUE(inbox.ReadFrom(*client));
  client->Send(Bye{});
  client.reset();
  EXPECT_TRUE(ServeUntil(ServerEvent::Kind::kClosed).back().said_bye);
  EXPECT_FALSE(inbox.lost());
}

TEST_F(PluginResultsTest, APeerAtFaultIsDroppedAtOnce) {
  const auto client = Connected();
  ASSERT_TRUE(client);
  const auto closed = server_->Drop(1, "a plugin call for no call of a tool");
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->kind, ServerEvent::Kind::kClosed);
  EXPECT_EQ(closed->connection, 1U);
  EXPECT_EQ(closed->pid, ::getpid());
  EXPECT_EQ(closed->reason, "a plugin call for no call of a tool");
  EXPECT_TRUE(server_->LivePeers().empty());
  EXPECT_FALSE(server_->Drop(1, "again"));
  EXPECT_FALSE(server_->Drop(0, "nobody"));
  pollfd waiting{client->fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&waiting, 1, 30'000), 1);
  EXPECT_FALSE(client->Send(Bye{}));
}

}  // namespace
}  // namespace awf::channel
