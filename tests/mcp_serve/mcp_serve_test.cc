// awf mcp-serve: what it tells its parent, and how it ends.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <fstream>

#include "served_step.h"

namespace awf {
namespace {

using Kind = channel::ServerEvent::Kind;

class McpServe : public testing::Test {
 protected:
  ServedStep step_;
};

// Starts a Bash call that does not end by itself, and waits until its command runs.
void StartSleeping(ServedStep& step) {
  step.Send(CallLine(9, "Bash", {{"command", "echo $$ > started; exec sleep 1000"}}));
  ASSERT_TRUE(step.ServeUntil([&] { return std::filesystem::exists(step.Path("work/started")); })) << step.Stderr();
}

bool IsAlive(const std::filesystem::path& pid_file) {
  pid_t pid = 0;
  std::ifstream(pid_file) >> pid;
  return pid > 0 && ::kill(pid, 0) == 0;
}

TEST_F(McpServe, TellsItsParentEverythingBeforeItAnswers) {
  std::ofstream(step_.Path("work/f")) << "hello\n";
  step_.Start();
  step_.Send(InitializeLine());
  step_.Answer(0);
  step_.ServeOnce();
  ASSERT_EQ(step_.Messages<channel::Ready>().size(), 1U);
  EXPECT_EQ(step_.Messages<channel::Ready>()[0].client, "test-client");
  EXPECT_EQ(step_.Messages<channel::Ready>()[0].protocol_version, "2025-06-18");

  step_.Send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  step_.Answer(1);
  step_.ServeOnce();
  ASSERT_EQ(step_.Messages<channel::ToolsListed>().size(), 1U);
  EXPECT_EQ(step_.Messages<channel::ToolsListed>()[0].names,
            (std::vector<std::string>{"Read", "Write", "Edit", "Bash", "Glob", "Grep"}));

  step_.Send(CallLine(2, "Read", {{"path", "f"}}));
  const json::object answer = step_.Answer(2);
  step_.ServeOnce();
  EXPECT_EQ(answer.at("result").at("content").at(0).at("text").as_string(), "1\thello");
  const auto started = step_.Messages<channel::CallStarted>();
  const auto finished = step_.Messages<channel::CallFinished>();
  ASSERT_EQ(started.size(), 1U);
  ASSERT_EQ(finished.size(), 1U);
  EXPECT_EQ(started[0].call.tool, "Read");
  EXPECT_EQ(started[0].call.request_id, "2");
  EXPECT_EQ(finished[0].call, started[0].call.call);
  EXPECT_EQ(finished[0].end.outcome, CallOutcome::kOk);

  step_.CloseStdin();
  EXPECT_EQ(step_.WaitForEnd(), 0);
  ASSERT_TRUE(step_.ServeUntil([&] { return step_.Count(Kind::kClosed) == 1; }));
  EXPECT_TRUE(step_.events().back().said_bye);
  EXPECT_EQ(step_.Stderr(), "");
}

TEST_F(McpServe, RefusedInvalidAndUnknownCallsHaveTheirRecords) {
  step_.Start();
  step_.Send(CallLine(1, "Read", {}));
  step_.Send(CallLine(2, "Nonsense", {}));
  step_.Send(R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"Read","arguments":7}})");
  for (int id = 1; id <= 3; ++id) step_.Answer(id);
  ASSERT_TRUE(step_.ServeUntil([&] { return step_.Messages<channel::CallFinished>().size() == 3; }));
  std::vector<std::string> types;
  for (const auto& finished : step_.Messages<channel::CallFinished>()) types.push_back(finished.end.error_type);
  std::ranges::sort(types);
  EXPECT_EQ(types, (std::vector<std::string>{"-32602", "-32602", "invalid_arguments"}));
  EXPECT_EQ(step_.Messages<channel::CallStarted>().size(), 3U);
}

class McpServeSignal : public McpServe, public testing::WithParamInterface<int> {};

TEST_P(McpServeSignal, EndsItInOrderInTheMiddleOfACall) {
  step_.Start();
  StartSleeping(step_);
  step_.Kill(GetParam());
  EXPECT_EQ(step_.WaitForEnd(), 0);
  ASSERT_TRUE(step_.ServeUntil([&] { return step_.Count(Kind::kClosed) == 1; }));
  // On a machine that is too busy for the 100 ms the server exits without both, and the parent takes the call as lost.
  const auto finished = step_.Messages<channel::CallFinished>();
  EXPECT_EQ(step_.events().back().said_bye, finished.size() == 1);
  for (const auto& each : finished) EXPECT_EQ(each.end.outcome, CallOutcome::kCancelled);
  EXPECT_TRUE(step_.ServeUntil([&] { return !IsAlive(step_.Path("work/started")); }));
}

