// For tests: plugins that are shell scripts, a transport that a test scripts, and a host that notes what it is told.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/test_folder.h"
#include "infrastructure/plugins/plugin_host.h"
#include "infrastructure/process/process_test_support.h"
#include "plugin/v1/plugin.pb.h"

namespace awf::plugins {

inline constexpr std::string_view kHandshakeLine = "1|1|unix|/no/socket|grpc";
inline constexpr std::string_view kServingReply = "\x08\x01";

// What stands behind the fake transports of one test. The answers are set before a plugin is started.
struct FakeWire {
  using Answer = std::function<UnaryReply(const UnaryRequest&)>;

  FakeWire() {
    Say("/grpc.health.v1.Health/Check", std::string(kServingReply));
    plugin::v1::GetInfoResponse info;
    info.set_name("demo");
    info.set_version("1.2.3");
    Say("/plugin.v1.PluginService/GetInfo", info.SerializeAsString());
    Say("/plugin.v1.PluginService/Init", "");
    plugin::v1::ListOperationsResponse list;
    list.add_operations()->set_name("add");
    Say("/plugin.v1.OperationService/ListOperations", list.SerializeAsString());
    plugin::v1::ExecuteResponse done;
    done.set_success(true);
    done.set_output("done");
    Say("/plugin.v1.OperationService/Execute", done.SerializeAsString());
    Say("/plugin.v1.PluginService/Shutdown", "");
    Say("/plugin.GRPCController/Shutdown", "");
  }

  void Say(const std::string& method, const std::string& message) {
    answers[method] = [message](const UnaryRequest&) { return UnaryReply{{}, message}; };
  }
  void Refuse(const std::string& method, RpcStatus status) {
    answers[method] = [status](const UnaryRequest&) { return UnaryReply{status, {}}; };
  }
  void Note(std::string text) {
    const std::lock_guard lock(mutex);
    noted.push_back(std::move(text));
  }
  std::vector<std::string> Noted() {
    const std::lock_guard lock(mutex);
    return noted;
  }

  std::map<std::string, Answer> answers;
  std::string connect_error;

  std::mutex mutex;
  std::vector<std::string> noted;  // last parts of methods, and "Close", in their order
  std::vector<PluginEndpoint> endpoints;
  std::function<void(std::string_view)> print;  // of StreamStdio
};

class FakeTransport final : public PluginTransport {
 public:
  FakeTransport(FakeWire& wire, const PluginEndpoint& endpoint) : wire_(wire) {
    const std::lock_guard lock(wire_.mutex);
    wire_.endpoints.push_back(endpoint);
  }
  ~FakeTransport() override { Close(); }

  UnaryReply Unary(const UnaryRequest& request) override {
    wire_.Note(Last(request.method));
    return wire_.answers.at(std::string(request.method))(request);
  }
  void ServerStream(std::string_view method, std::string_view, std::function<void(std::string_view)> received,
                    std::function<void(const RpcStatus&)> ended) override {
    wire_.Note(Last(method));
    const std::lock_guard lock(wire_.mutex);
    wire_.print = std::move(received);
    ended_.push_back(std::move(ended));
  }
  void BidiStream(std::string_view method, std::function<void(std::string_view)>,
                  std::function<void(const RpcStatus&)> ended) override {
    wire_.Note(Last(method));
    ended({kRpcUnimplemented, "unknown service plugin.GRPCBroker"});
  }
  std::string LastConnectError() const override { return wire_.connect_error; }
  void Close() override {
    if (std::exchange(closed_, true)) return;
    wire_.Note("Close");
    for (const auto& ended : ended_) ended({kRpcCancelled, ""});
  }

 private:
  static std::string Last(std::string_view method) { return std::string(method.substr(method.rfind('/') + 1)); }

  FakeWire& wire_;
  std::vector<std::function<void(const RpcStatus&)>> ended_;
  bool closed_ = false;
};

// Waits as a call without an answer does.
inline UnaryReply Hang(const UnaryRequest& request) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  const auto no = [] { return false; };
  if (request.deadline) {
    never.wait_until(lock, request.cancelled, *request.deadline, no);
  } else {
    never.wait(lock, request.cancelled, no);
  }
  if (request.cancelled.stop_requested()) return {{kRpcCancelled, "cancelled"}, {}};
  return {{kRpcDeadlineExceeded, "Deadline Exceeded"}, {}};
}

