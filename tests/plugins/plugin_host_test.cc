// The host with a real plugin: the SDK's demo plugin, gRPC with mutual TLS.
#include "infrastructure/plugins/plugin_host.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "domain/test_folder.h"
#include "infrastructure/process/environment.h"
#include "infrastructure/process/process_test_support.h"

namespace awf::plugins {
namespace {

using process::Eventually;
using std::chrono::milliseconds;
using Ending = OperationResult::Ending;
using Strings = std::vector<std::string>;

class DemoPluginTest : public ::testing::Test {
 protected:
  DemoPluginTest() { process::BecomeSubreaper(); }

  void TearDown() override {
    host_.reset();
    EXPECT_EQ(process::KillStrayChildren(), 0);
    EXPECT_TRUE(std::filesystem::is_empty(sockets_.path()));
  }

  PluginHost& host() {
    if (host_) return *host_;
    PluginHostOptions options;
    options.environment = process::CurrentEnvironment();
    options.private_folder = sockets_.path();
    options.logged = [this](LogLevel, std::string_view message, const json::object&) {
      const std::lock_guard lock(mutex_);
      logged_.emplace_back(message);
    };
    options.stopped = [this](const PluginEnd& end) {
      const std::lock_guard lock(mutex_);
      ends_.push_back(end);
    };
    options.stage = [this](std::string_view, const StartStage& stage) {
      const std::lock_guard lock(mutex_);
      stages_.push_back(std::string(stage.name) + ": " + stage.detail);
    };
    host_ = std::make_unique<PluginHost>(std::move(options));
    return *host_;
  }

  static PluginLaunch Demo(const std::string& name = "demo") {
    PluginLaunch launch;
    launch.name = name;
    launch.executable = std::getenv("AWF_DEMO_PLUGIN");
    launch.start_timeout = std::chrono::seconds{60};
    return launch;
  }

  std::expected<StartedPlugin, Error> Start(const PluginLaunch& launch) {
    return host().Start(std::span(&launch, 1), {}, {})[0];
  }
  std::shared_ptr<OperationProvider> Running(const PluginLaunch& launch) {
    auto started = Start(launch);
    EXPECT_TRUE(started) << started.error().message;
    if (!started) ::abort();
    return started->provider;
  }

  static OperationResult Call(OperationProvider& plugin, std::string_view operation, const json::object& inputs = {},
                              Deadline deadline = {}, const std::stop_token& cancelled = {},
                              std::string traceparent = {}) {
    return plugin.Execute(
        {"0123456789abcdef", operation, inputs, deadline, cancelled, std::move(traceparent), std::string()});
  }

  bool HasLogged(const std::string& message) {
    const std::lock_guard lock(mutex_);
    return std::ranges::find(logged_, message) != logged_.end();
  }
  std::size_t EndsSeen() {
    const std::lock_guard lock(mutex_);
    return ends_.size();
  }

