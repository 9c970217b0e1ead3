// What the RPCs of a served plugin answer.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "goplugin/health.pb.h"
#include "test_plugin_process.h"

namespace awf::sdk {
namespace {

namespace wire = ::plugin::v1;

using Data = std::map<std::string, std::string>;

Data DataOf(const wire::ExecuteResponse& response) { return {response.data().begin(), response.data().end()}; }

TEST(SdkCalls, HealthOfThePluginServiceIsServing) {
  ConnectedPlugin plugin;
  ::grpc::health::v1::HealthCheckRequest request;
  request.set_service("plugin");
  const auto reply = plugin.Unary("/grpc.health.v1.Health/Check", request.SerializeAsString());
  ::grpc::health::v1::HealthCheckResponse response;
  ASSERT_TRUE(reply.status.ok()) << reply.status.message;
  ASSERT_TRUE(response.ParseFromString(reply.message));
  EXPECT_EQ(response.status(), ::grpc::health::v1::HealthCheckResponse::SERVING);
}

TEST(SdkCalls, InfoAndOperationsAreWhatWasRegistered) {
  ConnectedPlugin plugin;
  wire::GetInfoResponse info;
  ASSERT_TRUE(info.ParseFromString(plugin.Unary("/plugin.v1.PluginService/GetInfo").message));
  EXPECT_EQ(info.name(), "demo");
  EXPECT_EQ(info.version(), "0.1.0");
  EXPECT_EQ(info.description(), "Operations for awf's tests.");
  ASSERT_EQ(info.capabilities_size(), 1);
  EXPECT_EQ(info.capabilities(0), "operations");

  wire::ListOperationsResponse list;
  ASSERT_TRUE(list.ParseFromString(plugin.Unary("/plugin.v1.OperationService/ListOperations").message));
  std::vector<std::string> names;
  for (const auto& operation : list.operations()) names.push_back(operation.name());
  EXPECT_EQ(names, (std::vector<std::string>{"echo", "add", "void", "big", "types", "env", "state", "trace", "binary",
                                             "die", "exit", "hang", "slow", "print", "fail", "throw"}));
  const wire::OperationSchema& add = list.operations(1);
  EXPECT_EQ(add.description(), "Adds two integers.");
  ASSERT_EQ(add.inputs_size(), 2);
  EXPECT_EQ(add.inputs(0).name(), "a");
  EXPECT_EQ(add.inputs(0).type(), "integer");
  EXPECT_TRUE(add.inputs(0).required());
  ASSERT_EQ(add.outputs_size(), 1);
  EXPECT_EQ(add.outputs(0).description(), "a + b");
  const wire::InputSchema& whole = list.operations(4).inputs(1);
  EXPECT_FALSE(whole.required());
  EXPECT_EQ(whole.default_(), "5");
}

TEST(SdkCalls, OneOperationCanBeAskedFor) {
  ConnectedPlugin plugin;
  wire::GetOperationRequest request;
  request.set_name("echo");
  wire::GetOperationResponse response;
  const auto known = plugin.Unary("/plugin.v1.OperationService/GetOperation", request.SerializeAsString());
  ASSERT_TRUE(response.ParseFromString(known.message));
  EXPECT_EQ(response.operation().description(), "Says back the text.");
  request.set_name("ecko");
  const auto unknown = plugin.Unary("/plugin.v1.OperationService/GetOperation", request.SerializeAsString());
  EXPECT_EQ(unknown.status.code, plugins::kRpcUnknown);
  EXPECT_EQ(unknown.status.message, "unknown operation \"ecko\"");
}

TEST(SdkCalls, AMethodThatIsNotThereIsUnimplementedAndABrokenMessageIsAnError) {
  ConnectedPlugin plugin;
  EXPECT_EQ(plugin.Unary("/plugin.v1.EventService/HandleEvent").status.code, plugins::kRpcUnimplemented);
  EXPECT_EQ(plugin.Unary("/plugin.v1.OperationService/Execute", "\xFF\xFF").status.code, plugins::kRpcInternal);
}

TEST(SdkCalls, InitMayRefuseItsConfiguration) {
  ConnectedPlugin plugin{{DemoPlugin()}, {{"AWF_DEMO_CONFIG", "1"}}};
  const plugins::RpcStatus refused = plugin.Init({});
  EXPECT_EQ(refused.code, plugins::kRpcUnknown);
  EXPECT_EQ(refused.message, "greeting is missing");
  EXPECT_TRUE(plugin.Init({{"greeting", R"("hello")"}}).ok());
}

TEST(SdkCalls, AnswersCarryOutputDataOrNothing) {
  ConnectedPlugin plugin;
  const auto echo = plugin.Answer("echo", {{"text", R"("caf\u00e9")"}});
  EXPECT_TRUE(echo.success());
  EXPECT_EQ(echo.output(), "caf\xC3\xA9");
  EXPECT_EQ(echo.data_size(), 0);
  const auto sum = plugin.Answer("add", {{"a", "9007199254740993"}, {"b", "-1"}});
  EXPECT_TRUE(sum.success());
  EXPECT_EQ(DataOf(sum), (Data{{"sum", "9007199254740992"}}));
  const auto nothing = plugin.Answer("void");
  EXPECT_TRUE(nothing.success());
  EXPECT_EQ(nothing.output() + nothing.error(), "");
  EXPECT_EQ(nothing.data_size(), 0);
}

TEST(SdkCalls, InputsArriveAsTheirJsonText) {
  ConnectedPlugin plugin;
  const auto all = plugin.Answer("types", {{"text", R"("a")"},
                                           {"whole", "3.0"},
                                           {"number", "0.30000000000000004"},
                                           {"flag", "false"},
                                           {"list", "[1, \"b\"]"},
                                           {"map", R"({"k":null})"}});
  EXPECT_EQ(DataOf(all),
            (Data{{"received", R"({"flag":false,"list":[1, "b"],"map":{"k":null},"number":0.30000000000000004,)"
                               R"("text":"a","whole":3.0})"}}));
}

TEST(SdkCalls, FailuresAndExceptionsAreAnswers) {
  ConnectedPlugin plugin;
  const auto failed = plugin.Answer("fail", {{"message", R"("no luck")"}});
  EXPECT_FALSE(failed.success());
  EXPECT_EQ(failed.error(), "no luck");
  const auto thrown = plugin.Answer("throw");
  EXPECT_FALSE(thrown.success());
  EXPECT_EQ(thrown.error(), "plugin panic: thrown by demo");
  EXPECT_EQ(plugin.Answer("ecko").error(), "unknown operation \"ecko\"");
  EXPECT_EQ(plugin.Answer("echo").error(), "input \"text\" is required");
  EXPECT_EQ(plugin.Answer("echo", {{"text", "null"}}).error(), "input \"text\" is required");
  EXPECT_EQ(plugin.Answer("add", {{"a", "1"}, {"b", "1.5"}}).error(), "input \"b\" must be an integer of 64 bits");
}

TEST(SdkCalls, BytesThatAreNoUtf8AreRepairedOnTheWay) {
  ConnectedPlugin plugin;
  const auto answer = plugin.Answer("binary");
  EXPECT_TRUE(answer.success()) << answer.error();
  EXPECT_EQ(answer.output(), "a\xEF\xBF\xBDz");
  EXPECT_EQ(DataOf(answer), (Data{{"field", "\"a\xEF\xBF\xBDz\""}}));
}

TEST(SdkCalls, RequestsAndRepliesMayBeLarge) {
  ConnectedPlugin plugin;
  const std::string text(8 << 20, 'x');  // twice the limit that gRPC has by default
  EXPECT_EQ(plugin.Answer("echo", {{"text", "\"" + text + "\""}}).output(), text);
  EXPECT_EQ(plugin.Answer("big", {{"bytes", "16777216"}}).output(), std::string(16 << 20, 'b'));
}

TEST(SdkCalls, StateLivesBetweenCallsThatRunAtTheSameTime) {
  ConnectedPlugin plugin;
  constexpr int kCalls = 16;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < kCalls; ++i) callers.emplace_back([&] { EXPECT_TRUE(plugin.Answer("state").success()); });
  }
  EXPECT_EQ(DataOf(plugin.Answer("state")), (Data{{"count", "17"}}));
}