struct LoggedLine {
  LogLevel level;
  std::string message, fields;
  friend bool operator==(const LoggedLine&, const LoggedLine&) = default;
};

// A folder for scripts and one for sockets; nothing may be left in the latter, and no process.
class PluginHostTest : public ::testing::Test {
 protected:
  PluginHostTest() { process::BecomeSubreaper(); }

  void TearDown() override {
    host_.reset();
    EXPECT_EQ(process::KillStrayChildren(), 0) << "a plugin left processes";
    EXPECT_TRUE(std::filesystem::is_empty(sockets_.path())) << "a plugin left its socket folder";
  }

  PluginLaunch Script(std::string_view body, const std::string& name = "demo") {
    PluginLaunch launch;
    launch.name = name;
    launch.executable = scripts_.Put("awf-plugin-" + name, "#!/bin/sh\n" + std::string(body) + "\n");
    std::filesystem::permissions(launch.executable, std::filesystem::perms::owner_all);
    launch.tls_required = false;
    launch.start_timeout = std::chrono::seconds{60};
    return launch;
  }
  // One that says hello and stays; `before` runs first.
  PluginLaunch Staying(const std::string& before = {}, const std::string& name = "demo") {
    return Script(before + "\necho '" + std::string(kHandshakeLine) + "'\nexec sleep 300", name);
  }

  PluginHostOptions Options() {
    PluginHostOptions options;
    options.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "OUT=" + (scripts_ / "out").string()};
    options.private_folder = sockets_.path();
    options.logged = [this](LogLevel level, std::string_view message, const json::object& fields) {
      const std::lock_guard lock(mutex_);
      logged_.push_back({level, std::string(message), json::serialize(fields)});
    };
    options.stopped = [this](const PluginEnd& end) {
      const std::lock_guard lock(mutex_);
      ends_.push_back(end);
    };
    options.stage = [this](std::string_view plugin, const StartStage& stage) {
      const std::lock_guard lock(mutex_);
      stages_.push_back(std::string(plugin) + " " + std::string(stage.name));
    };
    options.connect = [this](const PluginEndpoint& endpoint) {
      return std::make_unique<FakeTransport>(wire_, endpoint);
    };
    return options;
  }

  PluginHost& host() {
    if (!host_) host_ = std::make_unique<PluginHost>(Options());
    return *host_;
  }

  std::expected<StartedPlugin, Error> Start(const PluginLaunch& launch, Deadline deadline = {},
                                            const std::stop_token& cancelled = {}) {
    return host().Start(std::span(&launch, 1), deadline, cancelled)[0];
  }
  Error Refusal(const PluginLaunch& launch) {
    const auto started = Start(launch);
    EXPECT_FALSE(started);
    return started ? Error{} : started.error();
  }
  // "CODE: message", the code without EXECUTION.PLUGIN.
  std::string RefusalText(const PluginLaunch& launch) {
    const Error error = Refusal(launch);
    constexpr std::string_view kPrefix = "EXECUTION.PLUGIN.";
    EXPECT_TRUE(error.code.starts_with(kPrefix)) << error.code;
    return error.code.substr(std::min(kPrefix.size(), error.code.size())) + ": " + error.message;
  }

  OperationResult Execute(OperationProvider& plugin, Deadline deadline = {}, const std::stop_token& cancelled = {},
                          std::string traceparent = {}, std::string tracestate = {}) {
    const json::object inputs{{"a", 1}};
    return plugin.Execute(
        {"0123456789abcdef", "add", inputs, deadline, cancelled, std::move(traceparent), std::move(tracestate)});
  }

  std::vector<PluginEnd> Ends() {
    const std::lock_guard lock(mutex_);
    return ends_;
  }
  std::vector<LoggedLine> Logged() {
    const std::lock_guard lock(mutex_);
    return logged_;
  }
  std::vector<std::string> Stages() {
    const std::lock_guard lock(mutex_);
    return stages_;
  }
  // What the script has written to $OUT.
  std::string Out() const { return FileText(scripts_ / "out"); }

  FakeWire wire_;  // outlives the host
  TestFolder scripts_{"/tmp"}, sockets_{"/tmp"};
  std::mutex mutex_;
  std::vector<PluginEnd> ends_;
  std::vector<LoggedLine> logged_;
  std::vector<std::string> stages_;
  std::unique_ptr<PluginHost> host_;
};

}  // namespace awf::plugins
