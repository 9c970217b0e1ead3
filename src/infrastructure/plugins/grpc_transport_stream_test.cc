// Streams, and what Close does to them and to calls.
// Not in the build for ThreadSanitizer, which does not see the locks of gRPC: all that its threads touch is a race
// there.
#if !defined(__SANITIZE_THREAD__)
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "infrastructure/plugins/test_plugin_server.h"

namespace awf::plugins {
namespace {

using fakes::PluginCall;

// What a stream has told so far.
class Heard {
 public:
  std::function<void(std::string_view)> received() {
    return [this](std::string_view message) {
      const std::lock_guard lock(mutex_);
      EXPECT_FALSE(ended_) << "a message after the end";
      messages_.emplace_back(message);
    };
  }
  std::function<void(const RpcStatus&)> ended() {
    return [this](const RpcStatus& status) {
      const std::lock_guard lock(mutex_);
      EXPECT_FALSE(ended_) << "a second end";
      ended_ = status;
      changed_.notify_all();
    };
  }
  // -1: it goes on.
  int WaitForEnd() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kTestPatience, [this] { return ended_.has_value(); }) ? ended_->code : -1;
  }
  bool has_ended() {
    const std::lock_guard lock(mutex_);
    return ended_.has_value();
  }
  std::vector<std::string> messages() {
    const std::lock_guard lock(mutex_);
    return messages_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> messages_;
  std::optional<RpcStatus> ended_;
};

class GrpcTransportStreamTest : public testing::Test {
 protected:
  GrpcTransportStreamTest() {
    // Sends what it gets twice, then stays.
    plugin_.server.Handle("/t/Watch", [this](PluginCall& call) -> RpcStatus {
      const std::string message = call.Receive().value_or("nothing");
      call.Send(message + " 1");
      call.Send(message + " 2");
      fakes::WaitForCancel(call);
      ++cancelled_;
      return {};
    });
  }

