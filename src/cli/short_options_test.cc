#include "cli/short_options.h"

#include <gtest/gtest.h>

#include "cli/commands.h"

namespace awf::cli {
namespace {

const std::vector<std::string> kNames{"root", "log"};

TEST(ShortOptions, TakesBothSpellings) {
  const auto options = ParseShortOptions({"--root", "a b", "--log=x=y"}, kNames);
  ASSERT_TRUE(options) << options.error();
  EXPECT_EQ(*options, (ShortOptions{{"root", "a b"}, {"log", "x=y"}}));
  EXPECT_TRUE(ParseShortOptions({}, kNames)->empty());
}

TEST(ShortOptions, KnowsHelp) {
  EXPECT_TRUE(ParseShortOptions({"--help"}, kNames)->contains("help"));
  EXPECT_TRUE(ParseShortOptions({"-h"}, kNames)->contains("help"));
}

TEST(ShortOptions, SaysWhatIsWrong) {
  EXPECT_EQ(ParseShortOptions({"--rot", "x"}, kNames).error(), "unknown option --rot (did you mean --root?)");
  EXPECT_EQ(ParseShortOptions({"--zzzzz"}, kNames).error(), "unknown option --zzzzz");
  EXPECT_EQ(ParseShortOptions({"x"}, kNames).error(), "unexpected argument x");
  EXPECT_EQ(ParseShortOptions({"--root"}, kNames).error(), "--root needs a value");
  EXPECT_EQ(ParseShortOptions({"--root="}, kNames).error(), "--root needs a value");
  EXPECT_EQ(ParseShortOptions({"--log", "a", "--log", "b"}, kNames).error(), "--log stands twice");
}

// What ends before the protocol is taken over.
TEST(McpServe, BadArgumentsEndWithOne) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(McpServeCommand({}), 1);
  EXPECT_EQ(McpServeCommand({"--confg", "x"}), 1);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("--config FILE is missing"), std::string::npos) << text;
  EXPECT_NE(text.find("did you mean --config?"), std::string::npos) << text;
}

TEST(McpServe, HelpTeaches) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(McpServeCommand({"--help"}), 0);
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("awf mcp-serve --config FILE"), std::string::npos);
}

}  // namespace
}  // namespace awf::cli
