// Requests of 2026-07-28, the version without initialize.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "session_fixture.h"

namespace mcp {
namespace {

using SessionModernTest = SessionTest;

std::string Modern(std::string_view more = {}, std::string_view version = "2026-07-28") {
  std::string params = R"({"_meta":{"io.modelcontextprotocol/protocolVersion":")" + std::string(version) +
                       R"(","io.modelcontextprotocol/clientInfo":{"name":"new","version":"3"},)"
                       R"("io.modelcontextprotocol/clientCapabilities":{}})";
  if (!more.empty()) params.append(",").append(more);
  return params.append("}");
}

const std::string kServerMeta = R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"srv","version":"1"}})";

TEST_F(SessionModernTest, Discover) {
  EXPECT_EQ(
      One(Request("\"probe\"", "server/discover", Modern())),
      Result("\"probe\"",
             R"({"resultType":"complete","ttlMs":3600000,"cacheScope":"public","supportedVersions":["2026-07-28"],)"
             R"("capabilities":{"tools":{}},"serverInfo":{"name":"srv","version":"1"},)" +
                 kServerMeta + "}"));
  EXPECT_EQ(notes_.notes, (Lines{"client new 3 2026-07-28"}));
  // Judged per request: the older kind goes on working, and the client is announced once.
  EXPECT_EQ(One(Request("0", "initialize", Initialize("2025-11-25"))), Initialized("2025-11-25"));
  One(Request("1", "tools/list", Modern()));
  EXPECT_EQ(notes_.notes, (Lines{"client new 3 2026-07-28", "client cli 9 2025-11-25", "listed 2"}));
}

TEST_F(SessionModernTest, ListAndCall) {
  EXPECT_EQ(One(Request("1", "tools/list", Modern())),
            Result("1", R"({"resultType":"complete","ttlMs":3600000,"cacheScope":"public",)" +
                            kToolList.substr(1, kToolList.size() - 2) + "," + kServerMeta + "}"));
  EXPECT_EQ(One(Request("2", "tools/call", Modern(R"("name":"echo")"))),
            Result("2", R"({"resultType":"complete","content":[{"type":"text","text":"{}"}],"isError":false,)" +
                            kServerMeta + "}"));
  hook_ = [](CallContext&, const json::object&) { return CallResult{{}, true, {{"k", 1}}}; };
  EXPECT_EQ(One(Request("3", "tools/call", Modern(R"("name":"echo")"))),
            Result("3", R"({"resultType":"complete","content":[],"isError":true,"_meta":{"k":1,)"
                        R"("io.modelcontextprotocol/serverInfo":{"name":"srv","version":"1"}}})"));
  EXPECT_EQ(One(Request("4", "tools/call", Modern(R"("name":"nope")"))),
            ErrorAnswer("4", -32602, "unknown tool nope; available: echo, other"));
}

TEST_F(SessionModernTest, Refusals) {
  EXPECT_EQ(One(Request("1", "tools/list", Modern({}, "2027-01-01"))),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"unsupported protocol version: 2027-01-01",)"
            R"("data":{"supported":["2026-07-28"],"requested":"2027-01-01"}}})");
  EXPECT_EQ(One(Request("1", "server/discover", Modern({}, "2025-11-25"))),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"unsupported protocol version: 2025-11-25",)"
            R"("data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}})");
  EXPECT_EQ(One(Request("1", "tools/list", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":7}})")),
            ErrorAnswer("1", -32602, "invalid params: the protocol version must be a string"));
  const std::string needs = R"(invalid params: \"_meta\" needs io.modelcontextprotocol/clientCapabilities)";
  EXPECT_EQ(One(Request("1", "tools/list", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})")),
            ErrorAnswer("1", -32602, needs));
  EXPECT_EQ(One(Request("1", "tools/list",
                        R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                        R"("io.modelcontextprotocol/clientCapabilities":[]}})")),
            ErrorAnswer("1", -32602, needs));
  for (const std::string method : {"ping", "shutdown", "initialize", "resources/list"}) {
    EXPECT_EQ(One(Request("1", method, Modern())), ErrorAnswer("1", -32601, "method not found: " + method));
  }
}

TEST_F(SessionModernTest, SubscriptionIsHeldUntilTheEnd) {
  const auto acknowledged = [](const std::string& id) {
    return R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{},)"
           R"("_meta":{"io.modelcontextprotocol/subscriptionId":)" +
           id + "}}}";
  };
  const std::string params = Modern(R"("notifications":{"toolsListChanged":true})");
  EXPECT_EQ(Feed(Request("1", "subscriptions/listen", params)), (Lines{acknowledged("1")}));
  EXPECT_EQ(Feed(Request("\"s\"", "subscriptions/listen", params)), (Lines{acknowledged("\"s\"")}));
  EXPECT_EQ(One(Request("1", "tools/list", Modern())),
            ErrorAnswer("1", -32600, "invalid request: the id is in flight already"));
  EXPECT_EQ(Feed(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})"), Lines{});
  EXPECT_EQ(session_->End(),
            (Lines{Result("\"s\"", R"({"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"s",)"
                                   R"("io.modelcontextprotocol/serverInfo":{"name":"srv","version":"1"}}})")}));
  EXPECT_EQ(session_->End(), Lines{});
}

}  // namespace
}  // namespace mcp
