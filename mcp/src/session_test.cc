// Every row of what a client may send, through Session::Feed, with the exact lines that come back.
#include "mcp/session.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mcp {
namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view kEmptySchema = R"({"type":"object","properties":{}})";

// What the observer was told, one string each.
class Notes : public Observer {
 public:
  void ClientConnected(const Implementation& client, std::string_view version) override {
    notes.push_back("client " + client.name + " " + client.version + " " + std::string(version));
  }
  void ToolsListed(std::size_t count) override { notes.push_back("listed " + std::to_string(count)); }
  void FrameRejected(const Rejection& rejection) override {
    notes.push_back("rejected " + std::to_string(rejection.code) + " " + rejection.method + " " + rejection.id);
    last = rejection;
  }
  Lines notes;
  Rejection last;
};

// A session with two tools, a hook that repeats its arguments, and a log that is kept.
class SessionTest : public testing::Test {
 protected:
  using Hook = std::function<CallResult(CallContext&, const json::object&)>;

  SessionTest() { Start({}); }

  void Start(Options options) {
    options.observer = &notes_;
    options.log = [this](std::string_view line) { log_.emplace_back(line); };
    session_ = std::make_unique<Session>(
        Implementation{"srv", "1", ""},
        [this](CallContext& context, std::string_view tool,
               const json::object& arguments) -> std::expected<CallResult, CallError> {
          if (tool != "echo" && tool != "other") {
            return std::unexpected(
                CallError{.message = "unknown tool " + std::string(tool) + "; available: echo, other"});
          }
          if (hook_) return hook_(context, arguments);
          return CallResult{{TextContent{json::serialize(arguments)}}, false, {}};
        },
        std::move(options));
    for (const std::string name : {"echo", "other"}) {
      Tool tool;
      tool.name = name;
      tool.input_schema = json::parse({kEmptySchema.data(), kEmptySchema.size()}).as_object();
      ASSERT_TRUE(session_->Register(tool));
    }
  }

  Lines Feed(std::string_view frame) { return session_->Feed(frame); }
  // The one line that comes back.
  std::string One(std::string_view frame) {
    Lines lines = Feed(frame);
    EXPECT_EQ(lines.size(), 1U) << frame;
    return lines.empty() ? "" : lines.front();
  }

  Notes notes_;
  Lines log_;
  Hook hook_;
  std::unique_ptr<Session> session_;
};

std::string Request(std::string_view id, std::string_view method, std::string_view params = {}) {
  std::string frame = R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" + std::string(method) + "\"";
  if (!params.empty()) frame.append(R"(,"params":)").append(params);
  return frame.append("}");
}

std::string Result(std::string_view id, std::string_view result) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"result":)" + std::string(result) + "}";
}

std::string Error(std::string_view id, int code, std::string_view message) {
  std::string line = R"({"jsonrpc":"2.0",)";
  if (!id.empty()) line.append(R"("id":)").append(id).append(",");
  return line.append(R"("error":{"code":)") + std::to_string(code) + R"(,"message":")" + std::string(message) + "\"}}";
}

std::string Initialize(std::string_view version) {
  return R"({"protocolVersion":")" + std::string(version) +
         R"(","capabilities":{},"clientInfo":{"name":"cli","version":"9"}})";
}

std::string Initialized(std::string_view version) {
  return Result("0", R"({"protocolVersion":")" + std::string(version) +
                         R"(","capabilities":{"tools":{}},"serverInfo":{"name":"srv","version":"1"}})");
}

