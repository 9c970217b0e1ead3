// Unary calls; streams and the connection itself have files of their own.
// Not in the build for ThreadSanitizer, which does not see the locks of gRPC: all that its threads touch is a race
// there.
#if !defined(__SANITIZE_THREAD__)
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "infrastructure/plugins/test_plugin_server.h"

namespace awf::plugins {
namespace {

using fakes::PluginCall;
using std::chrono::milliseconds;

class GrpcTransportTest : public testing::Test {
 protected:
  // A handler that ends only with its call.
  void HandleHanging(const std::string& method) {
    plugin_.server.Handle(method, [this](PluginCall& call) -> RpcStatus {
      call.Receive();
      ++begun_;
      fakes::WaitForCancel(call);
      ++cancelled_;
      return {kRpcUnknown, "context canceled"};
    });
  }

  std::atomic<int> begun_ = 0, cancelled_ = 0;  // outlive the server
  TestPluginServer plugin_;
  const std::unique_ptr<PluginTransport> transport_ = plugin_.Connect();
};

TEST_F(GrpcTransportTest, AnswerIsWhatThePeerSent) {
  const std::string bytes("\x00\xff\n bytes", 9);
  const UnaryReply reply = Call(*transport_, "/t/Echo", bytes);
  EXPECT_EQ(reply.status.code, kRpcOk);
  EXPECT_EQ(reply.status.message, "");
  EXPECT_EQ(reply.message, bytes);
  const UnaryReply empty = transport_->Unary({"/t/Echo", "", std::nullopt});
  EXPECT_EQ(empty.status.code, kRpcOk);
  EXPECT_EQ(empty.message, "");
  EXPECT_EQ(transport_->LastConnectError(), "");
  EXPECT_EQ(plugin_.server.connections(), 1);
}

TEST_F(GrpcTransportTest, StatusAndTextOfThePeerAreTold) {
  plugin_.server.Handle("/t/Fail", [](PluginCall&) -> RpcStatus { return {9, "caf\xc3\xa9 \xff closed"}; });
  const UnaryReply reply = Call(*transport_, "/t/Fail");
  EXPECT_EQ(reply.status.code, 9);
  EXPECT_EQ(reply.status.message, "caf\xc3\xa9 \xef\xbf\xbd closed");
  EXPECT_FALSE(reply.status.reply_too_large);
  EXPECT_EQ(reply.message, "");
  EXPECT_EQ(Call(*transport_, "/t/Unknown").status.code, kRpcUnimplemented);
}

TEST_F(GrpcTransportTest, MetadataGoesAlongAndWhatIsIllegalDoesNot) {
  std::map<std::string, std::string> seen;
  plugin_.server.Handle("/t/Metadata", [&](PluginCall& call) -> RpcStatus {
    seen = call.metadata();
    call.Send("");
    return {};
  });
  const std::string traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const UnaryReply reply = transport_->Unary({"/t/Metadata",
                                              "",
                                              InTestPatience(),
                                              {},
                                              {{"traceparent", traceparent},
                                               {"tracestate", "a=1\r\nx: y"},
                                               {"Upper", "case"},
                                               {":path", "/other"},
                                               {"", "empty"},
                                               {"some-bin", "bytes"},
                                               {"b\xc3\xa9", "letters"}}});
  EXPECT_EQ(reply.status.code, kRpcOk) << reply.status.message;
  EXPECT_EQ(seen["traceparent"], traceparent);
  for (const char* name : {"tracestate", "Upper", "upper", "", "some-bin", "b\xc3\xa9"})
    EXPECT_FALSE(seen.contains(name)) << name;
}

TEST_F(GrpcTransportTest, ADeadlineThatPassesEndsTheCallOnBothSides) {
  HandleHanging("/t/Hang");
  for (int i = 0; i < 5; ++i) {
    const auto deadline = SteadyClock::now() + milliseconds(200);
    const UnaryReply reply = transport_->Unary({"/t/Hang", "", deadline});
    EXPECT_EQ(reply.status.code, kRpcDeadlineExceeded) << reply.status.message;
    EXPECT_GE(SteadyClock::now(), deadline);
  }
  EXPECT_TRUE(Eventually([&] { return cancelled_ == begun_; }));
}

TEST_F(GrpcTransportTest, APeerThatNamesTheDeadlineOtherwiseIsNotBelieved) {
  const auto deadline = SteadyClock::now() + milliseconds(100);
  plugin_.server.Handle("/t/Late", [deadline](PluginCall& call) -> RpcStatus {
    call.Receive();
    std::this_thread::sleep_until(deadline);
    return {kRpcUnknown, "context deadline exceeded"};
  });
  EXPECT_EQ(transport_->Unary({"/t/Late", "", deadline}).status.code, kRpcDeadlineExceeded);
}

TEST_F(GrpcTransportTest, CancellationReachesThePeer) {
  HandleHanging("/t/Hang");
  std::stop_source stop;
  UnaryReply reply;
  std::jthread caller([&] { reply = transport_->Unary({"/t/Hang", "", InTestPatience(), stop.get_token()}); });
  ASSERT_TRUE(Eventually([&] { return begun_ == 1; }));
  stop.request_stop();
  caller.join();
  EXPECT_EQ(reply.status.code, kRpcCancelled);
  EXPECT_TRUE(Eventually([&] { return cancelled_ == 1; }));
  EXPECT_EQ(Call(*transport_, "/t/Echo", "still there").message, "still there");
}

TEST_F(GrpcTransportTest, ACallThatIsOverAlreadySendsNothing) {
  HandleHanging("/t/Hang");
  EXPECT_EQ(transport_->Unary({"/t/Hang", "", SteadyClock::now()}).status.code, kRpcDeadlineExceeded);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(transport_->Unary({"/t/Hang", "", std::nullopt, stop.get_token()}).status.code, kRpcCancelled);
  EXPECT_EQ(Call(*transport_, "/t/Echo", "later").message, "later");
  EXPECT_EQ(begun_, 0);
}

TEST_F(GrpcTransportTest, SixteenCallsRunAtTheSameTime) {
  plugin_.server.Handle("/t/Meet", [this](PluginCall& call) -> RpcStatus {
    const auto message = call.Receive();
    ++begun_;  // none goes before all have come
    if (!Eventually([&] { return begun_ == 16; })) return {kRpcUnknown, "the others did not come"};
    call.Send("to " + message.value_or("nobody"));
    return {};
  });
  std::vector<UnaryReply> replies(16);
  {
    std::vector<std::jthread> callers;
    for (std::size_t i = 0; i < replies.size(); ++i)
      callers.emplace_back([&, i] { replies[i] = Call(*transport_, "/t/Meet", std::to_string(i)); });
  }
  for (std::size_t i = 0; i < replies.size(); ++i) {
    EXPECT_EQ(replies[i].status.message, "");
    EXPECT_EQ(replies[i].message, "to " + std::to_string(i));
  }
  EXPECT_EQ(plugin_.server.connections(), 1);
}

TEST_F(GrpcTransportTest, ARepliesSizeEndsAt64MiB) {
  plugin_.server.HandleUnary("/t/Size",
                             [](std::string_view size) { return std::string(std::stoul(std::string(size)), 'x'); });
  const UnaryReply largest = Call(*transport_, "/t/Size", "67108864");
  EXPECT_EQ(largest.status.code, kRpcOk) << largest.status.message;
  EXPECT_TRUE(largest.message == std::string(67'108'864, 'x'));
  const UnaryReply larger = Call(*transport_, "/t/Size", "67108865");
  EXPECT_EQ(larger.status.code, kRpcResourceExhausted);
  EXPECT_TRUE(larger.status.reply_too_large) << larger.status.message;
  EXPECT_EQ(larger.message, "");
  EXPECT_EQ(Call(*transport_, "/t/Echo", "goes on").message, "goes on");
}

TEST_F(GrpcTransportTest, ARequestsSizeEndsAt64MiB) {
  plugin_.server.HandleUnary("/t/Measure", [](std::string_view message) { return std::to_string(message.size()); });
  const std::string message(67'108'865, 'x');
  EXPECT_EQ(Call(*transport_, "/t/Measure", std::string_view(message).substr(1)).message, "67108864");
  const UnaryReply larger = Call(*transport_, "/t/Measure", message);
  EXPECT_EQ(larger.status.code, kRpcResourceExhausted);
  EXPECT_FALSE(larger.status.reply_too_large);
  EXPECT_EQ(larger.status.message, "Sent message larger than max (67108865 vs. 67108864)");
}

TEST_F(GrpcTransportTest, APeersOwnLimitIsNoLargeReply) {
  plugin_.server.Handle("/t/Limit", [](PluginCall&) -> RpcStatus {
    return {kRpcResourceExhausted, "grpc: received message larger than max (8388632 vs. 4194304)"};
  });
  const UnaryReply reply = Call(*transport_, "/t/Limit");
  EXPECT_EQ(reply.status.code, kRpcResourceExhausted);
  EXPECT_FALSE(reply.status.reply_too_large);
}

TEST_F(GrpcTransportTest, APeerThatDiesDuringACallIsUnavailable) {
  HandleHanging("/t/Hang");
  std::vector<UnaryReply> replies(3);
  {
    std::vector<std::jthread> callers;
    for (UnaryReply& reply : replies) callers.emplace_back([&] { reply = Call(*transport_, "/t/Hang"); });
    EXPECT_TRUE(Eventually([&] { return begun_ == 3; }));
    plugin_.server.Die();
  }
  for (const UnaryReply& reply : replies) EXPECT_EQ(reply.status.code, kRpcUnavailable) << reply.status.message;
  EXPECT_EQ(Call(*transport_, "/t/Echo").status.code, kRpcUnavailable);
}

}  // namespace
}  // namespace awf::plugins

#endif
