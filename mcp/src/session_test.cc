// Every row of what a client may send, through Session::Feed, with the exact lines that come back.
#include "mcp/session.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "session_fixture.h"

namespace mcp {
namespace {

// Versions.

// Bugs 17 to 19: an unknown version is an offer, not an error.
TEST_F(SessionTest, Bug17To19NegotiatesEveryVersion) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"2024-11-05", "2024-11-05"}, {"2025-03-26", "2025-03-26"}, {"2025-06-18", "2025-06-18"},
      {"2025-11-25", "2025-11-25"}, {"2023-01-01", "2025-11-25"}, {"2099-01-01", "2025-11-25"},
      {"2026-07-28", "2025-11-25"}, {"", "2025-11-25"},           {"x", "2025-11-25"},
  };
  for (const auto& [offered, agreed] : cases) {
    Start({});
    notes_.notes.clear();
    EXPECT_EQ(One(Request("0", "initialize", Initialize(offered))), Initialized(agreed));
    EXPECT_EQ(notes_.notes, (Lines{"client cli 9 " + agreed}));
  }
}

TEST_F(SessionTest, ChecksInitialize) {
  const std::string bad = ErrorAnswer("0", -32602, R"(invalid params: \"protocolVersion\" must be a string)");
  EXPECT_EQ(One(Request("0", "initialize")), bad);
  EXPECT_EQ(One(Request("0", "initialize", "{}")), bad);
  EXPECT_EQ(One(Request("0", "initialize", R"({"protocolVersion":7})")), bad);
  EXPECT_EQ(One(Request("0", "initialize", R"({"protocolVersion":"2025-06-18"})")), Initialized("2025-06-18"));
  EXPECT_EQ(One(Request("1", "initialize", Initialize("2025-06-18"))), ErrorAnswer("1", -32600, "already initialized"));
  EXPECT_EQ(One(Request("2", "ping")), Result("2", "{}"));
}

TEST_F(SessionTest, SendsTitleAndInstructionsWhereThereAreSome) {
  Options options;
  options.instructions = "Use \xFF" + std::string(3000, 'x');
  Session session({"srv", "1", "Server"}, {}, options);
  const Lines lines = session.Feed(Request("0", "initialize", Initialize("2025-06-18")));
  ASSERT_EQ(lines.size(), 1U);
  const json::value result = json::parse(lines[0]).at("result");
  EXPECT_EQ(result.at("serverInfo").at("title").as_string(), "Server");
  EXPECT_EQ(result.at("instructions").as_string(), "Use \xEF\xBF\xBD" + std::string(kMaxInstructions - 5, 'x'));
}

TEST_F(SessionTest, NeedsNoInitialize) {
  EXPECT_EQ(One(Request("1", "ping")), Result("1", "{}"));
  EXPECT_EQ(One(Request("2", "tools/list")), Result("2", kToolList));
  EXPECT_EQ(One(Request("3", "tools/call", R"({"name":"echo"})")),
            Result("3", R"({"content":[{"type":"text","text":"{}"}],"isError":false})"));
  EXPECT_EQ(One(Request("4", "shutdown")), Result("4", "{}"));
  EXPECT_EQ(One(Request("5", "ping")), Result("5", "{}"));
}

// Bug 20: whatever asks for what we do not have gets an answer and the server lives on.
TEST_F(SessionTest, Bug20AnswersUnknownMethods) {
  for (const std::string method :
       {"server/discover", "resources/list", "prompts/list", "logging/setLevel", "completion/complete", "tasks/get",
        "subscriptions/listen", "Ping", "", "notifications/initialized", "notifications/cancelled"}) {
    EXPECT_EQ(One(Request("1", method)), ErrorAnswer("1", -32601, "method not found: " + method));
  }
  EXPECT_EQ(One(Request("1", std::string(300, 'm'))),
            ErrorAnswer("1", -32601, "method not found: " + std::string(100, 'm') + "…"));
  EXPECT_EQ(One(Request("2", "ping")), Result("2", "{}"));
}

