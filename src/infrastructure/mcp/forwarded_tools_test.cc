// Calls of plugin tools as a server of a step makes them, with this test as the awf run that answers.
#include "infrastructure/mcp/forwarded_tools.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <functional>
#include <thread>

#include "domain/random_id.h"
#include "domain/test_folder.h"
#include "infrastructure/step_channel/line_buffer.h"

namespace awf {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// awf run: serves the channel on a thread of its own, and answers as it is told.
class Parent {
 public:
  using Handler = std::function<void(channel::StepChannelServer&, const channel::ServerEvent&)>;

  Parent(const std::filesystem::path& path, Handler handler) : handler_(std::move(handler)) {
    auto server = channel::StepChannelServer::Listen(path, "token");
    EXPECT_TRUE(server);
    server_ = std::move(*server);
    thread_ = std::thread([this] { Serve(); });
  }
  ~Parent() { End(); }
  void End() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
    server_.reset();
  }

 private:
  void Serve() {
    while (!stopping_) {
      std::vector<pollfd> waiting;
      server_->AddFds(waiting);
      ::poll(waiting.data(), waiting.size(), 10);
      for (const channel::ServerEvent& event : server_->Handle()) handler_(*server_, event);
    }
  }

  Handler handler_;
  std::unique_ptr<channel::StepChannelServer> server_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

template <typename T>
const T* As(const channel::ServerEvent& event) {
  return event.message ? std::get_if<T>(&*event.message) : nullptr;
}

std::vector<ForwardedTool> SomeTools() {
  ForwardedTool tool;
  tool.definition.name = "forge_create";
  tool.definition.source = "plugin:forge";
  tool.plugin = "forge";
  tool.operation = "create";
  return {tool};
}

class ForwardedToolsTest : public testing::Test {
 protected:
  // The parent ends with what is returned, before what its handler refers to.
  [[nodiscard]] std::unique_ptr<Parent> Start(Parent::Handler handler) {
    auto parent = std::make_unique<Parent>(folder_ / "channel", std::move(handler));
    auto client = channel::StepChannelClient::Connect(folder_ / "channel", "token");
    EXPECT_TRUE(client) << client.error().message;
    if (!client) return parent;
    client_ = std::move(*client);
    tools_ = std::make_shared<ForwardedTools>(*client_, SomeTools());
    EXPECT_TRUE(client_->ReadResults([tools = tools_](auto result) { tools->Answer(std::move(result)); },
                                     [tools = tools_] { tools->Lose(); }));
    return parent;
  }
  // Every call is answered with its arguments.
  [[nodiscard]] std::unique_ptr<Parent> StartEcho() {
    return Start([](channel::StepChannelServer& server, const channel::ServerEvent& event) {
      const auto* call = As<channel::PluginCall>(event);
      if (call == nullptr) return;
      ToolResult result = ToolResult::Text(json::serialize(call->arguments));
      result.fields.rpc = RpcRecord{"s", call->plugin + "/" + call->operation, 0, {}, milliseconds(3)};
      server.Send(event.connection, channel::EncodeResult({call->call, std::move(result)}));
    });
  }
  ToolResult Call(const json::object& arguments = {}, std::stop_token cancelled = {}, Deadline deadline = {}) {
    return tools_->Call({RandomHex(8), "forge_create", arguments, deadline, std::move(cancelled)});
  }
  static std::string Text(const ToolResult& result) { return std::get<TextContent>(result.content.at(0)).text; }