  std::atomic<int> cancelled_ = 0;
  Heard heard_, other_;
  TestPluginServer plugin_;
  const std::unique_ptr<PluginTransport> transport_ = plugin_.Connect();
};

TEST_F(GrpcTransportStreamTest, MessagesOfAServerStreamComeInOrderAndThenItsEnd) {
  plugin_.server.Handle("/t/Count", [](PluginCall& call) -> RpcStatus {
    const auto count = call.Receive();
    EXPECT_EQ(call.Receive(), std::nullopt) << "the client sends one message and says that it is the last";
    for (int i = 0; i < std::stoi(count.value_or("0")); ++i) call.Send(std::to_string(i));
    return {kRpcUnknown, "enough"};
  });
  transport_->ServerStream("/t/Count", "1000", heard_.received(), heard_.ended());
  EXPECT_EQ(heard_.WaitForEnd(), kRpcUnknown);
  const auto messages = heard_.messages();
  ASSERT_EQ(messages.size(), 1000U);
  for (std::size_t i = 0; i < messages.size(); ++i) EXPECT_EQ(messages[i], std::to_string(i));
}

TEST_F(GrpcTransportStreamTest, ABidiStreamSendsNothingAndStaysOpen) {
  plugin_.server.Handle("/t/Both", [](PluginCall& call) -> RpcStatus {
    call.Send("hello");
    return {kRpcOk, call.Receive() ? "a message" : "none"};
  });
  transport_->BidiStream("/t/Both", heard_.received(), heard_.ended());
  ASSERT_TRUE(Eventually([&] { return heard_.messages().size() == 1; }));
  EXPECT_EQ(heard_.messages(), std::vector<std::string>{"hello"});
  EXPECT_EQ(Call(*transport_, "/t/Echo", "meanwhile").message, "meanwhile");
  EXPECT_FALSE(heard_.has_ended());
  transport_->Close();
  EXPECT_EQ(heard_.WaitForEnd(), kRpcCancelled);
}

TEST_F(GrpcTransportStreamTest, StreamsThatAPeerDoesNotKnowEndSo) {
  transport_->ServerStream("/t/Unknown", "", heard_.received(), heard_.ended());
  EXPECT_EQ(heard_.WaitForEnd(), kRpcUnimplemented);
  transport_->BidiStream("/t/Unknown", other_.received(), other_.ended());
  EXPECT_EQ(other_.WaitForEnd(), kRpcUnimplemented);
  EXPECT_EQ(Call(*transport_, "/t/Echo", "goes on").message, "goes on");
}

TEST_F(GrpcTransportStreamTest, APeerThatDiesEndsTheStream) {
  transport_->ServerStream("/t/Watch", "w", heard_.received(), heard_.ended());
  ASSERT_TRUE(Eventually([&] { return heard_.messages().size() == 2; }));
  plugin_.server.Die();
  EXPECT_EQ(heard_.WaitForEnd(), kRpcUnavailable);
}

TEST_F(GrpcTransportStreamTest, APeerThatDoesNotWaitForOurMessageIsHeardToTheEnd) {
  plugin_.server.Handle("/t/Hasty", [](PluginCall& call) -> RpcStatus {
    call.Send("1");
    call.Send("2");
    return {9, "no time"};
  });
  for (int i = 0; i < 50; ++i) {  // which of the two is faster varies
    Heard heard;
    transport_->ServerStream("/t/Hasty", std::string(200'000, 'x'), heard.received(), heard.ended());
    ASSERT_EQ(heard.WaitForEnd(), 9) << i;
    ASSERT_EQ(heard.messages(), (std::vector<std::string>{"1", "2"})) << i;
  }
}

TEST_F(GrpcTransportStreamTest, AMessageMayCallBack) {
  plugin_.server.Handle("/t/Short", [](PluginCall& call) -> RpcStatus {
    call.Send("x");
    return {};
  });
  std::string called;
  transport_->ServerStream(
      "/t/Short", "", [&](std::string_view message) { called = Call(*transport_, "/t/Echo", message).message; },
      heard_.ended());
  EXPECT_EQ(heard_.WaitForEnd(), kRpcOk);
  EXPECT_EQ(called, "x");
}

TEST_F(GrpcTransportStreamTest, CloseEndsCallsAndStreams) {
  std::atomic<int> begun = 0;
  plugin_.server.Handle("/t/Hang", [&](PluginCall& call) -> RpcStatus {
    ++begun;
    fakes::WaitForCancel(call);
    ++cancelled_;
    return {};
  });
  transport_->ServerStream("/t/Watch", "w", heard_.received(), heard_.ended());
  transport_->BidiStream("/t/Watch", other_.received(), other_.ended());
  std::vector<UnaryReply> replies(4);
  std::vector<std::jthread> callers;
  for (UnaryReply& reply : replies) callers.emplace_back([&] { reply = Call(*transport_, "/t/Hang"); });
  ASSERT_TRUE(Eventually([&] { return begun == 4 && heard_.messages().size() == 2; }));
  transport_->Close();
  EXPECT_TRUE(heard_.has_ended());
  EXPECT_TRUE(other_.has_ended());
  EXPECT_EQ(heard_.WaitForEnd(), kRpcCancelled);
  EXPECT_EQ(other_.WaitForEnd(), kRpcCancelled);
  callers.clear();
  for (const UnaryReply& reply : replies) EXPECT_EQ(reply.status.code, kRpcCancelled) << reply.status.message;
  EXPECT_TRUE(Eventually([&] { return cancelled_ >= 5; })) << "four calls and the stream that got its message";
}

TEST_F(GrpcTransportStreamTest, AClosedTransportCancelsWhatComesLater) {
  EXPECT_EQ(Call(*transport_, "/t/Echo").status.code, kRpcOk);
  transport_->Close();
  transport_->Close();
  EXPECT_EQ(Call(*transport_, "/t/Echo").status.code, kRpcCancelled);
  transport_->ServerStream("/t/Watch", "", heard_.received(), heard_.ended());
  EXPECT_TRUE(heard_.has_ended());
  EXPECT_EQ(heard_.WaitForEnd(), kRpcCancelled);
  transport_->BidiStream("/t/Watch", other_.received(), other_.ended());
  EXPECT_EQ(other_.WaitForEnd(), kRpcCancelled);
  EXPECT_EQ(heard_.messages().size() + other_.messages().size(), 0U);
}

TEST_F(GrpcTransportStreamTest, ClosingWhileOthersCallIsSafe) {
  for (int i = 0; i < 20; ++i) {
    const auto transport = plugin_.Connect();
    Heard heard;
    std::vector<std::jthread> callers;
    for (int j = 0; j < 4; ++j) {
      callers.emplace_back([&] {
        int code = kRpcOk;
        while (code == kRpcOk) code = Call(*transport, "/t/Echo", "x").status.code;
        EXPECT_EQ(code, kRpcCancelled);
      });
    }
    callers.emplace_back([&] { transport->ServerStream("/t/Watch", "w", heard.received(), heard.ended()); });
    callers.emplace_back([&] { transport->Close(); });
    transport->Close();
    callers.clear();
    EXPECT_EQ(heard.WaitForEnd(), kRpcCancelled);
  }
}

std::size_t OpenDescriptors() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) count += entry.is_symlink() ? 1U : 0U;
  return count;
}

// gRPC closes them a little later, on threads of its own.
TEST(GrpcTransportDescriptorTest, NoneIsLeftBehind) {
  const auto use = [] {
    const TestPluginServer plugin;
    Heard heard;
    const auto transport = plugin.Connect();
    EXPECT_EQ(Call(*transport, "/t/Echo", "x").message, "x");
    transport->BidiStream("/t/Unknown", heard.received(), heard.ended());
    heard.WaitForEnd();
    PluginEndpoint wrong = plugin.endpoint();
    wrong.peer_certificate = plugin.of_awf.certificate;
    EXPECT_EQ(Call(*ConnectGrpc(wrong), "/t/Echo").status.code, kRpcUnavailable);
  };
  use();  // some stay open for the life of the process
  const std::size_t before = OpenDescriptors();
  for (int i = 0; i < 10; ++i) use();
  EXPECT_TRUE(Eventually([&] { return OpenDescriptors() <= before; })) << OpenDescriptors() << " after " << before;
}

}  // namespace
}  // namespace awf::plugins

#endif
