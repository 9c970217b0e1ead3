#include "application/tools/tool_router.h"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "application/tools/tool_proxy_service.h"

namespace awf {
namespace {

struct Recorded {
  CallRecord call;
  std::optional<CallEnd> end;
};

class Recorder : public ToolObserver {
 public:
  void Started(const CallRecord& call) override { calls.push_back({call, std::nullopt}); }
  void Finished(const CallRecord& call, const CallEnd& end) override {
    for (Recorded& recorded : calls) {
      if (recorded.call.call != call.call) continue;
      EXPECT_FALSE(recorded.end) << "finished twice";
      recorded.end = end;
      return;
    }
    ADD_FAILURE() << "finished before it started";
  }
  bool Reachable() const override { return reachable; }
  // The one call there must be.
  Recorded Only() const {
    EXPECT_EQ(calls.size(), 1U);
    return calls.empty() ? Recorded{{}, CallEnd{}} : calls.front();
  }

  std::vector<Recorded> calls;
  bool reachable = true;
};

class PlainChecker : public ArgumentChecker {
 public:
  std::expected<json::object, std::string> Check(const ToolDefinition&, const json::object& arguments) const override {
    if (arguments.contains("bad")) return std::unexpected("invalid arguments: 'bad' is no good");
    return arguments;
  }
};

class FakeProvider : public ToolProvider {
 public:
  FakeProvider(std::vector<std::string> names, std::string source)
      : names_(std::move(names)), source_(std::move(source)) {}
  std::vector<ToolDefinition> Tools() const override {
    std::vector<ToolDefinition> tools;
    for (const std::string& name : names_) {
      ToolDefinition tool;
      tool.name = name;
      tool.source = source_;
      tools.push_back(tool);
    }
    return tools;
  }
  ToolResult Call(const ToolCall& call) override { return on_call(call); }

  std::function<ToolResult(const ToolCall&)> on_call = [](const ToolCall&) { return ToolResult::Text("fine"); };

 private:
  std::vector<std::string> names_;
  std::string source_;
};

class ToolRouterTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(router_.Add(builtin_)); }

  std::expected<ToolResult, UnknownTool> Call(std::string_view tool, const json::object& arguments = {}) {
    return router_.Call({tool, arguments, "7", "toolu_1", "tp", {}, stop_.get_token()});
  }
  static std::string Text(const ToolResult& result) { return std::get<TextContent>(result.content.at(0)).text; }

  std::shared_ptr<FakeProvider> builtin_ =
      std::make_shared<FakeProvider>(std::vector<std::string>{"Read", "Bash"}, "builtin");
  PlainChecker checker_;
  Recorder recorder_;
  std::stop_source stop_;
  ToolRouter router_{checker_, recorder_};
};

TEST_F(ToolRouterTest, RunsACallAndRecordsIt) {
  CallId seen;
  builtin_->on_call = [&](const ToolCall& call) {
    EXPECT_EQ(recorder_.calls.size(), 1U) << "must be told before the tool runs";
    seen = call.id;
    ToolResult result = ToolResult::Text("hello");
    result.content.emplace_back(ImageContent{"AAAA", "image/png"});
    result.fields.truncated = true;
    return result;
  };
  const auto result = Call("Read", {{"path", "a"}});
  ASSERT_TRUE(result);
  EXPECT_EQ(Text(*result), "hello");
  const auto [call, end] = recorder_.Only();
  EXPECT_EQ(call.call, seen);
  EXPECT_EQ(call.call.size(), 16U);
  EXPECT_EQ(call.tool, "Read");
  EXPECT_EQ(call.source, "builtin");
  EXPECT_EQ(call.request_id, "7");
  EXPECT_EQ(call.client_call_id, "toolu_1");
  EXPECT_EQ(call.traceparent, "tp");
  EXPECT_EQ(call.bytes_in, std::string_view(R"({"path":"a"})").size());
  EXPECT_EQ(end->outcome, CallOutcome::kOk);
  EXPECT_EQ(end->error, "");
  EXPECT_EQ(end->error_type, "");
  EXPECT_TRUE(end->truncated);
  EXPECT_EQ(end->bytes_out, 9U);
}

TEST_F(ToolRouterTest, UnknownToolIsRecordedAndNamesTheOthers) {
  const auto result = Call("read");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "unknown tool read; available: Read, Bash");
  const auto [call, end] = recorder_.Only();
  EXPECT_EQ(call.tool, "read");
  EXPECT_EQ(call.source, "unknown");
  EXPECT_EQ(end->outcome, CallOutcome::kError);
  EXPECT_EQ(end->error, "unknown tool read; available: Read, Bash");
  EXPECT_EQ(end->error_type, "-32602");
  EXPECT_EQ(end->bytes_out, result.error().message.size());
  EXPECT_EQ(end->duration.count(), 0);
}