TEST(SdkCalls, ACallThatTakesLongHoldsUpNoOther) {
  ConnectedPlugin plugin;
  std::stop_source stop;
  plugins::UnaryReply hanging;
  std::jthread caller{[&] { hanging = plugin.Execute("hang", {}, {.cancelled = stop.get_token()}); }};
  for (int i = 0; i < 20; ++i) EXPECT_EQ(plugin.Answer("echo", {{"text", R"("still here")"}}).output(), "still here");
  stop.request_stop();
  caller.join();
  EXPECT_EQ(hanging.status.code, plugins::kRpcCancelled);
}

TEST(SdkCalls, TheHandlerSeesTheTraceContext) {
  ConnectedPlugin plugin;
  const std::string parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  wire::ExecuteResponse response;
  const auto traced = plugin.Execute("trace", {}, {.metadata = {{"traceparent", parent}}});
  ASSERT_TRUE(response.ParseFromString(traced.message));
  EXPECT_EQ(DataOf(response), (Data{{"traceparent", "\"" + parent + "\""}}));
  EXPECT_EQ(DataOf(plugin.Answer("trace")), (Data{{"traceparent", "\"\""}}));
}

TEST(SdkCalls, ACancelReachesTheHandler) {
  ConnectedPlugin plugin;
  plugin.OpenStdio();
  const TestFolder folder;
  std::stop_source stop;
  std::jthread caller{[&] {
    const Data inputs{{"mark", "\"" + (folder / "mark").string() + "\""}};
    EXPECT_EQ(plugin.Execute("hang", inputs, {.cancelled = stop.get_token()}).status.code, plugins::kRpcCancelled);
  }};
  EXPECT_TRUE(Eventually([&] { return plugin.printed() == "demo: hanging\n"; }));
  EXPECT_EQ(FileText(folder / "mark"), "");
  stop.request_stop();
  EXPECT_TRUE(Eventually([&] { return FileText(folder / "mark") == "cancelled"; }));
}

