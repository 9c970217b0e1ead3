// Stages, calls and stop of a plugin whose process is a shell script and whose RPCs are the test's own.
#include "infrastructure/plugins/running_plugin.h"

#include <atomic>
#include <string>
#include <thread>

#include "infrastructure/plugins/test_plugin_host.h"

namespace awf::plugins {
namespace {

using std::chrono::milliseconds;
using Ending = OperationResult::Ending;
using Strings = std::vector<std::string>;

constexpr const char* kExecute = "/plugin.v1.OperationService/Execute";

class RunningPluginTest : public PluginHostTest {
 protected:
  // Fails the test when it does not start.
  std::shared_ptr<OperationProvider> Running(const PluginLaunch& launch) {
    auto started = Start(launch);
    EXPECT_TRUE(started) << started.error().message;
    if (!started) ::abort();
    start_ = started->start;
    return started->provider;
  }
  // A call fails as one does whose plugin ends under it.
  void EndUnderTheCall() {
    wire_.answers[kExecute] = [this](const UnaryRequest&) {
      scripts_.Put("out.go", "");
      EXPECT_TRUE(process::Eventually([&] { return !Ends().empty(); }));
      return UnaryReply{{kRpcUnavailable, "Socket closed"}, {}};
    };
  }
  // Says hello, then ends when `out.go` is there.
  PluginLaunch EndingWith(const std::string& end) {
    return Script("echo '1|1|unix|/s|grpc'; while [ ! -e $OUT.go ]; do sleep 0.01; done; " + end);
  }