TEST_F(SessionTest, IsSilentWhereNothingIsToBeSaid) {
  const Lines silent = {
      R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
      R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
      R"({"jsonrpc":"2.0","method":"notifications/foo","params":[1]})",
      R"({"jsonrpc":"2.0","method":"exit"})",
      R"({"jsonrpc":"2.0","method":"ping"})",
      R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}})",
      R"({"jsonrpc":"2.0","id":5,"result":{}})",
      R"({"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"x"}})",
      R"({"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"x"}})",
  };
  hook_ = [](CallContext&, const json::object&) -> CallResult { throw std::logic_error("a notification ran a tool"); };
  for (const std::string& frame : silent) EXPECT_EQ(Feed(frame), Lines{}) << frame;
  EXPECT_EQ(log_, Lines{});
  EXPECT_EQ(notes_.notes, Lines{});
}

// Odd input.

TEST_F(SessionTest, AnswersBadJsonOnlyWhereItHadTheId) {
  struct Case {
    std::string frame, id, fault;
  };
  const std::vector<Case> cases = {
      {R"({"jsonrpc":"2.0","id":5,"method":"ping",})", "5", "not valid JSON"},
      {R"({"jsonrpc":"2.0","id":"x","method":"ping"}{"jsonrpc":"2.0","id":6,"method":"ping"})", R"("x")",
       "not valid JSON"},
      {R"({"id":5,"x":1e400})", "5", "number out of range"},
      {R"({"id":5,"x":123456789012345678901234567890})", "5", "number out of range"},
      {R"({"id":5,"x":)" + std::string(200, '[') + std::string(200, ']') + "}", "5", "nested deeper than 200 levels"},
      {"{\"id\":5,\"x\":\"\t\"}", "5", "not valid JSON"},
  };
  for (const Case& c : cases) EXPECT_EQ(One(c.frame), ErrorAnswer(c.id, -32700, "parse error: " + c.fault)) << c.frame;
  EXPECT_EQ(log_, Lines{});
}

// Bug 13: errors without an id set off storms.
TEST_F(SessionTest, Bug13DropsUnreadableLinesQuietly) {
  const Lines dropped = {"{not json",
                         R"({"jsonrpc":"2.0",,"id":5,"method":"ping"})",
                         "Content-Length: 41",
                         "\xEF\xBB\xBF"
                         R"({"jsonrpc":"2.0","id":5,"method":"ping"})",
                         "{",
                         R"({"x":1e400,"id":5})",
                         "\xFF\xFE"};
  for (const std::string& frame : dropped) {
    EXPECT_EQ(Feed(frame), Lines{}) << frame;
    EXPECT_EQ(notes_.last.code, -32700);
    EXPECT_FALSE(notes_.last.answered);
  }
  EXPECT_EQ(notes_.notes.size(), dropped.size());
  ASSERT_GE(log_.size(), 1U);
  EXPECT_LT(log_.size(), dropped.size());  // one a second at most
  EXPECT_EQ(log_[0], "mcp: a line was dropped: parse error: not valid JSON");
  EXPECT_EQ(One(Request("6", "ping")), Result("6", "{}"));
}

