#include <gtest/gtest.h>

#include "infrastructure/step_channel/step_channel.h"

namespace awf::channel {
namespace {

TEST(Message, ReadyGoesThereAndBack) {
  const auto back = Decode(Encode(Ready{"claude-code", "2.1.332", "2025-11-25"}));
  ASSERT_TRUE(back) << back.error();
  const Ready& ready = std::get<Ready>(*back);
  EXPECT_EQ(ready.client, "claude-code");
  EXPECT_EQ(ready.client_version, "2.1.332");
  EXPECT_EQ(ready.protocol_version, "2025-11-25");
}

TEST(Message, ToolsListedGoesThereAndBack) {
  const auto back = Decode(Encode(ToolsListed{2, {"Read", "Write"}, "[1,\"\\n\"]"}));
  ASSERT_TRUE(back) << back.error();
  const ToolsListed& listed = std::get<ToolsListed>(*back);
  EXPECT_EQ(listed.count, 2U);
  EXPECT_EQ(listed.names, (std::vector<std::string>{"Read", "Write"}));
  EXPECT_EQ(listed.digest_input, "[1,\"\\n\"]");
}

CallRecord SomeCall() {
  CallRecord call;
  call.call = "9f02c4d17be6a038";
  call.tool = "Grep";
  call.source = "builtin";
  call.request_id = "\"a\\\"b\"";
  call.client_call_id = "toolu_1";
  call.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  call.tracestate = "a=1";
  call.time = WallClock::time_point(std::chrono::microseconds(1'793'700'909'123'456));
  call.bytes_in = 17;
  return call;
}

TEST(Message, CallStartedIsOneLineWithItsFields) {
  EXPECT_EQ(Encode(CallStarted{SomeCall()}),
            R"({"type":"call_started","call":"9f02c4d17be6a038","tool":"Grep","source":"builtin",)"
            R"("request_id":"\"a\\\"b\"","client_call_id":"toolu_1",)"
            R"("traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01","tracestate":"a=1",)"
            R"("time":1793700909123456,"bytes_in":17})");
}

TEST(Message, CallStartedGoesThereAndBack) {
  const CallRecord call = SomeCall();
  const auto back = Decode(Encode(CallStarted{call}));
  ASSERT_TRUE(back) << back.error();
  const CallRecord& read = std::get<CallStarted>(*back).call;
  EXPECT_EQ(read.call, call.call);
  EXPECT_EQ(read.tool, call.tool);
  EXPECT_EQ(read.source, call.source);
  EXPECT_EQ(read.request_id, call.request_id);
  EXPECT_EQ(read.client_call_id, call.client_call_id);
  EXPECT_EQ(read.traceparent, call.traceparent);
  EXPECT_EQ(read.tracestate, "a=1");
  EXPECT_EQ(read.time, call.time);
  EXPECT_EQ(read.bytes_in, call.bytes_in);
}

TEST(Message, CallFinishedGoesThereAndBack) {
  CallEnd end;
  end.outcome = CallOutcome::kDenied;
  end.duration = std::chrono::microseconds(1234);
  end.error = "Blocked by the sandbox";
  end.error_type = "policy_denied";
  end.denied = "sandbox";
  end.truncated = true;
  end.bytes_out = 99;
  end.exit_code = -1;
  const auto back = Decode(Encode(CallFinished{"0123456789abcdef", end}));
  ASSERT_TRUE(back) << back.error();
  const CallFinished& read = std::get<CallFinished>(*back);
  EXPECT_EQ(read.call, "0123456789abcdef");
  EXPECT_EQ(read.end.outcome, CallOutcome::kDenied);
  EXPECT_EQ(read.end.duration.count(), 1234);
  EXPECT_EQ(read.end.error, "Blocked by the sandbox");
  EXPECT_EQ(read.end.error_type, "policy_denied");
  EXPECT_EQ(read.end.denied, "sandbox");
  EXPECT_TRUE(read.end.truncated);
  EXPECT_EQ(read.end.bytes_out, 99U);
  EXPECT_EQ(read.end.exit_code, -1);
}

TEST(Message, AnOkCallLeavesOutWhatDoesNotApply) {
  EXPECT_EQ(Encode(CallFinished{"0123456789abcdef", {}}),
            R"({"type":"call_finished","call":"0123456789abcdef","duration_us":0,"outcome":"ok","bytes_out":0})");
  const auto back = Decode(Encode(CallFinished{"0123456789abcdef", {}}));
  ASSERT_TRUE(back) << back.error();
  EXPECT_FALSE(std::get<CallFinished>(*back).end.exit_code);
}

TEST(Message, ByeGoesThereAndBack) {
  EXPECT_EQ(Encode(Bye{}), R"({"type":"bye"})");
  EXPECT_TRUE(std::holds_alternative<Bye>(*Decode(Encode(Bye{}))));
}

TEST(Message, BadUtf8IsRepairedAndLineFeedsAreEscaped) {
  CallRecord call = SomeCall();
  call.tool = "a\xFF\nb";
  const std::string line = Encode(CallStarted{call});
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto back = Decode(line);
  ASSERT_TRUE(back) << back.error();
  EXPECT_EQ(std::get<CallStarted>(*back).call.tool, "a\xEF\xBF\xBD\nb");
}

TEST(Message, TheFileThatACallWroteGoesThereAndBack) {
  CallEnd end;
  end.written = WrittenFile{-1, 1234567890123, 1'800'000'000'000'000'001};
  const auto back = Decode(Encode(CallFinished{SomeCall().call, end}));
  ASSERT_TRUE(back) << back.error();
  EXPECT_EQ(std::get<CallFinished>(*back).end.written, end.written);
  EXPECT_FALSE(Decode(R"({"type":"call_finished","call":"0123456789abcdef","duration_us":1,"outcome":"ok",)"
                      R"("bytes_out":1,"written_inode":1})"));
}

TEST(Message, CapturedContentGoesThereAndBackWithinItsBound) {
  CallRecord call = SomeCall();
  call.arguments = R"({"path":"a\u0001"})";
  auto back = Decode(Encode(CallStarted{call}));
  ASSERT_TRUE(back) << back.error();
  EXPECT_EQ(std::get<CallStarted>(*back).call.arguments, call.arguments);
  CallEnd end;
  end.result = std::string(2 * kLongestContent, '\x01');  // as a server that does not keep to it might send
  back = Decode(Encode(CallFinished{call.call, end}));
  ASSERT_TRUE(back) << back.error();
  EXPECT_EQ(std::get<CallFinished>(*back).end.result, std::string(kLongestContent, '\x01'));
}

TEST(Message, TheRpcOfACallGoesThereAndBack) {
  CallEnd end;
  end.rpc = RpcRecord{"plugin.v1.OperationService", "Execute", 14, std::chrono::microseconds(7),
                      std::chrono::microseconds(1234)};
  const std::string line = Encode(CallFinished{SomeCall().call, end});
  EXPECT_EQ(line, R"({"type":"call_finished","call":"9f02c4d17be6a038","duration_us":0,"outcome":"ok","bytes_out":0,)"
                  R"("rpc_service":"plugin.v1.OperationService","rpc_method":"Execute","rpc_status":14,)"
                  R"("rpc_begin_us":7,"rpc_duration_us":1234})");
  const auto back = Decode(line);
  ASSERT_TRUE(back) << back.error();
  EXPECT_EQ(std::get<CallFinished>(*back).end.rpc, end.rpc);
}

TEST(Message, PluginCallGoesThereAndBack) {
  PluginCall call{"0123456789abcdef", "forge", "create", {}, {}};
  call.arguments = {{"n", 18446744073709551615U}, {"f", 0.1 + 0.2}, {"text", "a\n\"b"}};
  call.deadline = SteadyClock::time_point(std::chrono::milliseconds(987'654'321));
  const std::string line = Encode(call);
  EXPECT_EQ(line, R"({"type":"plugin_call","call":"0123456789abcdef","plugin":"forge","operation":"create",)"
                  R"("arguments":{"n":18446744073709551615,"f":3.0000000000000004E-1,"text":"a\n\"b"},)"
                  R"("deadline_ms":987654321})");
  auto back = Decode(line);
  ASSERT_TRUE(back) << back.error();
  const PluginCall& read = std::get<PluginCall>(*back);
  EXPECT_EQ(read.call, call.call);
  EXPECT_EQ(read.plugin, "forge");
  EXPECT_EQ(read.operation, "create");
  EXPECT_EQ(read.arguments, call.arguments);
  EXPECT_EQ(read.deadline, call.deadline);