const std::string kToolList = R"({"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{}}},)"
                              R"({"name":"other","inputSchema":{"type":"object","properties":{}}}]})";

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
  const std::string bad = Error("0", -32602, R"(invalid params: \"protocolVersion\" must be a string)");
  EXPECT_EQ(One(Request("0", "initialize")), bad);
  EXPECT_EQ(One(Request("0", "initialize", "{}")), bad);
  EXPECT_EQ(One(Request("0", "initialize", R"({"protocolVersion":7})")), bad);
  EXPECT_EQ(One(Request("0", "initialize", R"({"protocolVersion":"2025-06-18"})")), Initialized("2025-06-18"));
  EXPECT_EQ(One(Request("1", "initialize", Initialize("2025-06-18"))), Error("1", -32600, "already initialized"));
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
    EXPECT_EQ(One(Request("1", method)), Error("1", -32601, "method not found: " + method));
  }
  EXPECT_EQ(One(Request("1", std::string(300, 'm'))),
            Error("1", -32601, "method not found: " + std::string(100, 'm') + "…"));
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
  for (const Case& c : cases) EXPECT_EQ(One(c.frame), Error(c.id, -32700, "parse error: " + c.fault)) << c.frame;
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
  for (const Case& c : cases) EXPECT_EQ(One(c.frame), Error(c.id, -32600, "invalid request: " + c.fault)) << c.frame;
}

// Bugs 8 and 9: two readings of one message must never be possible.
TEST_F(SessionTest, Bug8And9RefusesMembersGivenTwice) {
  const std::string twice = Error("", -32600, "invalid request: a member is given twice");
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
    EXPECT_EQ(One(Request("1", "tools/list", params)), Error("1", -32602, bad));
  }
  EXPECT_EQ(One(Request("1", "tools/list", "null")), Result("1", kToolList));
  EXPECT_EQ(One(Request("1", "tools/list", R"({"x":1,"_meta":7})")), Result("1", kToolList));
  for (const std::string cursor : {R"("xyz")", R"("")", "7", "null"}) {
    EXPECT_EQ(One(Request("1", "tools/list", R"({"cursor":)" + cursor + "}")),
              Error("1", -32602, "invalid params: unknown cursor"));
  }
}

TEST_F(SessionTest, ChecksCalls) {
  const std::string name = R"(invalid params: \"name\" must be a string)";
  const std::string arguments = R"(invalid params: \"arguments\" must be an object)";
  EXPECT_EQ(One(Request("1", "tools/call")), Error("1", -32602, name));
  EXPECT_EQ(One(Request("1", "tools/call", R"({"name":7})")), Error("1", -32602, name));
  for (const std::string bad : {"[]", "\"x\"", "7"}) {
    EXPECT_EQ(One(Request("1", "tools/call", R"({"name":"echo","arguments":)" + bad + "}")),
              Error("1", -32602, arguments));
  }
  EXPECT_EQ(One(Request("1", "tools/call", R"({"name":"Echo"})")),
            Error("1", -32602, "unknown tool Echo; available: echo, other"));
  EXPECT_EQ(One(Request("1", "tools/call", R"({"name":"echo","arguments":null,"task":{}})")),
            Result("1", R"({"content":[{"type":"text","text":"{}"}],"isError":false})"));
  EXPECT_EQ(One(Request("1", "tools/call", R"({"name":"echo","arguments":{"a":[1,"x"]}})")),
            Result("1", R"({"content":[{"type":"text","text":"{\"a\":[1,\"x\"]}"}],"isError":false})"));
}

TEST_F(SessionTest, TellsTheObserverOfRejectedCalls) {
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  One(Request("\"a\"", "tools/call",
              R"({"name":"echo","arguments":7,"_meta":{"claudecode/toolUseId":"t1","traceparent":")" + trace + "\"}}"));
  EXPECT_EQ(notes_.last.code, -32602);
  EXPECT_EQ(notes_.last.method, "tools/call");
  EXPECT_EQ(notes_.last.id, "\"a\"");
  EXPECT_EQ(notes_.last.tool, "echo");
  EXPECT_EQ(notes_.last.client_call_id, "t1");
  EXPECT_EQ(notes_.last.traceparent, trace);
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

// Calls, cancellation, progress. The hook feeds the session again, as if the client had sent it meanwhile.