TEST(SdkCalls, TheDeadlineReachesTheHandler) {
  ConnectedPlugin plugin;
  EXPECT_TRUE(plugin.Answer("void").success());  // connected: the time that follows is the call's own
  plugin.OpenStdio();
  const TestFolder folder;
  const Data inputs{{"mark", "\"" + (folder / "mark").string() + "\""}};
  // The longer time only if a busy machine let the shorter one pass before the call had begun.
  const bool marked = Eventually([&, wait = std::chrono::milliseconds{200}]() mutable {
    const auto late = plugin.Execute("hang", inputs, {.deadline = SteadyClock::now() + wait});
    EXPECT_EQ(late.status.code, plugins::kRpcDeadlineExceeded);
    wait *= 2;
    return plugin.printed() != "";
  });
  EXPECT_TRUE(marked);
  EXPECT_TRUE(Eventually([&] { return FileText(folder / "mark") == "cancelled"; }));
}

TEST(SdkCalls, AnnouncedOperationsComeAsTheFileSays) {
  const TestFolder folder;
  const auto file = folder.Put("operations.json", R"([{"name": "calendar.list", "description": "d",
      "inputs": [{"name": "f", "type": "file", "required": true, "default": "x", "validation": "url"}]}])");
  ConnectedPlugin plugin{{DemoPlugin()}, {{"AWF_DEMO_OPERATIONS", file.string()}}};
  wire::ListOperationsResponse list;
  ASSERT_TRUE(list.ParseFromString(plugin.Unary("/plugin.v1.OperationService/ListOperations").message));
  const wire::OperationSchema& last = list.operations(list.operations_size() - 1);
  EXPECT_EQ(last.name(), "calendar.list");
  ASSERT_EQ(last.inputs_size(), 1);
  EXPECT_EQ(last.inputs(0).type(), "file");
  EXPECT_EQ(last.inputs(0).validation(), "url");
  EXPECT_EQ(DataOf(plugin.Answer("calendar.list", {{"f", "1"}})),
            (Data{{"operation", R"("calendar.list")"}, {"received", R"({"f":1})"}}));
}

}  // namespace
}  // namespace awf::sdk