TEST_F(ToolRouterTest, HugeNamesAreCut) {
  const auto result = Call(std::string(1 << 20, 'x'));
  ASSERT_FALSE(result);
  EXPECT_LT(result.error().message.size(), 200U);
  EXPECT_EQ(recorder_.Only().call.tool.size(), 1000U);
}

TEST_F(ToolRouterTest, InvalidArgumentsNeverReachTheTool) {
  builtin_->on_call = [](const ToolCall&) -> ToolResult { throw std::logic_error("must not run"); };
  const auto result = Call("Read", {{"bad", 1}});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->is_error);
  EXPECT_EQ(Text(*result), "invalid arguments: 'bad' is no good");
  const CallEnd end = *recorder_.Only().end;
  EXPECT_EQ(end.outcome, CallOutcome::kError);
  EXPECT_EQ(end.error_type, "invalid_arguments");
  EXPECT_EQ(end.error, "invalid arguments: 'bad' is no good");
}

TEST_F(ToolRouterTest, ACallCancelledWhileItWaitedNeverStarts) {
  stop_.request_stop();
  builtin_->on_call = [](const ToolCall&) -> ToolResult { throw std::logic_error("must not run"); };
  ASSERT_TRUE(Call("Read"));
  const CallEnd end = *recorder_.Only().end;
  EXPECT_EQ(end.outcome, CallOutcome::kCancelled);
  EXPECT_EQ(end.error, "cancelled by client");
  EXPECT_EQ(end.error_type, "cancelled");
  EXPECT_EQ(end.duration.count(), 0);
}

TEST_F(ToolRouterTest, ACallCancelledWhileItRanIsRecordedSo) {
  builtin_->on_call = [&](const ToolCall&) {
    stop_.request_stop();
    return ToolResult::Failure("killed");
  };
  ASSERT_TRUE(Call("Bash"));
  EXPECT_EQ(recorder_.Only().end->outcome, CallOutcome::kCancelled);
}

struct Ending {
  std::string_view name;
  std::function<void(ToolResult&)> change;
  CallOutcome outcome;
  std::string_view error, error_type, denied;
};

class ToolRouterEnding : public ToolRouterTest, public testing::WithParamInterface<Ending> {};

TEST_P(ToolRouterEnding, BecomesTheRecord) {
  builtin_->on_call = [](const ToolCall&) {
    ToolResult result = ToolResult::Failure("first line\nsecond line");
    GetParam().change(result);
    return result;
  };
  ASSERT_TRUE(Call("Bash"));
  const CallEnd end = *recorder_.Only().end;
  EXPECT_EQ(end.outcome, GetParam().outcome);
  EXPECT_EQ(end.error, GetParam().error);
  EXPECT_EQ(end.error_type, GetParam().error_type);
  EXPECT_EQ(end.denied, GetParam().denied);
}

INSTANTIATE_TEST_SUITE_P(
    All, ToolRouterEnding,
    testing::Values(Ending{"error", [](ToolResult&) {}, CallOutcome::kError, "first line", "tool_error", ""},
                    Ending{"log_error", [](ToolResult& r) { r.fields.log_error = "for the log"; }, CallOutcome::kError,
                           "for the log", "tool_error", ""},
                    Ending{"timeout", [](ToolResult& r) { r.fields.timed_out = true; }, CallOutcome::kTimeout,
                           "first line", "timeout", ""},
                    Ending{"arguments", [](ToolResult& r) { r.fields.invalid_arguments = true; }, CallOutcome::kError,
                           "first line", "invalid_arguments", ""},
                    Ending{"cancelled", [](ToolResult& r) { r.fields.cancelled = true; }, CallOutcome::kCancelled,
                           "cancelled by client", "cancelled", ""},
                    Ending{"denied", [](ToolResult& r) { r.fields.denied = "sandbox"; }, CallOutcome::kDenied,
                           "first line", "policy_denied", "sandbox"},
                    Ending{"lost", [](ToolResult& r) { r.fields.lost = true; }, CallOutcome::kLost, "first line",
                           "proxy_lost", ""},
                    Ending{"long", [](ToolResult& r) { r.fields.log_error = std::string(199, 'x') + "\xC3\xA4yz"; },
                           CallOutcome::kError,
                           []() -> std::string_view {
                             static const std::string kText = std::string(199, 'x') + "…";
                             return kText;
                           }(),
                           "tool_error", ""},
                    Ending{"bad bytes", [](ToolResult& r) { r.fields.log_error = "a\xFFz"; }, CallOutcome::kError,
                           "a\xEF\xBF\xBDz", "tool_error", ""}),
    [](const auto& ending) {
      std::string name(ending.param.name);
      std::ranges::replace(name, ' ', '_');
      return name;
    });