TEST_F(SessionTest, RefusesWhatIsNoRequest) {
  struct Case {
    std::string frame, id, fault;
  };
  const std::string version = R"(\"jsonrpc\" must be \"2.0\")", method = R"(\"method\" must be a string)",
                    id = R"(\"id\" must be a string or an integer)";
  const std::vector<Case> cases = {
      {"42", "", "not an object"},
      {"null", "", "not an object"},
      {"\"x\"", "", "not an object"},
      {"{}", "", version},
      {R"({"id":5,"method":"ping"})", "5", version},
      {R"({"jsonrpc":"1.0","id":5,"method":"ping"})", "5", version},
      {R"({"jsonrpc":2.0,"id":5,"method":"ping"})", "5", version},
      {R"({"jsonrpc":"2.0"})", "", method},
      {R"({"jsonrpc":"2.0","id":5})", "5", method},
      {R"({"jsonrpc":"2.0","id":5,"method":7})", "5", method},
      {R"({"jsonrpc":"2.0","id":5,"METHOD":"ping"})", "5", method},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", "", id},
      {R"({"jsonrpc":"2.0","id":2.0,"method":"ping"})", "", id},
      {R"({"jsonrpc":"2.0","id":1e400,"method":"ping"})", "", id},
      {R"({"jsonrpc":"2.0","id":true,"method":"ping"})", "", id},
      {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", "", id},
      {R"({"jsonrpc":"2.0","id":[1],"method":"ping"})", "", id},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", "", id},
      {"[]", "", "batches are not supported"},
      {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", "", "batches are not supported"},
  };
  for (const Case& c : cases)
    EXPECT_EQ(One(c.frame), ErrorAnswer(c.id, -32600, "invalid request: " + c.fault)) << c.frame;
}

// Bugs 8 and 9: two readings of one message must never be possible.
TEST_F(SessionTest, Bug8And9RefusesMembersGivenTwice) {
  const std::string twice = ErrorAnswer("", -32600, "invalid request: a member is given twice");
  EXPECT_EQ(One(R"({"jsonrpc":"2.0","id":1,"i\u0064":2,"method":"ping"})"), twice);
  EXPECT_EQ(One(R"({"jsonrpc":"2.0","id":3,"method":"ping","method":"tools/list"})"), twice);
  EXPECT_EQ(One(R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{},"params":{"name":"echo"}})"), twice);
  EXPECT_EQ(One(R"({"jsonrpc":"2.0","jsonrpc":"2.0","id":3,"method":"ping"})"), twice);
  EXPECT_EQ(One(R"({"jsonrpc":"2.0","id":1,"ID":2,"method":"ping","Method":"x","method\u0000":"y"})"),
            Result("1", "{}"));
}

// Bug 21: ids are echoed as they came.
TEST_F(SessionTest, Bug21EchoesIdsExactly) {
  for (const std::string id : {"0", "-1", "9007199254740993", "18446744073709551616", "-0", R"("")", R"("1")",
                               R"("h\u00e9\"\n")", "\"\xC3\xA9\""}) {
    EXPECT_EQ(One(Request(id, "ping")), Result(id, "{}"));
  }
}

TEST_F(SessionTest, ChecksParams) {
  const std::string bad = R"(invalid params: \"params\" must be an object)";
  for (const std::string params : {"[]", "\"x\"", "7", "true"}) {
    EXPECT_EQ(One(Request("1", "tools/list", params)), ErrorAnswer("1", -32602, bad));
  }
  EXPECT_EQ(One(Request("1", "tools/list", "null")), Result("1", kToolList));
  EXPECT_EQ(One(Request("1", "tools/list", R"({"x":1,"_meta":7})")), Result("1", kToolList));
  for (const std::string cursor : {R"("xyz")", R"("")", "7", "null"}) {
    EXPECT_EQ(One(Request("1", "tools/list", R"({"cursor":)" + cursor + "}")),
              ErrorAnswer("1", -32602, "invalid params: unknown cursor"));
  }
}

TEST_F(SessionTest, ChecksCalls) {
  const std::string name = R"(invalid params: \"name\" must be a string)";
  const std::string arguments = R"(invalid params: \"arguments\" must be an object)";
  EXPECT_EQ(One(Request("1", "tools/call")), ErrorAnswer("1", -32602, name));
  EXPECT_EQ(One(Request("1", "tools/call", R"({"name":7})")), ErrorAnswer("1", -32602, name));
  for (const std::string bad : {"[]", "\"x\"", "7"}) {
    EXPECT_EQ(One(Request("1", "tools/call", R"({"name":"echo","arguments":)" + bad + "}")),
              ErrorAnswer("1", -32602, arguments));
  }
  EXPECT_EQ(One(Request("1", "tools/call", R"({"name":"Echo"})")),
            ErrorAnswer("1", -32602, "unknown tool Echo; available: echo, other"));
  EXPECT_EQ(One(Request("1", "tools/call", R"({"name":"echo","arguments":null,"task":{}})")),
            Result("1", R"({"content":[{"type":"text","text":"{}"}],"isError":false})"));
  EXPECT_EQ(One(Request("1", "tools/call", R"({"name":"echo","arguments":{"a":[1,"x"]}})")),
            Result("1", R"({"content":[{"type":"text","text":"{\"a\":[1,\"x\"]}"}],"isError":false})"));
}

TEST_F(SessionTest, TellsTheObserverOfRejectedCalls) {
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  One(Request(
      "\"a\"", "tools/call",
      R"({"name":"echo","arguments":7,"_meta":{"claudecode/toolUseId":"t1","tracestate":"a=1","traceparent":")" +
          trace + "\"}}"));
  EXPECT_EQ(notes_.last.code, -32602);
  EXPECT_EQ(notes_.last.method, "tools/call");
  EXPECT_EQ(notes_.last.id, "\"a\"");
  EXPECT_EQ(notes_.last.tool, "echo");
  EXPECT_EQ(notes_.last.client_call_id, "t1");
  EXPECT_EQ(notes_.last.traceparent, trace);
  EXPECT_EQ(notes_.last.tracestate, "a=1");
  EXPECT_TRUE(notes_.last.answered);
  One(Request("1", "tools/list"));
  EXPECT_EQ(notes_.notes.back(), "listed 2");
}