  const TestFolder folder_;
  std::unique_ptr<channel::StepChannelClient> client_;  // its thread ends before the tools do
  std::shared_ptr<ForwardedTools> tools_;
};

TEST_F(ForwardedToolsTest, OffersWhatItWasGiven) {
  const auto parent = StartEcho();
  ASSERT_EQ(tools_->Tools().size(), 1U);
  EXPECT_EQ(tools_->Tools()[0].name, "forge_create");
  EXPECT_EQ(tools_->Tools()[0].source, "plugin:forge");
}

TEST_F(ForwardedToolsTest, ACallIsRunByTheParent) {
  const auto parent = StartEcho();
  const ToolResult result = Call({{"n", 7}}, {}, SteadyClock::now() + seconds(60));
  EXPECT_FALSE(result.is_error);
  EXPECT_EQ(Text(result), R"({"n":7})");
  EXPECT_EQ(result.fields.rpc, (RpcRecord{"s", "forge/create", 0, {}, milliseconds(3)}));
}

TEST_F(ForwardedToolsTest, AHundredCallsAtOnce) {
  // Answered together and backwards, once all have come.
  constexpr std::size_t kCalls = 100;
  std::vector<channel::PluginCall> came;
  const auto parent = Start([&](channel::StepChannelServer& server, const channel::ServerEvent& event) {
    if (const auto* call = As<channel::PluginCall>(event)) came.push_back(*call);
    if (came.size() < kCalls) return;
    for (; !came.empty(); came.pop_back()) {
      const ToolResult result = ToolResult::Text(json::serialize(came.back().arguments));
      server.Send(event.connection, channel::EncodeResult({came.back().call, result}));
    }
  });
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (std::size_t i = 0; i < kCalls; ++i) {
    threads.emplace_back([&, i] {
      if (Text(Call({{"i", i}})) == "{\"i\":" + std::to_string(i) + "}") ++right;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, static_cast<int>(kCalls));
}

TEST_F(ForwardedToolsTest, AResultOfTenMebibytesArrivesWhole) {
  const std::string large(std::size_t{10} << 20, 'x');
  const auto parent = Start([&](channel::StepChannelServer& server, const channel::ServerEvent& event) {
    const auto* call = As<channel::PluginCall>(event);
    if (call != nullptr) server.Send(event.connection, channel::EncodeResult({call->call, ToolResult::Text(large)}));
  });
  EXPECT_EQ(Text(Call()), large);
}

TEST_F(ForwardedToolsTest, CancelIsPassedOnAndTheRpcIsKept) {
  std::stop_source stop;
  const auto parent = Start([&](channel::StepChannelServer& server, const channel::ServerEvent& event) {
    if (As<channel::PluginCall>(event) != nullptr) stop.request_stop();
    const auto* cancel = As<channel::PluginCancel>(event);
    if (cancel == nullptr) return;
    ToolResult result = ToolResult::Failure("cancelled");
    result.fields.cancelled = true;
    result.fields.rpc = RpcRecord{"s", "m", 1, {}, {}};
    server.Send(event.connection, channel::EncodeResult({cancel->call, std::move(result)}));
  });
  const ToolResult result = Call({}, stop.get_token());
  EXPECT_TRUE(result.is_error);
  EXPECT_TRUE(result.fields.cancelled);
}

TEST_F(ForwardedToolsTest, ACancelledCallWaitsForNobody) {
  std::stop_source stop;
  std::atomic<int> cancels = 0;
  const auto parent = Start([&](channel::StepChannelServer&, const channel::ServerEvent& event) {
    if (As<channel::PluginCall>(event) != nullptr) stop.request_stop();
    if (As<channel::PluginCancel>(event) != nullptr) ++cancels;
  });
  const ToolResult result = Call({}, stop.get_token());
  EXPECT_TRUE(result.fields.cancelled);
  EXPECT_EQ(Text(result), "cancelled by client");
  const auto until = SteadyClock::now() + seconds(30);
  while (cancels == 0 && SteadyClock::now() < until) std::this_thread::yield();
  EXPECT_EQ(cancels, 1);
}

TEST_F(ForwardedToolsTest, ALateResultIsDropped) {
  std::stop_source stop;
  CallId first;
  const auto parent = Start([&](channel::StepChannelServer& server, const channel::ServerEvent& event) {
    const auto* call = As<channel::PluginCall>(event);
    if (call == nullptr) return;
    if (first.empty()) {
      first = call->call;
      stop.request_stop();
      return;
    }
    server.Send(event.connection, channel::EncodeResult({first, ToolResult::Text("late")}));
    server.Send(event.connection, channel::EncodeResult({call->call, ToolResult::Text("mine")}));
  });
  EXPECT_TRUE(Call({}, stop.get_token()).fields.cancelled);
  EXPECT_EQ(Text(Call()), "mine");
}

TEST_F(ForwardedToolsTest, TheDeadlineTravelsAndEndsACallThatIsNotAnswered) {
  Deadline came;
  const auto parent = Start([&](channel::StepChannelServer&, const channel::ServerEvent& event) {
    if (const auto* call = As<channel::PluginCall>(event)) came = call->deadline;
  });
  const auto deadline = std::chrono::floor<milliseconds>(SteadyClock::now());
  const ToolResult result = Call({}, {}, deadline);
  EXPECT_TRUE(result.fields.timed_out);
  EXPECT_FALSE(result.fields.cancelled);
  EXPECT_EQ(Text(result).find("forge: no answer within "), 0U);
  parent->End();
  EXPECT_EQ(came, Deadline(deadline));
}

TEST_F(ForwardedToolsTest, CallsEndAsLostWhenTheParentGoes) {
  std::atomic<int> came = 0;
  const auto parent = Start([&](channel::StepChannelServer&, const channel::ServerEvent& event) {
    if (As<channel::PluginCall>(event) != nullptr) ++came;
  });
  std::vector<std::thread> threads;
  std::atomic<int> lost = 0;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      const ToolResult result = Call();
      if (result.is_error && result.fields.lost) ++lost;
    });
  }
  const auto until = SteadyClock::now() + seconds(60);
  while (came < 3 && SteadyClock::now() < until) std::this_thread::yield();
  parent->End();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(lost, 3);
  const ToolResult later = Call();
  EXPECT_TRUE(later.fields.lost);
  EXPECT_EQ(Text(later), "awf, which runs the plugins, is gone. Whether the call had an effect is not known.");
}

TEST_F(ForwardedToolsTest, ArgumentsThatAreTooLargeAreTheModelsFault) {
  const auto parent = StartEcho();
  const ToolResult result = Call({{"text", std::string(channel::kMaxLine, 'x')}});
  EXPECT_TRUE(result.is_error);
  EXPECT_FALSE(result.fields.lost);
  EXPECT_EQ(Text(result).find("forge: arguments too large ("), 0U);
  EXPECT_EQ(Text(Call({{"n", 1}})), R"({"n":1})");
}

}  // namespace
}  // namespace awf