  TestFolder sockets_{"/tmp"}, elsewhere_{"/tmp"}, folder_;
  std::mutex mutex_;
  Strings logged_, stages_;
  std::vector<PluginEnd> ends_;
  std::unique_ptr<PluginHost> host_;
};

TEST_F(DemoPluginTest, StartsWithMutualTls) {
  const auto started = Start(Demo());
  ASSERT_TRUE(started) << started.error().message;
  EXPECT_TRUE(started->start.tls);
  EXPECT_EQ(started->start.plugin, "demo");
  EXPECT_EQ(started->start.version, "0.1.0");
  EXPECT_EQ(started->start.sha256.size(), 64U);
  Strings names;
  for (const Operation& operation : started->provider->Operations()) names.push_back(operation.name);
  EXPECT_NE(std::ranges::find(names, "add"), names.end());
  ASSERT_EQ(stages_.size(), 8U);
  EXPECT_EQ(stages_[3], "tls: mutual, P-256");
  EXPECT_EQ(stages_[5], "info: demo 0.1.0");
  EXPECT_EQ(stages_[7], "operations: " + std::to_string(names.size()) + " operations");
}

TEST_F(DemoPluginTest, WithoutTls) {
  PluginLaunch launch = Demo();
  launch.tls_required = false;
  const auto started = Start(launch);
  ASSERT_TRUE(started) << started.error().message;
  EXPECT_FALSE(started->start.tls);
  EXPECT_EQ(Call(*started->provider, "echo", {{"text", "hi"}}).output, "hi");
}

TEST_F(DemoPluginTest, CallsAreAnswered) {
  const auto plugin = Running(Demo());
  const OperationResult sum = Call(*plugin, "add", {{"a", 2}, {"b", 40}});
  EXPECT_EQ(sum.ending, Ending::kAnswered);
  EXPECT_TRUE(sum.success);
  EXPECT_EQ(json::serialize(sum.data), R"({"sum":42})");
  const std::string traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  EXPECT_EQ(Call(*plugin, "trace", {}, {}, {}, traceparent).data.at("traceparent"), json::value(traceparent));
  const OperationResult failed = Call(*plugin, "fail", {{"message", "no such thing"}});
  EXPECT_EQ(failed.ending, Ending::kAnswered);
  EXPECT_FALSE(failed.success);
  EXPECT_EQ(failed.error, "no such thing");
  const OperationResult thrown = Call(*plugin, "throw");
  EXPECT_FALSE(thrown.success);
  EXPECT_NE(thrown.error.find("thrown by demo"), std::string::npos) << thrown.error;
  EXPECT_EQ(Call(*plugin, "big", {{"bytes", 8'000'000}}).output.size(), 8'000'000U);
}

TEST_F(DemoPluginTest, ResultTooLarge) {
  const auto plugin = Running(Demo());
  const OperationResult result = Call(*plugin, "big", {{"bytes", 68'000'000}});
  EXPECT_EQ(result.ending, Ending::kFailed);
  EXPECT_TRUE(result.error.starts_with("demo: result too large (6800")) << result.error;
  EXPECT_TRUE(result.error.ends_with(" bytes, awf accepts 67108864)")) << result.error;
  EXPECT_EQ(Call(*plugin, "echo", {{"text", "still there"}}).output, "still there");
}

TEST_F(DemoPluginTest, RefusesItsConfiguration) {
  PluginLaunch launch = Demo();
  launch.env = {{"AWF_DEMO_CONFIG", "1"}};
  const auto refused = Start(launch);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "EXECUTION.PLUGIN.INIT");
  EXPECT_EQ(refused.error().message, "demo refused its configuration: greeting is missing");
  launch.name = "other";
  launch.config = {{"greeting", "hello"}};
  EXPECT_TRUE(Start(launch));
}

TEST_F(DemoPluginTest, PrintsAreLogged) {
  const auto plugin = Running(Demo());
  EXPECT_EQ(Call(*plugin, "print", {{"bytes", 1'000'000}}).output, "printed");
  EXPECT_TRUE(Eventually([&] { return HasLogged(std::string(63, 'o')) && HasLogged(std::string(63, 'e')); }));
}

TEST_F(DemoPluginTest, AbortsInACall) {
  const auto plugin = Running(Demo());
  OperationResult other;
  const std::string mark = (folder_ / "mark").string();
  std::jthread waiting([&] { other = Call(*plugin, "hang", {{"mark", mark}}); });
  ASSERT_TRUE(Eventually([&] { return HasLogged("demo: hanging"); }));
  const OperationResult result = Call(*plugin, "die");
  EXPECT_EQ(result.ending, Ending::kFailed);
  EXPECT_TRUE(result.error.starts_with("demo: plugin process ended during the call (SIGABRT); last stderr: "))
      << result.error;
  EXPECT_NE(result.error.find("demo: about to abort"), std::string::npos) << result.error;
  waiting.join();
  EXPECT_TRUE(other.error.starts_with("demo: plugin process ended during the call (SIGABRT)")) << other.error;
  EXPECT_EQ(Call(*plugin, "echo").error, "demo: plugin not running (ended earlier: SIGABRT)");
  EXPECT_TRUE(Eventually([&] { return EndsSeen() == 1; }));
  EXPECT_FALSE(ends_[0].expected);
}

TEST_F(DemoPluginTest, ExitsInACall) {
  const auto plugin = Running(Demo());
  const OperationResult result = Call(*plugin, "exit", {{"code", 3}});
  EXPECT_TRUE(result.error.starts_with("demo: plugin process ended during the call (exit status 3)")) << result.error;
}

TEST_F(DemoPluginTest, HangsUntilCancelledOrLate) {
  const auto plugin = Running(Demo());
  const std::string mark = (folder_ / "mark").string();
  std::stop_source stop;
  OperationResult result;
  std::jthread calling([&] { result = Call(*plugin, "hang", {{"mark", mark}}, {}, stop.get_token()); });
  ASSERT_TRUE(Eventually([&] { return HasLogged("demo: hanging"); }));
  stop.request_stop();
  calling.join();
  EXPECT_EQ(result.ending, Ending::kCancelled);
  EXPECT_TRUE(Eventually([&] { return FileText(mark) == "cancelled"; }));  // the plugin was told
  const OperationResult late = Call(*plugin, "hang", {}, SteadyClock::now() + milliseconds{200});
  EXPECT_EQ(late.ending, Ending::kTimeout);
  EXPECT_TRUE(late.error == "demo: no answer within 200 ms" || late.error == "demo: no answer within 199 ms")
      << late.error;
  EXPECT_EQ(Call(*plugin, "echo", {{"text", "still there"}}).output, "still there");
}

TEST_F(DemoPluginTest, SixteenCallsAtOnce) {
  const auto plugin = Running(Demo());
  std::vector<OperationResult> results(16);
  std::vector<std::jthread> calls;
  for (std::size_t i = 0; i < results.size(); ++i) {
    calls.emplace_back([&, i] { results[i] = Call(*plugin, "add", {{"a", i}, {"b", 100}}); });
  }
  calls.clear();
  for (std::size_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(results[i].data.at("sum").to_number<std::size_t>(), 100 + i);
}

TEST_F(DemoPluginTest, SeveralStopAtOnceByThemselves) {
  std::vector<PluginLaunch> launches;
  for (int i = 0; i < 4; ++i) launches.push_back(Demo("p" + std::to_string(i)));
  for (const auto& started : host().Start(launches, {}, {})) ASSERT_TRUE(started) << started.error().message;
  host_->StopAll();
  ASSERT_EQ(ends_.size(), 4U);
  for (const PluginEnd& end : ends_) {
    EXPECT_EQ(end.exit, "exit status 0");
    EXPECT_TRUE(end.expected);
  }
}

// gRPC keeps some descriptors for ever once it has been used.
TEST_F(DemoPluginTest, LeavesNoDescriptor) {
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  Running(Demo());
  host_.reset();
  const auto before = descriptors();
  Running(Demo());
  host_.reset();
  EXPECT_TRUE(Eventually([&] { return descriptors() <= before; })) << before;
}

// As go-plugin before 1.5, which knows nothing of the folder.
TEST_F(DemoPluginTest, SocketsElsewhereGoAfterACrash) {
  PluginLaunch launch = Demo();
  launch.env = {{"PLUGIN_UNIX_SOCKET_DIR", elsewhere_.path().string()}};
  const auto plugin = Running(launch);
  EXPECT_FALSE(std::filesystem::is_empty(elsewhere_.path()));
  Call(*plugin, "die");
  EXPECT_TRUE(std::filesystem::is_empty(elsewhere_.path()));
}

}  // namespace
}  // namespace awf::plugins
