#include "infrastructure/agents/plugin_calls.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <stdexcept>

namespace awf::agents {
namespace {

using std::chrono::seconds;

// forge_create and forge_list, which do what the test says.
class ForgeTools final : public ToolProvider {
 public:
  std::vector<ToolDefinition> Tools() const override {
    std::vector<ToolDefinition> tools(2);
    tools[0].name = "forge_create";
    tools[1].name = "forge_list";
    for (ToolDefinition& tool : tools) tool.source = "plugin:forge";
    return tools;
  }
  ToolResult Call(const ToolCall& call) override { return on_call(call); }

  std::function<ToolResult(const ToolCall&)> on_call = [](const ToolCall& call) {
    return ToolResult::Text(std::string(call.tool) + " " + call.id + " " + json::serialize(call.arguments));
  };
};

ToolResult UntilCancelled(const ToolCall& call) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any never;
  never.wait(lock, call.cancelled, [] { return false; });
  ToolResult result = ToolResult::Failure("cancelled");
  result.fields.cancelled = true;
  return result;
}

constexpr const char* kOne = "0000000000000001";
constexpr const char* kTwo = "0000000000000002";

class PluginCallsTest : public testing::Test {
 protected:
  std::expected<void, std::string> Start(std::uint64_t connection, const CallId& call,
                                         const std::string& operation = "create") {
    CallRecord started;
    started.call = call;
    started.tool = "forge_" + operation;
    started.source = "plugin:forge";
    started.time = WallClock::now() - seconds(1);
    return calls_->Start(connection, {call, "forge", operation, {{"n", 1}}, {}}, &started);
  }
  // Waits until as many results are there.
  std::vector<PluginCalls::Result> Take(std::size_t count = 1) {
    std::vector<PluginCalls::Result> results;
    const auto until = SteadyClock::now() + seconds(60);
    while (results.size() < count && SteadyClock::now() < until) {
      pollfd waiting{calls_->fd(), POLLIN, 0};
      ::poll(&waiting, 1, 1000);
      for (PluginCalls::Result& result : calls_->Take()) results.push_back(std::move(result));
    }
    EXPECT_EQ(results.size(), count);
    return results;
  }
  static channel::PluginResult Decoded(const PluginCalls::Result& result) {
    auto decoded = channel::DecodeResult(result.line);
    EXPECT_TRUE(decoded) << decoded.error();
    return decoded ? std::move(*decoded) : channel::PluginResult();
  }
  static std::string Text(const channel::PluginResult& result) {
    return std::get<TextContent>(result.result.content.at(0)).text;
  }