TEST_F(ToolRouterTest, ExitCodeReachesTheRecord) {
  builtin_->on_call = [](const ToolCall&) {
    ToolResult result = ToolResult::Failure("exit_code: 3");
    result.fields.exit_code = 3;
    return result;
  };
  ASSERT_TRUE(Call("Bash"));
  EXPECT_EQ(recorder_.Only().end->exit_code, 3);
}

TEST_F(ToolRouterTest, TheRpcReachesTheRecord) {
  const RpcRecord rpc{"plugin.v1.OperationService", "Execute", 14, std::chrono::microseconds(3),
                      std::chrono::microseconds(40)};
  builtin_->on_call = [&](const ToolCall&) {
    ToolResult result = ToolResult::Failure("the connection broke");
    result.fields.rpc = rpc;
    return result;
  };
  ASSERT_TRUE(Call("Bash"));
  EXPECT_EQ(recorder_.Only().end->rpc, rpc);
}

TEST_F(ToolRouterTest, WhatAToolThrowsIsAnErrorOfTheCall) {
  builtin_->on_call = [](const ToolCall&) -> ToolResult { throw std::runtime_error("details"); };
  const auto result = Call("Read");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->is_error);
  EXPECT_EQ(Text(*result), "internal error in tool Read");
  EXPECT_EQ(recorder_.Only().end->error, "internal error in tool Read: details");

  builtin_->on_call = [](const ToolCall&) -> ToolResult { throw 7; };
  ASSERT_TRUE(Call("Read"));
  EXPECT_EQ(recorder_.calls.at(1).end->error, "internal error in tool Read: unknown exception");
}

TEST_F(ToolRouterTest, NoToolRunsUnobserved) {
  recorder_.reachable = false;
  builtin_->on_call = [](const ToolCall&) -> ToolResult { throw std::logic_error("must not run"); };
  const auto result = Call("Read");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->is_error);
  EXPECT_EQ(Text(*result), "awf, which supervises this server, is gone. The tool was not run.");
  EXPECT_EQ(recorder_.Only().end->outcome, CallOutcome::kLost);
}

TEST_F(ToolRouterTest, AResultIsNeverWithoutText) {
  builtin_->on_call = [](const ToolCall&) { return ToolResult{{ImageContent{"AAAA", "image/png"}}, false, {}}; };
  const auto result = Call("Read");
  ASSERT_TRUE(result);
  ASSERT_EQ(result->content.size(), 2U);
  EXPECT_EQ(Text(*result), "(no output)");

  builtin_->on_call = [](const ToolCall&) { return ToolResult::Text(""); };
  const auto empty = Call("Read");
  ASSERT_TRUE(empty);
  ASSERT_EQ(empty->content.size(), 1U);
  EXPECT_EQ(Text(*empty), "(no output)");
}

TEST_F(ToolRouterTest, RejectedFramesHaveARecordToo) {
  const json::object none;
  router_.Reject({"Read", none, "\"x\"", "", "", {}, {}}, "id in flight", "-32600");
  const auto [call, end] = recorder_.Only();
  EXPECT_EQ(call.tool, "Read");
  EXPECT_EQ(call.source, "builtin");
  EXPECT_EQ(call.request_id, "\"x\"");
  EXPECT_EQ(end->outcome, CallOutcome::kError);
  EXPECT_EQ(end->error, "id in flight");
  EXPECT_EQ(end->error_type, "-32600");
  EXPECT_EQ(call.bytes_in, 2U);
  EXPECT_EQ(end->bytes_out, 12U);
}

TEST_F(ToolRouterTest, BuiltinsComeFirstThenByName) {
  ASSERT_TRUE(router_.Add(std::make_shared<FakeProvider>(std::vector<std::string>{"z_b", "a_c"}, "plugin:z")));
  ASSERT_TRUE(router_.Add(std::make_shared<FakeProvider>(std::vector<std::string>{"m"}, "plugin:m")));
  EXPECT_EQ(router_.Names(), (std::vector<std::string>{"Read", "Bash", "a_c", "m", "z_b"}));
}