TEST_F(SessionTest, GivesTheCallItsContext) {
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
TEST_F(SessionTest, Bug26And27CancelsWithoutAnswer) {
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

TEST_F(SessionTest, IgnoresCancellationsThatFitNothing) {
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

TEST_F(SessionTest, CancelsByTheValueOfAnId) {
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

TEST_F(SessionTest, RefusesAnIdInFlightAndLeavesTheFirstAlone) {
  const std::string in_flight = "invalid request: the id is in flight already";
  hook_ = [&](CallContext& context, const json::object&) {
    EXPECT_EQ(One(Request("7", "tools/call", R"({"name":"other"})")), Error("7", -32600, in_flight));
    EXPECT_EQ(notes_.last.tool, "other");
    EXPECT_EQ(One(Request("7", "ping")), Error("7", -32600, in_flight));
    EXPECT_EQ(One(Request("\"7\"", "ping")), Result("\"7\"", "{}"));
    EXPECT_EQ(One(Request("8", "ping")), Result("8", "{}"));
    EXPECT_FALSE(context.cancelled().stop_requested());
    return CallResult{};
  };
  EXPECT_EQ(Feed(Request("7", "tools/call", R"({"name":"echo"})")).size(), 1U);
  EXPECT_EQ(One(Request("7", "ping")), Result("7", "{}"));
}

// Bugs 35 and 36: 0 is a token, and without a token nothing is sent.
TEST_F(SessionTest, Bug35And36SendsProgressForTokensOnly) {
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

TEST_F(SessionTest, SendsProgressOnlyForwardAndNotTooOften) {
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

// 2026-07-28.

std::string Modern(std::string_view more = {}, std::string_view version = "2026-07-28") {
  std::string params = R"({"_meta":{"io.modelcontextprotocol/protocolVersion":")" + std::string(version) +
                       R"(","io.modelcontextprotocol/clientInfo":{"name":"new","version":"3"},)"
                       R"("io.modelcontextprotocol/clientCapabilities":{}})";
  if (!more.empty()) params.append(",").append(more);
  return params.append("}");
}

const std::string kServerMeta = R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"srv","version":"1"}})";

TEST_F(SessionTest, ModernDiscover) {
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

TEST_F(SessionTest, ModernListAndCall) {
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
            Error("4", -32602, "unknown tool nope; available: echo, other"));
}

TEST_F(SessionTest, ModernRefusals) {
  EXPECT_EQ(One(Request("1", "tools/list", Modern({}, "2027-01-01"))),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"unsupported protocol version: 2027-01-01",)"
            R"("data":{"supported":["2026-07-28"],"requested":"2027-01-01"}}})");
  EXPECT_EQ(One(Request("1", "server/discover", Modern({}, "2025-11-25"))),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"unsupported protocol version: 2025-11-25",)"
            R"("data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}})");
  EXPECT_EQ(One(Request("1", "tools/list", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":7}})")),
            Error("1", -32602, "invalid params: the protocol version must be a string"));
  const std::string needs = R"(invalid params: \"_meta\" needs io.modelcontextprotocol/clientCapabilities)";
  EXPECT_EQ(One(Request("1", "tools/list", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})")),
            Error("1", -32602, needs));
  EXPECT_EQ(One(Request("1", "tools/list",
                        R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                        R"("io.modelcontextprotocol/clientCapabilities":[]}})")),
            Error("1", -32602, needs));
  for (const std::string method : {"ping", "shutdown", "initialize", "resources/list"}) {
    EXPECT_EQ(One(Request("1", method, Modern())), Error("1", -32601, "method not found: " + method));
  }
}

TEST_F(SessionTest, ModernSubscriptionIsHeldUntilTheEnd) {
  const auto acknowledged = [](const std::string& id) {
    return R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{},)"
           R"("_meta":{"io.modelcontextprotocol/subscriptionId":)" +
           id + "}}}";
  };
  const std::string params = Modern(R"("notifications":{"toolsListChanged":true})");
  EXPECT_EQ(Feed(Request("1", "subscriptions/listen", params)), (Lines{acknowledged("1")}));
  EXPECT_EQ(Feed(Request("\"s\"", "subscriptions/listen", params)), (Lines{acknowledged("\"s\"")}));
  EXPECT_EQ(One(Request("1", "tools/list", Modern())),
            Error("1", -32600, "invalid request: the id is in flight already"));
  EXPECT_EQ(Feed(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})"), Lines{});
  EXPECT_EQ(session_->End(),
            (Lines{Result("\"s\"", R"({"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"s",)"
                                   R"("io.modelcontextprotocol/serverInfo":{"name":"srv","version":"1"}}})")}));
  EXPECT_EQ(session_->End(), Lines{});
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