  PluginStart start_;
};

TEST_F(RunningPluginTest, StagesOfAStart) {
  PluginLaunch launch = Staying();
  launch.config = {{"kubeconfig", "/k"}, {"n", 3}};
  std::string init;
  wire_.answers["/plugin.v1.PluginService/Init"] = [&](const UnaryRequest& request) {
    init = request.message;
    return UnaryReply{};
  };
  const auto plugin = Running(launch);
  EXPECT_EQ(plugin->Name(), "demo");
  ASSERT_EQ(plugin->Operations().size(), 1U);
  EXPECT_EQ(plugin->Operations()[0].name, "add");
  EXPECT_EQ(Stages(), (Strings{"demo checksum", "demo spawn", "demo handshake", "demo tls", "demo health", "demo info",
                               "demo init", "demo operations"}));
  EXPECT_EQ(wire_.Noted(), (Strings{"Check", "StreamStdio", "StartStream", "GetInfo", "Init", "ListOperations"}));
  ASSERT_EQ(wire_.endpoints.size(), 1U);
  EXPECT_EQ(wire_.endpoints[0].target, "unix:/no/socket");
  EXPECT_FALSE(wire_.endpoints[0].tls);
  plugin::v1::InitRequest sent;
  ASSERT_TRUE(sent.ParseFromString(init));
  EXPECT_EQ(sent.config().at("kubeconfig"), "\"/k\"");
  EXPECT_EQ(sent.config().at("n"), "3");
  EXPECT_EQ(start_.plugin, "demo");
  EXPECT_EQ(start_.version, "1.2.3");
  EXPECT_FALSE(start_.tls);
}

TEST_F(RunningPluginTest, TheManifestsVersionCounts) {
  PluginLaunch launch = Staying();
  launch.version = "9.9.9";
  Running(launch);
  EXPECT_EQ(start_.version, "9.9.9");
}

TEST_F(RunningPluginTest, HealthIsAskedAgainWhileItIsUnavailable) {
  std::atomic<int> asked = 0;
  wire_.answers["/grpc.health.v1.Health/Check"] = [&](const UnaryRequest&) {
    if (++asked < 3) return UnaryReply{{kRpcUnavailable, "connection refused"}, {}};
    return UnaryReply{{}, std::string(kServingReply)};
  };
  Running(Staying());
  EXPECT_EQ(asked, 3);
}

TEST_F(RunningPluginTest, ACallIsAnswered) {
  std::vector<std::pair<std::string, std::string>> metadata;
  plugin::v1::ExecuteRequest sent;
  wire_.answers[kExecute] = [&](const UnaryRequest& request) {
    metadata = request.metadata;
    EXPECT_TRUE(sent.ParseFromString(std::string(request.message)));
    plugin::v1::ExecuteResponse done;
    done.set_success(true);
    done.set_output("three");
    (*done.mutable_data())["sum"] = "3";
    return UnaryReply{{}, done.SerializeAsString()};
  };
  const auto plugin = Running(Staying());
  const OperationResult result = Execute(*plugin, {}, {}, "00-1-2-01", "v=1");
  EXPECT_EQ(result.ending, Ending::kAnswered);
  EXPECT_TRUE(result.success);
  EXPECT_EQ(result.output, "three");
  EXPECT_EQ(json::serialize(result.data), R"({"sum":3})");
  EXPECT_EQ(sent.operation(), "add");
  EXPECT_EQ(sent.inputs().at("a"), "1");
  EXPECT_EQ(metadata, (decltype(metadata){{"traceparent", "00-1-2-01"}, {"tracestate", "v=1"}}));
  ASSERT_TRUE(result.rpc);
  EXPECT_EQ(result.rpc->service, "plugin.v1.OperationService");
  EXPECT_EQ(result.rpc->method, "Execute");
  EXPECT_EQ(result.rpc->status, 0);
}

TEST_F(RunningPluginTest, WithoutTraceThereIsNoMetadata) {
  std::size_t metadata = 1;
  wire_.answers[kExecute] = [&](const UnaryRequest& request) {
    metadata = request.metadata.size();
    return UnaryReply{};
  };
  EXPECT_FALSE(Execute(*Running(Staying())).success);
  EXPECT_EQ(metadata, 0U);
}

TEST_F(RunningPluginTest, AnOperationThatFailsSpeaksForItself) {
  plugin::v1::ExecuteResponse thrown;
  thrown.set_error("plugin panic: boom");
  wire_.Say(kExecute, thrown.SerializeAsString());
  const auto plugin = Running(Staying());
  const OperationResult result = Execute(*plugin);
  EXPECT_EQ(result.ending, Ending::kAnswered);
  EXPECT_FALSE(result.success);
  EXPECT_EQ(result.error, "plugin panic: boom");
}

TEST_F(RunningPluginTest, FailuresOfCalls) {
  const auto plugin = Running(Staying());
  const auto failure = [&](RpcStatus status) {
    wire_.Refuse(kExecute, std::move(status));
    const OperationResult result = Execute(*plugin, SteadyClock::now() + std::chrono::hours{1});
    EXPECT_EQ(result.ending, Ending::kFailed);
    EXPECT_TRUE(result.rpc);
    return result.error;
  };
  EXPECT_EQ(failure({kRpcUnavailable, "recvmsg: Connection reset by peer"}),
            "demo: connection to the plugin broke: recvmsg: Connection reset by peer");
  EXPECT_EQ(failure({kRpcUnknown, "no such pod"}), "demo: no such pod");
  EXPECT_EQ(failure({kRpcDeadlineExceeded, "context deadline exceeded"}),  // its own, not ours
            "demo: DEADLINE_EXCEEDED: context deadline exceeded");
  EXPECT_EQ(failure({kRpcResourceExhausted, "Received message larger than max (70000000 vs. 67108864)", true}),
            "demo: result too large (70000000 bytes, awf accepts 67108864)");
  wire_.Say(kExecute, "\xff");
  EXPECT_EQ(Execute(*plugin).error, "demo: the message cannot be read");
}

TEST_F(RunningPluginTest, ArgumentsTooLargeForAGoPlugin) {
  wire_.answers[kExecute] = [](const UnaryRequest& request) {
    return UnaryReply{{kRpcResourceExhausted, "grpc: received message larger than max (" +
                                                  std::to_string(request.message.size()) + " vs. 4194304)"},
                      {}};
  };
  const auto plugin = Running(Staying());
  const json::object inputs{{"a", std::string(5'000'000, 'x')}};
  const OperationResult result = plugin->Execute({"0123456789abcdef", "add", inputs, {}, {}, "", ""});
  // operation: 5 bytes; the entry of the map: key 3, value 1 + 4 + 5000002, itself 1 + 4.
  EXPECT_EQ(result.error, "demo: arguments too large (5000020 bytes, the plugin accepts 4194304)");
}

TEST_F(RunningPluginTest, NoAnswerBeforeTheDeadline) {
  const auto plugin = Running(Staying());
  wire_.answers[kExecute] = Hang;
  const OperationResult result = Execute(*plugin, SteadyClock::now() + milliseconds{100});
  EXPECT_EQ(result.ending, Ending::kTimeout);
  EXPECT_TRUE(result.error == "demo: no answer within 100 ms" || result.error == "demo: no answer within 99 ms")
      << result.error;
  ASSERT_TRUE(result.rpc);
  EXPECT_EQ(result.rpc->status, 4);
  EXPECT_EQ(Execute(*plugin, SteadyClock::now() - milliseconds{5}).error,
            "demo: no answer: the time was up before it was asked");
  // A Go plugin may notice first, in its own words.
  wire_.answers[kExecute] = [](const UnaryRequest& request) {
    std::this_thread::sleep_until(*request.deadline - milliseconds{5});
    return UnaryReply{{kRpcUnknown, "context deadline exceeded"}, {}};
  };
  EXPECT_EQ(Execute(*plugin, SteadyClock::now() + milliseconds{100}).ending, Ending::kTimeout);
}

TEST_F(RunningPluginTest, CancelledCalls) {
  const auto plugin = Running(Staying());
  std::stop_source stop;
  wire_.answers[kExecute] = [&](const UnaryRequest& request) {
    stop.request_stop();
    return Hang(request);
  };
  const OperationResult result = Execute(*plugin, {}, stop.get_token());
  EXPECT_EQ(result.ending, Ending::kCancelled);
  EXPECT_EQ(result.error, "");
  ASSERT_TRUE(result.rpc);
  EXPECT_EQ(result.rpc->status, 1);
  const OperationResult before = Execute(*plugin, {}, stop.get_token());
  EXPECT_EQ(before.ending, Ending::kCancelled);
  EXPECT_FALSE(before.rpc);
}

TEST_F(RunningPluginTest, EndsDuringACall) {
  EndUnderTheCall();
  const auto plugin = Running(EndingWith("echo 'panic: boom' >&2; exit 3"));
  const OperationResult result = Execute(*plugin);
  EXPECT_EQ(result.ending, Ending::kFailed);
  EXPECT_EQ(result.error, "demo: plugin process ended during the call (exit status 3); last stderr: panic: boom");
  const OperationResult later = Execute(*plugin);
  EXPECT_EQ(later.ending, Ending::kFailed);
  EXPECT_EQ(later.error, "demo: plugin not running (ended earlier: exit status 3)");
  EXPECT_FALSE(later.rpc);
  const std::vector<PluginEnd> ends = Ends();
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].plugin, "demo");
  EXPECT_EQ(ends[0].version, "1.2.3");
  EXPECT_EQ(ends[0].sha256, start_.sha256);
  EXPECT_EQ(ends[0].exit, "exit status 3");
  EXPECT_FALSE(ends[0].expected);
  host_.reset();
  EXPECT_EQ(Ends().size(), 1U);
}