INSTANTIATE_TEST_SUITE_P(All, McpServeSignal, testing::Values(SIGTERM, SIGINT, SIGHUP));

TEST_F(McpServe, AKilledServerLeavesAStartedCallWithoutEnd) {
  step_.Start();
  StartSleeping(step_);
  step_.Kill(SIGKILL);
  EXPECT_EQ(step_.WaitForEnd(), 128 + SIGKILL);
  ASSERT_TRUE(step_.ServeUntil([&] { return step_.Count(Kind::kClosed) == 1; }));
  EXPECT_FALSE(step_.events().back().said_bye);
  EXPECT_EQ(step_.Messages<channel::CallStarted>().size(), 1U);
  EXPECT_TRUE(step_.Messages<channel::CallFinished>().empty());
  EXPECT_TRUE(step_.ServeUntil([&] { return !IsAlive(step_.Path("work/started")); }));
}

TEST_F(McpServe, WithoutItsParentItEndsWithThree) {
  step_.Start();
  StartSleeping(step_);
  step_.LoseParent();
  EXPECT_EQ(step_.WaitForEnd(), 3);
  EXPECT_TRUE(step_.ServeUntil([&] { return !IsAlive(step_.Path("work/started")); }));
}

TEST_F(McpServe, ACommandCannotSpeakOnTheChannel) {
  // The command has the token and may connect, as one that reads serve.json could.
  step_.Start();
  step_.Send(CallLine(1, "Bash",
                      {{"command", "exec '" + std::string(std::getenv("AWF_PROGRAM")) + "' mcp-serve --config '" +
                                       step_.ConfigFile().string() + "' < /dev/null"}}));
  const json::object answer = step_.Answer(1);
  EXPECT_TRUE(answer.at("result").at("isError").as_bool()) << json::serialize(answer);
  EXPECT_EQ(step_.Count(Kind::kConnected), 1U);
  ASSERT_EQ(step_.Count(Kind::kRefused), 1U);
  EXPECT_NE(json::serialize(answer).find("descends from a server of this step"), std::string::npos)
      << json::serialize(answer);
}

TEST_F(McpServe, TheDeadlineOfTheStepEndsItsCommands) {
  step_.config().tools.deadline = SteadyClock::now() + std::chrono::seconds(2);
  step_.Start();
  step_.Send(CallLine(1, "Bash", {{"command", "sleep 1000"}, {"timeout", 900'000}}));
  const json::object answer = step_.Answer(1);
  EXPECT_NE(json::serialize(answer).find("timed out after"), std::string::npos) << json::serialize(answer);
  step_.ServeOnce();
  ASSERT_EQ(step_.Messages<channel::CallFinished>().size(), 1U);
  EXPECT_EQ(step_.Messages<channel::CallFinished>()[0].end.outcome, CallOutcome::kTimeout);
}

TEST_F(McpServe, AWrongTokenIsRefused) {
  ServeConfig config = step_.config();
  config.token = "wrong";
  step_.WriteConfig(EncodeServeConfig(config));
  step_.Run();
  EXPECT_EQ(step_.WaitForEnd(), 3);
  EXPECT_EQ(step_.Count(Kind::kRefused), 1U);
  EXPECT_NE(step_.Stderr().find("refused: wrong token"), std::string::npos) << step_.Stderr();
}

TEST_F(McpServe, ABadConfigurationIsTold) {
  step_.WriteConfig("{\"version\":1,\n \"socet\":\"x\"}");
  step_.Run();
  EXPECT_EQ(step_.WaitForEnd(), 1);
  EXPECT_NE(step_.Stderr().find("serve.json:1:1: missing key 'socket'"), std::string::npos) << step_.Stderr();
}

TEST_F(McpServe, AMissingConfigurationIsTold) {
  step_.Run();
  EXPECT_EQ(step_.WaitForEnd(), 1);
  EXPECT_NE(step_.Stderr().find("No such file or directory"), std::string::npos) << step_.Stderr();
}

TEST_F(McpServe, NothingToServeIsAnError) {
  step_.config().intercept_builtins = false;
  step_.Start();
  EXPECT_EQ(step_.WaitForEnd(), 1);
  EXPECT_NE(step_.Stderr().find("the tool proxy would offer no tool"), std::string::npos) << step_.Stderr();
}

}  // namespace
}  // namespace awf
