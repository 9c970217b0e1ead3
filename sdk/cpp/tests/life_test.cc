// Prints, signals and ends of a served plugin.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

#include "test_plugin_process.h"

namespace awf::sdk {
namespace {

constexpr std::size_t kMebibyte = 1 << 20;

// What the operation "print" writes.
std::string Lines(std::size_t bytes, char letter) {
  std::string text(bytes, letter);
  for (std::size_t i = 63; i < bytes; i += 64) text[i] = '\n';
  return text;
}

void ExpectExit(PluginProcess& plugin, int code) {
  const auto status = plugin.Wait();
  ASSERT_TRUE(status.has_value());
  EXPECT_TRUE(WIFEXITED(*status)) << *status;
  EXPECT_EQ(WEXITSTATUS(*status), code);
}

void ExpectSignal(PluginProcess& plugin, int signal) {
  const auto status = plugin.Wait();
  ASSERT_TRUE(status.has_value());
  EXPECT_TRUE(WIFSIGNALED(*status)) << *status;
  EXPECT_EQ(WTERMSIG(*status), signal);
}

TEST(SdkPrints, AreKeptUntilTheHostAsksForThem) {
  ConnectedPlugin plugin;
  EXPECT_EQ(plugin.Answer("print", {{"bytes", "1048576"}}).output(), "printed");
  plugin.OpenStdio();
  EXPECT_TRUE(Eventually([&] { return plugin.printed().size() >= kMebibyte; }));
  EXPECT_EQ(plugin.printed(), Lines(kMebibyte, 'o'));
  EXPECT_TRUE(Eventually([&] { return plugin.process().err().size() >= kMebibyte; }));
  EXPECT_EQ(plugin.process().err(), Lines(kMebibyte, 'e'));
  const std::string real = plugin.process().out();
  EXPECT_EQ(std::ranges::count(real, '\n'), 1);  // the handshake and nothing else
}

TEST(SdkPrints, ArriveWhileTheStreamIsOpenAndAfterItWasOpenedAgain) {
  ConnectedPlugin plugin;
  plugin.OpenStdio();
  EXPECT_TRUE(plugin.Answer("print", {{"bytes", "64"}}).success());
  EXPECT_TRUE(Eventually([&] { return plugin.printed() == Lines(64, 'o'); }));
  plugin.OpenStdio();
  EXPECT_TRUE(plugin.Answer("print", {{"bytes", "128"}}).success());
  EXPECT_TRUE(Eventually([&] { return plugin.printed().size() == 64 + 128; }));
}

TEST(SdkEnd, TheControllerEndsItAfterTheLastPrints) {
  ConnectedPlugin plugin;
  plugin.OpenStdio();
  // No line end: it lies in the buffer of stdio until the end.
  EXPECT_TRUE(plugin.Answer("print", {{"bytes", "10"}}).success());
  EXPECT_TRUE(plugin.Unary("/plugin.v1.PluginService/Shutdown").status.ok());
  const auto ended = plugin.Unary("/plugin.GRPCController/Shutdown");
  EXPECT_TRUE(ended.status.ok()) << ended.status.message;
  ExpectExit(plugin.process(), 0);
  EXPECT_FALSE(plugin.process().HasSocket());
  plugin.transport().Close();
  EXPECT_EQ(plugin.printed(), "oooooooooodemo: shut down\n");
}

TEST(SdkEnd, OpenStreamsAndCallsDoNotHoldItUp) {
  ConnectedPlugin plugin;
  plugin.OpenStdio();
  plugin.transport().BidiStream(
      "/plugin.GRPCBroker/StartStream", [](std::string_view) {}, [](const plugins::RpcStatus&) {});
  plugins::UnaryReply hanging;
  std::jthread caller{[&] { hanging = plugin.Execute("hang", {}); }};
  plugin.End();
  ExpectExit(plugin.process(), 0);
  caller.join();
  EXPECT_FALSE(hanging.status.ok());
  EXPECT_FALSE(plugin.process().HasSocket());
}

TEST(SdkEnd, WithoutAnyStreamItEndsToo) {
  ConnectedPlugin plugin;
  EXPECT_TRUE(plugin.Answer("print", {{"bytes", "100000"}}).success());
  plugin.End();
  ExpectExit(plugin.process(), 0);
  EXPECT_FALSE(plugin.process().HasSocket());
}

TEST(SdkBroker, TheStreamStaysOpenAndSilent) {
  ConnectedPlugin plugin;
  std::atomic<int> received = 0, ended = 0;
  plugin.transport().BidiStream(
      "/plugin.GRPCBroker/StartStream", [&](std::string_view) { ++received; },
      [&](const plugins::RpcStatus&) { ++ended; });
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(plugin.Answer("void").success());
  EXPECT_EQ(received, 0);
  EXPECT_EQ(ended, 0);
  plugin.transport().Close();
  EXPECT_EQ(ended, 1);
}

TEST(SdkEnd, AbortAndExitOfAHandlerEndTheProcess) {
  ConnectedPlugin aborting;
  EXPECT_FALSE(aborting.Execute("die", {}).status.ok());
  ExpectSignal(aborting.process(), SIGABRT);
  EXPECT_EQ(aborting.process().err(), "demo: about to abort\n");
  ConnectedPlugin leaving;
  EXPECT_FALSE(leaving.Execute("exit", {{"code", "3"}}).status.ok());
  ExpectExit(leaving.process(), 3);
}

// The mask of /proc/PID/status under that name.
std::uint64_t SignalMask(pid_t pid, const std::string& name) {
  const std::string text = FileText("/proc/" + std::to_string(pid) + "/status");
  const std::size_t at = text.find(name + ":\t") + name.size() + 2;
  std::uint64_t mask = 0;
  std::from_chars(text.data() + at, text.data() + text.size(), mask, 16);
  return mask;
}

TEST(SdkSignals, InterruptAndPipeDoNothingAndAreNotInherited) {
  ConnectedPlugin plugin;
  const pid_t pid = plugin.process().pid();
  constexpr std::uint64_t kBoth = 1ULL << (SIGINT - 1) | 1ULL << (SIGPIPE - 1);
  EXPECT_EQ(SignalMask(pid, "SigCgt") & kBoth, kBoth);
  EXPECT_EQ(SignalMask(pid, "SigIgn") & kBoth, 0U);
  ASSERT_EQ(::kill(pid, SIGINT), 0);
  ASSERT_EQ(::kill(pid, SIGPIPE), 0);
  EXPECT_TRUE(plugin.Answer("void").success());
}

TEST(SdkSignals, TerminationRemovesTheSocket) {
  ConnectedPlugin plugin;
  EXPECT_TRUE(plugin.process().HasSocket());
  ASSERT_EQ(::kill(plugin.process().pid(), SIGTERM), 0);
  ExpectSignal(plugin.process(), SIGTERM);
  EXPECT_FALSE(plugin.process().HasSocket());
}

TEST(SdkSignals, TheDeathOfTheHostEndsIt) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);  // the orphan becomes ours
  PluginProcess shell{{"/bin/sh", "-c", "\"$0\" & wait", DemoPlugin()}};
  EXPECT_TRUE(shell.Handshake().starts_with("1|1|unix|"));
  EXPECT_TRUE(shell.HasSocket());
  ASSERT_EQ(::kill(shell.pid(), SIGKILL), 0);
  ExpectSignal(shell, SIGKILL);
  int status = 0;
  EXPECT_TRUE(Eventually([&] { return ::waitpid(-1, &status, WNOHANG) > 0; }));
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
  EXPECT_FALSE(shell.HasSocket());
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

}  // namespace
}  // namespace awf::sdk
