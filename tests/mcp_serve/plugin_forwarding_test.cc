// `awf mcp-serve` with tools of plugins: forwarded to this test, which is the awf run behind it.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "served_step.h"

namespace awf {
namespace {

using channel::CallFinished;
using channel::PluginCall;

class PluginForwarding : public testing::Test {
 protected:
  PluginForwarding() {
    ForwardedTool tool;
    tool.definition.name = "forge_create";
    tool.definition.description = "creates";
    tool.definition.input_schema =
        json::parse(R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})").as_object();
    tool.definition.source = "plugin:forge";
    tool.plugin = "forge";
    tool.operation = "create";
    step_.config().plugin_tools = {tool};
  }
  std::string Names() {
    step_.Send(R"({"jsonrpc":"2.0","id":"list","method":"tools/list"})");
    std::string names;
    const json::object listed = step_.Answer("list");
    for (const json::value& tool : listed.at("result").at("tools").as_array())
      names += std::string(tool.at("name").as_string()) + " ";
    return names;
  }
  // The plugin call that has come, of those of the given number.
  PluginCall Came(std::size_t count = 1) {
    EXPECT_TRUE(step_.ServeUntil([&] { return step_.Messages<PluginCall>().size() >= count; })) << step_.Stderr();
    const auto calls = step_.Messages<PluginCall>();
    return calls.size() < count ? PluginCall() : calls[count - 1];
  }
  // Once the server is in order to serve, as many threads as it has.
  std::ptrdiff_t Threads() {
    Names();
    return std::distance(std::filesystem::directory_iterator("/proc/" + std::to_string(step_.pid()) + "/task"),
                         std::filesystem::directory_iterator());
  }

  ServedStep step_;
};

TEST_F(PluginForwarding, ToolsOfPluginsStandBehindTheSix) {
  step_.Start();
  EXPECT_EQ(Names(), "Read Write Edit Bash Glob Grep forge_create ");
  ASSERT_TRUE(step_.ServeUntil([&] { return !step_.Messages<channel::ToolsListed>().empty(); }));
  const auto listed = step_.Messages<channel::ToolsListed>();
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0].count, 7U);
  EXPECT_NE(listed[0].digest_input.find("\"creates\""), std::string::npos);
}

TEST_F(PluginForwarding, WithoutTheSixTheyStandAlone) {
  step_.config().intercept_builtins = false;
  step_.Start();
  EXPECT_EQ(Names(), "forge_create ");
}

TEST_F(PluginForwarding, ACallIsToldThenForwardedAndItsResultPassedOn) {
  step_.config().tools.deadline =
      std::chrono::floor<std::chrono::milliseconds>(SteadyClock::now()) + std::chrono::seconds(90);
  step_.Start();
  step_.Send(CallLine(1, "forge_create", {{"n", "7"}, {"foreign", 1}}));
  const json::object refused = step_.Answer(1);
  EXPECT_TRUE(refused.at("result").at("isError").as_bool()) << json::serialize(refused);
  step_.Send(CallLine(2, "forge_create", {{"n", "7"}}));
  const PluginCall call = Came();
  EXPECT_EQ(call.plugin, "forge");
  EXPECT_EQ(call.operation, "create");
  EXPECT_EQ(call.arguments, (json::object{{"n", 7}}));  // checked and coerced here
  EXPECT_EQ(call.deadline, step_.config().tools.deadline);
  const auto started = step_.Messages<channel::CallStarted>();  // before it
  ASSERT_EQ(started.size(), 2U);
  EXPECT_EQ(started[1].call.call, call.call);
  EXPECT_EQ(started[1].call.source, "plugin:forge");

  channel::PluginResult result{call.call, ToolResult::Failure("no such repository")};
  result.result.content.emplace_back(ImageContent{"QUJD", "image/png"});
  result.result.fields.truncated = true;
  result.result.fields.rpc = RpcRecord{"plugin.v1.OperationService", "Execute", 0, {}, std::chrono::microseconds(7)};
  step_.SendResult(result);
  const json::object answer = step_.Answer(2);
  step_.ServeOnce();
  EXPECT_TRUE(answer.at("result").at("isError").as_bool());
  EXPECT_EQ(answer.at("result").at("content"),
            json::parse(R"([{"type":"text","text":"no such repository"},)"
                        R"({"type":"image","data":"QUJD","mimeType":"image/png"}])"));
  const auto finished = step_.Messages<CallFinished>();
  ASSERT_EQ(finished.size(), 2U);
  EXPECT_EQ(finished[1].end.outcome, CallOutcome::kError);
  EXPECT_EQ(finished[1].end.error, "no such repository");
  EXPECT_TRUE(finished[1].end.truncated);
  EXPECT_EQ(finished[1].end.rpc, result.result.fields.rpc);
}

TEST_F(PluginForwarding, WithoutItsParentACallIsLostAndTheServerEndsWithThree) {
  step_.Start();
  step_.Send(CallLine(1, "forge_create", {{"n", 7}}));
  Came();
  step_.LoseParent();
  const json::object answer = step_.Answer(1);
  EXPECT_EQ(answer.at("result").at("content").at(0).at("text").as_string(),
            "awf, which runs the plugins, is gone. Whether the call had an effect is not known.");
  EXPECT_EQ(step_.WaitForEnd(), 3);
}

TEST_F(PluginForwarding, AnEndInTheMiddleOfACallCancelsItAndSaysBye) {
  step_.Start();
  step_.Send(InitializeLine());
  step_.Answer(0);
  step_.Send(CallLine(1, "forge_create", {{"n", 7}}));
  const PluginCall call = Came();
  step_.CloseStdin();
  EXPECT_EQ(step_.WaitForEnd(), 0);
  ASSERT_TRUE(step_.ServeUntil([&] { return step_.Count(channel::ServerEvent::Kind::kClosed) == 1; }));
  ASSERT_EQ(step_.Messages<channel::PluginCancel>().size(), 1U);
  EXPECT_EQ(step_.Messages<channel::PluginCancel>()[0].call, call.call);
  ASSERT_EQ(step_.Messages<CallFinished>().size(), 1U);
  EXPECT_EQ(step_.Messages<CallFinished>()[0].end.outcome, CallOutcome::kCancelled);
  EXPECT_TRUE(step_.events().back().said_bye);
}

TEST_F(PluginForwarding, OnlyToolsOfPluginsCostAThread) {
  step_.Start();
  const auto with = Threads();
  ServedStep plain;
  plain.Start();
  plain.Send(R"({"jsonrpc":"2.0","id":"list","method":"tools/list"})");
  plain.Answer("list");
  EXPECT_EQ(with,
            1 + std::distance(std::filesystem::directory_iterator("/proc/" + std::to_string(plain.pid()) + "/task"),
                              std::filesystem::directory_iterator()));
}

}  // namespace
}  // namespace awf
