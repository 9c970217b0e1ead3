#include "infrastructure/agents/chat_retry.h"

#include <gtest/gtest.h>

namespace awf::agents {
namespace {

using http::HttpFailure;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ChatRetryTest, WhatIsRetried) {
  for (const long status : {408L, 429L, 500L, 502L, 503L, 504L, 529L}) EXPECT_TRUE(IsRetriedStatus(status)) << status;
  for (const long status : {400L, 401L, 403L, 404L, 409L, 413L, 422L, 302L}) {
    EXPECT_FALSE(IsRetriedStatus(status)) << status;
  }
  for (const auto kind : {HttpFailure::Kind::kNoConnection, HttpFailure::Kind::kBroken}) EXPECT_TRUE(IsRetried(kind));
  for (const auto kind : {HttpFailure::Kind::kNoLibrary, HttpFailure::Kind::kBadUrl, HttpFailure::Kind::kStalled,
                          HttpFailure::Kind::kTooLarge, HttpFailure::Kind::kCancelled, HttpFailure::Kind::kDeadline,
                          HttpFailure::Kind::kOther}) {
    EXPECT_FALSE(IsRetried(kind));
  }
}

TEST(ChatRetryTest, PausesDoubleWithJitterOfAQuarter) {
  bool differ = false;
  for (int round = 0; round < 100; ++round) {
    for (int retry = 0; retry < kChatRetries; ++retry) {
      const milliseconds least = seconds(1) * (1 << retry);
      const auto pause = ChatRetryPause(retry, seconds(1), std::nullopt, std::nullopt);
      ASSERT_TRUE(pause);
      EXPECT_GE(*pause, least);
      EXPECT_LE(*pause, least + least / 4);
      differ = differ || *pause != least;
    }
  }
  EXPECT_TRUE(differ);
}

TEST(ChatRetryTest, TheServersWishAndTheTimeLeft) {
  const auto pause = [](std::optional<seconds> wanted, std::optional<milliseconds> left) -> std::string {
    const auto result = ChatRetryPause(0, milliseconds(1), wanted, left);
    return result ? std::to_string(result->count()) : result.error();
  };
  EXPECT_EQ(pause(seconds(7), std::nullopt), "7000");
  EXPECT_EQ(pause(seconds(60), seconds(61)), "60000");
  EXPECT_EQ(pause(seconds(61), std::nullopt), "the server asks to wait 61 s");
  EXPECT_EQ(pause(seconds(61), seconds(5)), "the server asks to wait 61 s");
  EXPECT_EQ(pause(seconds(7), seconds(7)), "the server asks to wait 7 s, and the step has less time left");
  EXPECT_EQ(pause(std::nullopt, milliseconds(0)), "the step has no time left for another try");
  // A wish that is shorter than our own pause changes nothing.
  EXPECT_GE(ChatRetryPause(2, seconds(1), seconds(1), std::nullopt).value(), milliseconds(4000));
}

}  // namespace
}  // namespace awf::agents
