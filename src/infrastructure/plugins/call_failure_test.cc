#include "infrastructure/plugins/call_failure.h"

#include <gtest/gtest.h>

#include <string>

namespace awf::plugins {
namespace {

std::string TextOf(int code, const std::string& message, std::size_t request_bytes = 10, bool reply = false) {
  CallFailure failure;
  failure.status = {code, message, reply};
  failure.request_bytes = request_bytes;
  return FailureText("demo", failure);
}

TEST(CallFailure, TheEndOfTheProcessBeatsTheStatus) {
  CallFailure failure;
  failure.status = {kRpcUnavailable, "Socket closed"};
  failure.ended = process::ExitStatus{3, 0};
  EXPECT_EQ(FailureText("demo", failure), "demo: plugin process ended during the call (exit status 3)");
  failure.output = "printed\n";
  EXPECT_EQ(FailureText("demo", failure),
            "demo: plugin process ended during the call (exit status 3); last stdout: printed");
  failure.errors = "  panic: boom\n";
  failure.ended = process::ExitStatus{134, 6};
  EXPECT_EQ(FailureText("demo", failure),
            "demo: plugin process ended during the call (SIGABRT); last stderr: panic: boom");
}

TEST(CallFailure, ConnectionBroke) {
  EXPECT_EQ(TextOf(kRpcUnavailable, "Socket closed"), "demo: connection to the plugin broke: Socket closed");
  EXPECT_EQ(TextOf(kRpcUnavailable, ""), "demo: connection to the plugin broke: UNAVAILABLE");
  EXPECT_EQ(TextOf(kRpcInternal, "Received RST_STREAM with error code 2"),
            "demo: connection to the plugin broke: Received RST_STREAM with error code 2");
  CallFailure failure;
  failure.status = {kRpcUnavailable, "failed to connect to all addresses"};
  failure.connect_error = "connect failed: No such file or directory";
  EXPECT_EQ(FailureText("demo", failure),
            "demo: connection to the plugin broke: connect failed: No such file or directory");
}

TEST(CallFailure, ArgumentsTooLarge) {
  const std::string want = "demo: arguments too large (8388632 bytes, the plugin accepts 4194304)";
  EXPECT_EQ(TextOf(8, "grpc: received message larger than max (8388632 vs. 4194304)", 8388632), want);
  EXPECT_EQ(TextOf(8, "Received message larger than max (8388632 vs. 4194304)", 8388632), want);
  EXPECT_EQ(TextOf(8, "Received message larger than max (8388632 vs 4194304)", 8388632), want);
  EXPECT_EQ(TextOf(8, "Sent message larger than max (70000000 vs. 67108864)", 70000000),
            "demo: arguments too large (70000000 bytes, awf sends at most 67108864)");
}

TEST(CallFailure, ResultTooLarge) {
  EXPECT_EQ(TextOf(8, "Received message larger than max (70000000 vs. 67108864)", 10, true),
            "demo: result too large (70000000 bytes, awf accepts 67108864)");
  EXPECT_EQ(TextOf(8, "Received message larger than max (70000000 vs. 67108864)", 70000000, true),
            "demo: result too large (70000000 bytes, awf accepts 67108864)");
  EXPECT_EQ(TextOf(8, "grpc: trying to send message larger than max (5000000 vs. 4194304)"),
            "demo: result too large (5000000 bytes, the plugin sends at most 4194304)");
}

TEST(CallFailure, OtherStatusesSpeakForThemselves) {
  EXPECT_EQ(TextOf(8, "quota (5 of 4)"), "demo: RESOURCE_EXHAUSTED: quota (5 of 4)");
  EXPECT_EQ(TextOf(8, "more (5 vs. many)"), "demo: RESOURCE_EXHAUSTED: more (5 vs. many)");
  EXPECT_EQ(TextOf(kRpcUnknown, "no such host"), "demo: no such host");
  EXPECT_EQ(TextOf(kRpcUnknown, ""), "demo: UNKNOWN");
  EXPECT_EQ(TextOf(kRpcUnimplemented, "unknown service"), "demo: UNIMPLEMENTED: unknown service");
  EXPECT_EQ(TextOf(16, " \n"), "demo: UNAUTHENTICATED");
  EXPECT_EQ(TextOf(17, "x"), "demo: status 17: x");
  EXPECT_EQ(TextOf(kRpcInternal, "nil map"), "demo: INTERNAL: nil map");
}

}  // namespace
}  // namespace awf::plugins