TEST_F(RunningPluginTest, AbortsDuringACall) {
  EndUnderTheCall();
  const auto plugin = Running(EndingWith("kill -ABRT $$"));
  EXPECT_EQ(Execute(*plugin).error, "demo: plugin process ended during the call (SIGABRT)");
  EXPECT_EQ(Execute(*plugin).error, "demo: plugin not running (ended earlier: SIGABRT)");
}

TEST_F(RunningPluginTest, PrintsOverTheStreamAreLoggedAndKept) {
  EndUnderTheCall();
  const auto plugin = Running(EndingWith("exit 2"));
  wire_.print(std::string_view("\x08\x01\x12\x05hello", 9));
  wire_.print(std::string_view("\x08\x02\x12\x06wrong\n", 10));
  wire_.print("\xff");  // no such message
  EXPECT_EQ(Execute(*plugin).error, "demo: plugin process ended during the call (exit status 2); last stderr: wrong");
  host_.reset();
  EXPECT_EQ(Logged(), (std::vector<LoggedLine>{{LogLevel::kInfo, "wrong", R"({"plugin":"demo"})"},
                                               {LogLevel::kInfo, "hello", R"({"plugin":"demo"})"}}));
}

TEST_F(RunningPluginTest, StopAsksThenWaits) {
  const auto plugin = Running(Script("echo $$ > $OUT; echo '1|1|unix|/s|grpc'; exec sleep 300"));
  const pid_t pid = std::stoi(Out());
  wire_.answers["/plugin.GRPCController/Shutdown"] = [pid](const UnaryRequest&) {
    ::kill(pid, SIGINT);  // as a plugin that does what it was asked
    return UnaryReply{{kRpcUnavailable, "Socket closed"}, {}};
  };
  host_->StopAll();
  host_->StopAll();
  const Strings noted = wire_.Noted();
  ASSERT_GE(noted.size(), 3U);
  EXPECT_EQ(Strings(noted.end() - 3, noted.end()), (Strings{"Shutdown", "Shutdown", "Close"}));
  const std::vector<PluginEnd> ends = Ends();
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].exit, "SIGINT");
  EXPECT_TRUE(ends[0].expected);
  EXPECT_EQ(Execute(*plugin).error, "demo: plugin not running (awf has stopped it)");
  host_.reset();
  EXPECT_EQ(Execute(*plugin).error, "demo: plugin not running (awf has stopped it)");
  EXPECT_EQ(Ends().size(), 1U);
}

