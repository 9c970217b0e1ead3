// Context, cancellation and progress of calls. The hook feeds the session again, as if the client had sent it
// meanwhile.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "session_fixture.h"

namespace mcp {
namespace {

using SessionCallsTest = SessionTest;

TEST_F(SessionCallsTest, GivesTheCallItsContext) {
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  std::vector<Lines> seen;
  hook_ = [&](CallContext& c, const json::object&) {
    seen.push_back({std::string(c.request_id()), std::string(c.client_call_id()), std::string(c.traceparent()),
                    std::string(c.tracestate()), std::string(c.baggage()), json::serialize(c.meta())});
    return CallResult{};
  };
  const auto call = [&](const std::string& id, const std::string& meta) {
    Feed(Request(id, "tools/call", R"({"name":"echo","_meta":)" + meta + "}"));
    return seen.back();
  };
  const std::string full = R"({"claudecode/toolUseId":"t1","callId":"c1","traceparent":")" + trace +
                           R"(","tracestate":"a=b","baggage":"k=v"})";
  EXPECT_EQ(call("7", full), (Lines{"7", "t1", trace, "a=b", "k=v", full}));
  EXPECT_EQ(call("\"\\u0037\"", R"({"callId":"c1"})"), (Lines{"\"\\u0037\"", "c1", "", "", "", R"({"callId":"c1"})"}));
  for (const std::string bad : {"00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                                "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
                                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
                                "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", ""}) {
    EXPECT_EQ(call("8", R"({"traceparent":")" + bad + R"(","tracestate":"a=b"})")[2], "") << bad;
    EXPECT_EQ(seen.back()[3], "");
  }
  EXPECT_EQ(call("8", R"({"traceparent":"01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x"})")[2],
            "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x");
  EXPECT_EQ(call("8", R"({"traceparent":7,"callId":7,"baggage":"a\nb"})")[1], "");
  EXPECT_EQ(seen.back()[4], "");
}

// Bugs 26 and 27: a cancelled call gets no answer.
TEST_F(SessionCallsTest, Bug26And27CancelsWithoutAnswer) {
  bool fired = false;
  hook_ = [&](CallContext& context, const json::object&) {
    Feed(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"x"}})");
    fired = context.cancelled().stop_requested();
    EXPECT_FALSE(context.Progress(1));
    return CallResult{};
  };
  EXPECT_EQ(Feed(Request("1", "tools/call", R"({"name":"echo","_meta":{"progressToken":1}})")), Lines{});
  EXPECT_TRUE(fired);
  EXPECT_EQ(notes_.notes, Lines{});
  EXPECT_EQ(log_, Lines{});
  hook_ = nullptr;
  EXPECT_EQ(Feed(Request("1", "tools/call", R"({"name":"echo"})")).size(), 1U);  // the id is free again
}

TEST_F(SessionCallsTest, IgnoresCancellationsThatFitNothing) {
  const Lines strays = {
      R"({"jsonrpc":"2.0","method":"notifications/cancelled"})",
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{}})",
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]})",
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}})",
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.0}})",
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})",
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}})",
  };
  hook_ = [&](CallContext& context, const json::object&) {
    for (const std::string& stray : strays) EXPECT_EQ(Feed(stray), Lines{}) << stray;
    EXPECT_FALSE(context.cancelled().stop_requested());
    return CallResult{};
  };
  const std::string call = Request("1", "tools/call", R"({"name":"echo"})");
  EXPECT_EQ(Feed(call).size(), 1U);
  // After the answer, as one client does after every call.
  EXPECT_EQ(Feed(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})"), Lines{});
  EXPECT_EQ(notes_.notes, Lines{});
}

TEST_F(SessionCallsTest, CancelsByTheValueOfAnId) {
  const std::vector<std::pair<std::string, std::string>> same = {
      {R"("\u0061")", R"("a")"}, {"-0", "0"}, {"18446744073709551615", "18446744073709551615"}, {R"("1")", R"("1")"}};
  for (const auto& [id, requested] : same) {
    hook_ = [&](CallContext& context, const json::object&) {
      Feed(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" + requested + "}}");
      EXPECT_TRUE(context.cancelled().stop_requested()) << id;
      return CallResult{};
    };
    EXPECT_EQ(Feed(Request(id, "tools/call", R"({"name":"echo"})")), Lines{});
  }
}

TEST_F(SessionCallsTest, RefusesAnIdInFlightAndLeavesTheFirstAlone) {
  const std::string in_flight = "invalid request: the id is in flight already";
  hook_ = [&](CallContext& context, const json::object&) {
    EXPECT_EQ(One(Request("7", "tools/call", R"({"name":"other"})")), ErrorAnswer("7", -32600, in_flight));
    EXPECT_EQ(notes_.last.tool, "other");
    EXPECT_EQ(One(Request("7", "ping")), ErrorAnswer("7", -32600, in_flight));
    EXPECT_EQ(One(Request("\"7\"", "ping")), Result("\"7\"", "{}"));
    EXPECT_EQ(One(Request("8", "ping")), Result("8", "{}"));
    EXPECT_FALSE(context.cancelled().stop_requested());
    return CallResult{};
  };
  EXPECT_EQ(Feed(Request("7", "tools/call", R"({"name":"echo"})")).size(), 1U);
  EXPECT_EQ(One(Request("7", "ping")), Result("7", "{}"));
}

// Bugs 35 and 36: 0 is a token, and without a token nothing is sent.
TEST_F(SessionCallsTest, Bug35And36SendsProgressForTokensOnly) {
  hook_ = [](CallContext& context, const json::object&) {
    context.Progress(0.5, 2, "half \"way\"");
    return CallResult{};
  };
  const std::string answer = R"({"content":[],"isError":false})";
  for (const std::string token : {"0", "-7", "18446744073709551615", R"("t")", R"("")"}) {
    EXPECT_EQ(Feed(Request("1", "tools/call", R"({"name":"echo","_meta":{"progressToken":)" + token + "}}")),
              (Lines{R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + token +
                         R"(,"progress":5E-1,"total":2,"message":"half \"way\""}})",
                     Result("1", answer)}));
  }
  for (const std::string token : {"1.5", "null", "true", "[0]", "{}"}) {
    EXPECT_EQ(Feed(Request("1", "tools/call", R"({"name":"echo","_meta":{"progressToken":)" + token + "}}")),
              (Lines{Result("1", answer)}));
  }
  EXPECT_EQ(Feed(Request("1", "tools/call", R"({"name":"echo"})")), (Lines{Result("1", answer)}));
  EXPECT_EQ(One(Request("1", "tools/list", R"({"_meta":{"progressToken":0}})")), Result("1", kToolList));
}

TEST_F(SessionCallsTest, SendsProgressOnlyForwardAndNotTooOften) {
  std::size_t sent = 0;
  const auto start = std::chrono::steady_clock::now();
  hook_ = [&](CallContext& context, const json::object&) {
    EXPECT_TRUE(context.Progress(1));
    EXPECT_FALSE(context.Progress(1));
    EXPECT_FALSE(context.Progress(0));
    for (int i = 2; i < 1000; ++i) sent += context.Progress(i) ? 1 : 0;
    return CallResult{};
  };
  const Lines lines = Feed(Request("1", "tools/call", R"({"name":"echo","_meta":{"progressToken":"t"}})"));
  const auto elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(lines.size(), sent + 2);
  EXPECT_LE(sent, static_cast<std::size_t>(elapsed / std::chrono::milliseconds(100)));
}

}  // namespace
}  // namespace mcp