  std::shared_ptr<ForgeTools> tools_ = std::make_shared<ForgeTools>();
  std::unique_ptr<PluginCalls> calls_ =
      std::make_unique<PluginCalls>(std::vector<std::shared_ptr<ToolProvider>>{tools_}, Deadline());
};

TEST_F(PluginCallsTest, KnowsPluginAndOperationOfEachTool) {
  ASSERT_EQ(calls_->tools().size(), 2U);
  EXPECT_EQ(calls_->tools()[0].plugin, "forge");
  EXPECT_EQ(calls_->tools()[0].operation, "create");
  EXPECT_EQ(calls_->tools()[1].definition.name, "forge_list");
}

TEST_F(PluginCallsTest, RunsACallAndKeepsItsResult) {
  ASSERT_TRUE(Start(3, kOne));
  const auto results = Take();
  EXPECT_EQ(results[0].connection, 3U);
  const channel::PluginResult result = Decoded(results[0]);
  EXPECT_EQ(result.call, kOne);
  EXPECT_EQ(Text(result), "forge_create 0000000000000001 {\"n\":1}");
  EXPECT_TRUE(calls_->Take().empty());
}

TEST_F(PluginCallsTest, TheRpcCountsFromTheStartOfTheCallOnTheServer) {
  tools_->on_call = [](const ToolCall&) {
    ToolResult result = ToolResult::Text("x");
    result.fields.rpc = RpcRecord{"s", "m", 0, std::chrono::microseconds(5), std::chrono::microseconds(7)};
    return result;
  };
  ASSERT_TRUE(Start(1, kOne));  // a second after it began
  const auto rpc = Decoded(Take().at(0)).result.fields.rpc;
  ASSERT_TRUE(rpc);
  EXPECT_GE(rpc->begin, seconds(1) + std::chrono::microseconds(5));
  EXPECT_EQ(rpc->duration, std::chrono::microseconds(7));
}

TEST_F(PluginCallsTest, TheSoonerDeadlineCounts) {
  std::vector<Deadline> seen;
  tools_->on_call = [&](const ToolCall& call) {
    seen.push_back(call.deadline);
    return ToolResult::Text("x");
  };
  const auto now = SteadyClock::now();
  calls_ = std::make_unique<PluginCalls>(std::vector<std::shared_ptr<ToolProvider>>{tools_}, now + seconds(50));
  CallRecord started;
  started.tool = "forge_create";
  started.source = "plugin:forge";
  ASSERT_TRUE(calls_->Start(1, {kOne, "forge", "create", {}, now + seconds(5)}, &started));
  Take();
  ASSERT_TRUE(calls_->Start(1, {kTwo, "forge", "create", {}, now + seconds(500)}, &started));
  Take();
  EXPECT_EQ(seen, (std::vector<Deadline>{now + seconds(5), now + seconds(50)}));
}

TEST_F(PluginCallsTest, AHundredCallsRunAtTheSameTime) {
  constexpr int kCalls = 100;
  std::atomic<int> running = 0;
  tools_->on_call = [&](const ToolCall& call) {
    ++running;
    const auto until = SteadyClock::now() + seconds(60);
    while (running < kCalls && SteadyClock::now() < until) std::this_thread::yield();
    return ToolResult::Text(call.id);
  };
  for (int i = 0; i < kCalls; ++i) {
    std::string id = std::to_string(i);
    ASSERT_TRUE(Start(1, std::string(16 - id.size(), '0') + id));
  }
  for (const PluginCalls::Result& result : Take(kCalls)) {
    const channel::PluginResult decoded = Decoded(result);
    EXPECT_EQ(Text(decoded), decoded.call);
  }
  EXPECT_EQ(running, kCalls);
}

TEST_F(PluginCallsTest, WhatWasNotToldOrIsNotExposedIsThePeersFault) {
  CallRecord started;
  started.tool = "forge_create";
  started.source = "plugin:forge";
  const auto fault = [&](const char* plugin, const char* operation, const CallRecord* told) {
    const auto result = calls_->Start(1, {kOne, plugin, operation, {}, {}}, told);
    return result ? "none" : result.error();
  };
  EXPECT_EQ(fault("forge", "create", nullptr), "a plugin call without a call of a tool");
  EXPECT_EQ(fault("forge", "delete", &started), "a plugin call of what this step does not expose");
  EXPECT_EQ(fault("other", "create", &started), "a plugin call of what this step does not expose");
  EXPECT_EQ(fault("forge", "list", &started), "a plugin call of another tool than was told");
  started.source = "builtin";
  EXPECT_EQ(fault("forge", "create", &started), "a plugin call of another tool than was told");
  started.source = "plugin:forge";
  EXPECT_EQ(fault("forge", "create", &started), "none");
  EXPECT_EQ(fault("forge", "create", &started), "a second plugin call for one call of a tool");
  Take();
  EXPECT_EQ(fault("forge", "create", &started), "a second plugin call for one call of a tool");
}

TEST_F(PluginCallsTest, ACancelledCallIsAnsweredAllTheSame) {
  tools_->on_call = UntilCancelled;
  ASSERT_TRUE(Start(1, kOne));
  ASSERT_TRUE(Start(1, kTwo));
  calls_->Cancel(1, kTwo);
  calls_->Cancel(2, kOne);  // of another server
  calls_->Cancel(1, "0000000000000003");
  const channel::PluginResult result = Decoded(Take().at(0));
  EXPECT_EQ(result.call, kTwo);
  EXPECT_TRUE(result.result.fields.cancelled);
  calls_->CancelAll();
  EXPECT_EQ(Decoded(Take().at(0)).call, kOne);
}

TEST_F(PluginCallsTest, OfAServerThatIsGoneNothingIsKept) {
  tools_->on_call = UntilCancelled;
  ASSERT_TRUE(Start(1, kOne));
  ASSERT_TRUE(Start(1, kTwo));
  ASSERT_TRUE(Start(2, kOne));
  calls_->Close(1);
  calls_->Cancel(2, kOne);
  const auto results = Take();
  EXPECT_EQ(results[0].connection, 2U);
  // That both others have ended is seen by the end of the object: it waits for them.
}

TEST_F(PluginCallsTest, AfterTheCallOfTheToolItsIdentifierIsFree) {
  ASSERT_TRUE(Start(1, kOne));
  Take();
  calls_->Finished(1, kOne);
  EXPECT_TRUE(Start(1, kOne));
  Take();
}

TEST_F(PluginCallsTest, WhatAToolThrowsIsAnError) {
  tools_->on_call = [](const ToolCall&) -> ToolResult { throw std::runtime_error("details"); };
  ASSERT_TRUE(Start(1, kOne));
  const channel::PluginResult result = Decoded(Take().at(0));
  EXPECT_TRUE(result.result.is_error);
  EXPECT_EQ(Text(result), "internal error in tool forge_create");
  EXPECT_EQ(result.result.fields.log_error, "internal error in tool forge_create: details");
}

TEST_F(PluginCallsTest, AResultThatNoLineHoldsIsAnError) {
  tools_->on_call = [](const ToolCall&) { return ToolResult::Text(std::string((std::size_t{64} << 20) + 1, 'x')); };
  ASSERT_TRUE(Start(1, kOne));
  const channel::PluginResult result = Decoded(Take().at(0));
  EXPECT_TRUE(result.result.is_error);
  EXPECT_EQ(Text(result).find("forge: result too large ("), 0U);
}

TEST_F(PluginCallsTest, NoneRunsWhenItIsGone) {
  std::atomic<int> ended = 0;
  tools_->on_call = [&](const ToolCall& call) {
    ToolResult result = UntilCancelled(call);
    ++ended;
    return result;
  };
  ASSERT_TRUE(Start(1, kOne));
  ASSERT_TRUE(Start(2, kTwo));
  calls_.reset();
  EXPECT_EQ(ended, 2);
}

}  // namespace
}  // namespace awf::agents