  call.deadline.reset();
  back = Decode(Encode(call));
  ASSERT_TRUE(back) << back.error();
  EXPECT_FALSE(std::get<PluginCall>(*back).deadline);
}

TEST(Message, ArgumentsMayNestAsDeepAsAClientsMay) {
  json::value nested = 7;
  for (int i = 0; i < 199; ++i) nested = json::array{nested};
  PluginCall call{"0123456789abcdef", "p", "o", {{"x", nested}}, {}};
  const auto back = Decode(Encode(call));
  ASSERT_TRUE(back) << back.error();
  EXPECT_EQ(std::get<PluginCall>(*back).arguments, call.arguments);
}

TEST(Message, PluginCancelGoesThereAndBack) {
  EXPECT_EQ(Encode(PluginCancel{"0123456789abcdef"}), R"({"type":"plugin_cancel","call":"0123456789abcdef"})");
  EXPECT_EQ(std::get<PluginCancel>(*Decode(Encode(PluginCancel{"0123456789abcdef"}))).call, "0123456789abcdef");
}

struct BadLine {
  std::string_view line, fault;
};

class BadMessage : public testing::TestWithParam<BadLine> {};

TEST_P(BadMessage, IsRefused) {
  const auto message = Decode(GetParam().line);
  ASSERT_FALSE(message);
  EXPECT_EQ(message.error().substr(0, GetParam().fault.size()), GetParam().fault);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadMessage,
    testing::Values(
        BadLine{"", "line is not JSON"}, BadLine{"{", "line is not JSON"}, BadLine{"{} {}", "line is not JSON"},
        BadLine{"{\"type\":\"\xFF\"}", "line is not JSON"}, BadLine{"[]", "line is not a JSON object"},
        BadLine{"{}", "unknown message type"}, BadLine{R"({"type":"hello"})", "unknown message type"},
        BadLine{R"({"type":7})", "unknown message type"},
        BadLine{R"({"type":"ready","client":"a","client_version":1,"protocol_version":"c"})",
                "member 'client_version' is"},
        BadLine{R"({"type":"tools_listed","count":-1,"names":[],"digest_input":""})", "member 'count' is"},
        BadLine{R"({"type":"tools_listed","count":1,"names":[1],"digest_input":""})", "member 'names' is"},
        BadLine{R"({"type":"tools_listed","count":1,"names":{},"digest_input":""})", "member 'names' is"},
        BadLine{R"({"type":"call_started","call":"XYZ","tool":"","source":"","request_id":"","time":1,"bytes_in":1})",
                "member 'call' is"},
        BadLine{R"({"type":"call_started","call":"0123456789abcdef","tool":"t","source":"s","request_id":"1",)"
                R"("time":9223372036854775807,"bytes_in":1})",
                "member 'time' is"},
        BadLine{R"({"type":"call_started","call":"0123456789abcdef","tool":"t","source":"s","time":1,"bytes_in":1})",
                "member 'request_id' is"},
        BadLine{R"({"type":"call_finished","call":"0123456789abcdef","duration_us":1,"outcome":"fine","bytes_out":0})",
                "member 'outcome' is"},
        BadLine{R"({"type":"call_finished","call":"0123456789abcdef","duration_us":1.5,"outcome":"ok","bytes_out":0})",
                "member 'duration_us' is"},
        BadLine{R"({"type":"call_finished","call":"0123456789abcdef","duration_us":1,"outcome":"ok","bytes_out":0,)"
                R"("exit_code":4294967296})",
                "member 'exit_code' is"},
        BadLine{R"({"type":"call_finished","call":"0123456789abcdef","duration_us":1,"outcome":"ok","bytes_out":0,)"
                R"("truncated":1})",
                "member 'truncated' is"},
        BadLine{R"({"type":"call_finished","call":"0123456789abcdef","duration_us":1,"outcome":"ok","bytes_out":0,)"
                R"("rpc_method":"Execute"})",
                "member 'rpc_service' is"},
        BadLine{R"({"type":"plugin_call","call":"0123456789abcdef","plugin":"p","operation":"o"})",
                "member 'arguments' is"},
        BadLine{R"({"type":"plugin_call","call":"0123456789abcdef","plugin":"p","operation":"o","arguments":[]})",
                "member 'arguments' is"},
        BadLine{R"({"type":"plugin_call","call":"0123456789abcdef","plugin":"p","operation":7,"arguments":{}})",
                "member 'operation' is"},
        BadLine{R"({"type":"plugin_call","call":"0123456789abcdef","plugin":"p","operation":"o","arguments":{},)"
                R"("deadline_ms":-1})",
                "member 'deadline_ms' is"},
        BadLine{
            R"({"type":"plugin_call","call":"0123456789abcdef","plugin":"p","operation":"o","arguments":{"x":1e999}})",
            "line is not JSON: number out of range"},
        BadLine{R"({"type":"plugin_cancel","call":"0123456789ABCDEF"})", "member 'call' is"},
        BadLine{R"({"type":"plugin_result","call":"0123456789abcdef","content":[],"is_error":false})",
                "unknown message type"}));

}  // namespace
}  // namespace awf::channel