TEST_F(ToolRouterTest, RefusesATakenName) {
  const auto added = router_.Add(std::make_shared<FakeProvider>(std::vector<std::string>{"x", "Read"}, "plugin:p"));
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, "USER.MCP_PROXY.NAME_COLLISION");
  EXPECT_EQ(added.error().message, "two tools would be named Read (builtin and plugin:p)");
  EXPECT_EQ(router_.Names(), (std::vector<std::string>{"Read", "Bash"}));  // nothing of it was taken over
  EXPECT_FALSE(router_.Add(std::make_shared<FakeProvider>(std::vector<std::string>{"x", "x"}, "plugin:p")));
}

TEST(ToolProxyService, AssemblesProvidersOrSaysWhyNot) {
  PlainChecker checker;
  Recorder recorder;
  const ToolProxyService service(checker, recorder);
  const auto a = std::make_shared<FakeProvider>(std::vector<std::string>{"a"}, "plugin:a");
  const auto router = service.Assemble({a});
  ASSERT_TRUE(router);
  EXPECT_EQ((*router)->Names(), std::vector<std::string>{"a"});
  EXPECT_EQ(service.Assemble({}).error().code, "USER.MCP_PROXY.EMPTY_PROXY");
  EXPECT_EQ(service.Assemble({a, a}).error().code, "USER.MCP_PROXY.NAME_COLLISION");
}

TEST_F(ToolRouterTest, ContentIsCapturedOnlyWhenItIsWanted) {
  ASSERT_TRUE(Call("Read", {{"path", "a"}}));
  EXPECT_EQ(recorder_.Only().call.arguments, "");
  EXPECT_EQ(recorder_.Only().end->result, "");
  router_.CaptureContent(true);
  ASSERT_TRUE(Call("Read", {{"path", "a"}}));
  ASSERT_TRUE(Call("Read", {{"bad", 1}}));
  EXPECT_FALSE(Call("Nope", {{"x", 1}}));
  router_.Reject({"Read", {}, "7", "", "", {}, {}}, "arguments are no object", "-32602");
  ASSERT_EQ(recorder_.calls.size(), 5U);
  const auto content = [&](std::size_t i) {
    return recorder_.calls[i].call.arguments + " " + recorder_.calls[i].end->result;
  };
  EXPECT_EQ(content(1), R"({"path":"a"} fine)");
  EXPECT_EQ(content(2), R"({"bad":1} invalid arguments: 'bad' is no good)");
  EXPECT_EQ(content(3), R"({"x":1} unknown tool Nope; available: Read, Bash)");
  EXPECT_EQ(content(4), "{} arguments are no object");
}

TEST_F(ToolRouterTest, ArgumentsThatAreNoObjectAreRecordedAsTheyCame) {
  const json::object none;
  const std::string longer(kLongestContent + 1, 'x');
  for (const bool capture : {false, true}) {
    router_.CaptureContent(capture);
    for (const std::string_view raw : {std::string_view("{bad"), std::string_view(longer)})
      router_.Reject({"Read", none, "", "", "", {}, {}, "", raw}, "no object", "invalid_arguments");
  }
  ASSERT_EQ(recorder_.calls.size(), 4U);
  const auto call = [&](std::size_t i) { return recorder_.calls[i].call; };
  EXPECT_EQ(call(0).bytes_in, 4U);
  EXPECT_EQ(call(0).arguments, "");
  EXPECT_EQ(call(2).bytes_in, 4U);
  EXPECT_EQ(call(2).arguments, "{bad");
  EXPECT_EQ(call(3).bytes_in, kLongestContent + 1);
  EXPECT_EQ(call(3).arguments, std::string(kLongestContent, 'x'));
  EXPECT_TRUE(ArgumentsWereCut(call(3)));
}

TEST_F(ToolRouterTest, CapturedContentIsBounded) {
  router_.CaptureContent(true);
  builtin_->on_call = [](const ToolCall&) { return ToolResult::Text(std::string(1'000'000, 'y')); };
  ASSERT_TRUE(Call("Read", {{"content", std::string(1'000'000, 'x')}}));
  const auto [call, end] = recorder_.Only();
  EXPECT_LE(call.arguments.size(), kLongestContent);
  EXPECT_EQ(call.bytes_in, 1'000'014U);
  EXPECT_TRUE(ArgumentsWereCut(call));
  EXPECT_EQ(end->result, std::string(kLongestContent, 'y'));
  EXPECT_EQ(end->bytes_out, 1'000'000U);
  EXPECT_TRUE(ResultWasCut(*end));
}

}  // namespace
}  // namespace awf