// Bug 33: bad text in an argument is repaired and the call goes on.
TEST_F(SessionTest, Bug33RepairsArguments) {
  std::string seen;
  hook_ = [&](CallContext&, const json::object& arguments) {
    seen = std::string(std::string_view(arguments.at("a").as_string()));
    return CallResult{{TextContent{seen}}, false, {}};
  };
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(One(Request("1", "tools/call", "{\"name\":\"echo\",\"arguments\":{\"a\":\"x\xFF\\ud800\"}}")),
            Result("1", R"({"content":[{"type":"text","text":"x)" + r + r + R"("}],"isError":false})"));
  Feed(Request("1", "tools/call", R"({"name":"echo","arguments":{"a":"x\u0000y"}})"));
  EXPECT_EQ(seen, std::string("x\0y", 3));
}

// Results.

TEST_F(SessionTest, WritesEveryKindOfContent) {
  hook_ = [](CallContext&, const json::object&) {
    CallResult result;
    result.content = {TextContent{"a\nb"},
                      ImageContent{"QQ==", "image/png"},
                      AudioContent{"QQ==", "audio/wav"},
                      EmbeddedResource{"x:1", "text/plain", "t", {}},
                      EmbeddedResource{"x:2", "", "", "QQ=="},
                      ResourceLink{"x:3", "n", "d", "text/plain"}};
    result.is_error = true;
    result.meta = {{"k", 1}};
    return result;
  };
  EXPECT_EQ(One(Request("1", "tools/call", R"({"name":"echo"})")),
            Result("1", R"({"content":[{"type":"text","text":"a\nb"},)"
                        R"({"type":"image","data":"QQ==","mimeType":"image/png"},)"
                        R"({"type":"audio","data":"QQ==","mimeType":"audio/wav"},)"
                        R"({"type":"resource","resource":{"uri":"x:1","mimeType":"text/plain","text":"t"}},)"
                        R"({"type":"resource","resource":{"uri":"x:2","blob":"QQ=="}},)"
                        R"({"type":"resource_link","uri":"x:3","name":"n","description":"d","mimeType":"text/plain"}],)"
                        R"("isError":true,"_meta":{"k":1}})"));
}

// Bugs 10 and 11: a hook that throws neither ends the server nor leaves the client waiting.
TEST_F(SessionTest, Bug10And11AnswersWhenTheHookThrows) {
  const std::string internal = R"({"content":[{"type":"text","text":"internal error in tool echo"}],"isError":true})";
  hook_ = [](CallContext&, const json::object&) -> CallResult { throw std::runtime_error("secret /path"); };
  EXPECT_EQ(One(Request("1", "tools/call", R"({"name":"echo"})")), Result("1", internal));
  hook_ = [](CallContext&, const json::object&) -> CallResult { throw 7; };
  EXPECT_EQ(One(Request("2", "tools/call", R"({"name":"echo"})")), Result("2", internal));
  hook_ = [](CallContext&, const json::object&) -> CallResult { throw std::bad_alloc(); };
  EXPECT_EQ(One(Request("3", "tools/call", R"({"name":"echo"})")), Result("3", internal));
  ASSERT_EQ(log_.size(), 3U);
  EXPECT_EQ(log_[0], "mcp: internal error in tool echo: secret /path");
  EXPECT_EQ(One(Request("4", "ping")), Result("4", "{}"));
}

TEST_F(SessionTest, PagesOfTools) {
  Options options;
  options.page = 1;
  Start(options);
  const json::value first = json::parse(One(Request("1", "tools/list")));
  const std::string cursor = json::serialize(first.at("result").at("nextCursor"));
  EXPECT_EQ(One(Request("2", "tools/list", R"({"cursor":)" + cursor + "}")),
            Result("2", R"({"tools":[{"name":"other","inputSchema":{"type":"object","properties":{}}}]})"));
}

}  // namespace
}  // namespace mcp