TEST_F(RunningPluginTest, StopTerminatesWhatStays) {
  Running(Staying());
  host_->StopAll();
  ASSERT_EQ(Ends().size(), 1U);
  EXPECT_EQ(Ends()[0].exit, "SIGTERM");
  EXPECT_TRUE(Ends()[0].expected);
}

TEST_F(RunningPluginTest, StopKillsWhatIgnoresThat) {
  wire_.answers["/plugin.v1.PluginService/Shutdown"] = Hang;
  wire_.answers["/plugin.GRPCController/Shutdown"] = Hang;
  const std::string mark = process::UniqueSleep();
  Running(Script("trap '' TERM\nsetsid sleep " + mark + " &\nsleep " + mark +
                 " &\necho '1|1|unix|/s|grpc'\nwhile :; do sleep 0.1; done"));
  host_->StopAll();
  ASSERT_EQ(Ends().size(), 1U);
  EXPECT_EQ(Ends()[0].exit, "SIGKILL");
  EXPECT_TRUE(process::MarkedProcesses(mark).empty());
}

TEST_F(RunningPluginTest, GrandchildrenGoWithAPluginThatEndsByItself) {
  const std::string mark = process::UniqueSleep();
  Running(Script("sleep " + mark + " & (setsid sleep " + mark + " &)\necho '1|1|unix|/s|grpc'; exit 0"));
  EXPECT_TRUE(process::Eventually([&] { return !Ends().empty(); }));
  EXPECT_TRUE(process::MarkedProcesses(mark).empty());
}

TEST_F(RunningPluginTest, StopEndsCallsAndStartsInFlight) {
  std::atomic<bool> called = false, checking = false;
  const auto plugin = Running(Staying());
  wire_.answers[kExecute] = [&](const UnaryRequest&) {
    called = true;
    EXPECT_TRUE(process::Eventually([&] { return !Ends().empty(); }));
    return UnaryReply{{kRpcCancelled, "closed"}, {}};
  };
  wire_.answers["/grpc.health.v1.Health/Check"] = [&](const UnaryRequest& request) {
    checking = true;
    return Hang(request);
  };
  OperationResult result;
  std::expected<StartedPlugin, Error> other = std::unexpected(Error{});
  const PluginLaunch launch = Staying({}, "other");
  std::jthread calling([&] { result = Execute(*plugin); });
  std::jthread starting([&] { other = Start(launch); });
  ASSERT_TRUE(process::Eventually([&] { return called && checking; }));
  host_->StopAll();
  calling.join();
  starting.join();
  EXPECT_EQ(result.ending, Ending::kFailed);
  EXPECT_EQ(result.error, "demo: plugin not running (awf has stopped it)");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "other: awf has stopped its plugins");
  EXPECT_EQ(RefusalText(Staying({}, "third")), "START: third: awf has stopped its plugins");
}

TEST_F(RunningPluginTest, TwoWhoStartItGetTheSame) {
  std::atomic<bool> checking = false, go = false;
  wire_.answers["/grpc.health.v1.Health/Check"] = [&](const UnaryRequest&) {
    checking = true;
    EXPECT_TRUE(process::Eventually([&] { return go.load(); }));
    return UnaryReply{{}, std::string(kServingReply)};
  };
  const PluginLaunch launch = Staying();
  host();
  std::expected<StartedPlugin, Error> one = std::unexpected(Error{}), two = one;
  std::jthread first([&] { one = Start(launch); });
  ASSERT_TRUE(process::Eventually([&] { return checking.load(); }));
  std::stop_source stop;
  stop.request_stop();
  const auto third = Start(launch, {}, stop.get_token());
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, "EXECUTION.RUN.CANCELLED");
  std::jthread second([&] { two = Start(launch); });
  go = true;
  first.join();
  second.join();
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->provider, two->provider);
  EXPECT_EQ(wire_.endpoints.size(), 1U);
}

}  // namespace
}  // namespace awf::plugins
