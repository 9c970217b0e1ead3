// The whole way of a call: frames in, router, observer or step channel, frames out.
#include "infrastructure/mcp/mcp_proxy_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <mutex>
#include <thread>

#include "domain/test_folder.h"
#include "infrastructure/mcp/channel_reporter.h"
#include "infrastructure/process/fd.h"
#include "infrastructure/schema/argument_checker.h"

namespace awf {
namespace {

class EchoProvider : public ToolProvider {
 public:
  explicit EchoProvider(std::string name = "echo") : name_(std::move(name)) {}
  std::vector<ToolDefinition> Tools() const override {
    ToolDefinition tool;
    tool.name = name_;
    tool.description = "Says what it is told.";
    tool.input_schema =
        json::parse(R"({"type":"object","properties":{"text":{"type":"string"}},"required":["text"]})").as_object();
    tool.annotations.read_only = true;
    tool.source = "plugin:demo";
    return {tool};
  }
  ToolResult Call(const ToolCall& call) override {
    ToolResult result = ToolResult::Text(std::string(call.arguments.at("text").as_string()));
    result.content.emplace_back(ImageContent{"QUJD", "image/png"});
    return result;
  }

 private:
  std::string name_;
};

class Recorder : public ProxyObserver {
 public:
  void Connected(const mcp::Implementation& client, std::string_view version) override {
    Note("connected " + client.name + " " + client.version + " " + std::string(version));
  }
  void Listed(const std::vector<ToolDefinition>& tools) override { Note("listed " + std::to_string(tools.size())); }
  void Started(const CallRecord& call) override { Note("started " + call.tool + " " + call.request_id); }
  void Finished(const CallRecord& call, const CallEnd& end) override {
    Note("finished " + call.tool + " " + std::string(ToString(end.outcome)) + " " + end.error_type);
  }
  std::vector<std::string> notes() {
    const std::lock_guard lock(mutex_);
    return notes_;
  }

 private:
  void Note(std::string note) {
    const std::lock_guard lock(mutex_);
    notes_.push_back(std::move(note));
  }
  std::mutex mutex_;
  std::vector<std::string> notes_;
};

// Feeds the lines, closes the input, and returns the answers by id.
std::map<std::string, json::object> Talk(McpProxyServer& server, const std::vector<std::string>& lines) {
  std::array<int, 2> in{}, out{};
  EXPECT_EQ(::pipe2(in.data(), O_CLOEXEC), 0);
  EXPECT_EQ(::pipe2(out.data(), O_CLOEXEC), 0);
  auto transport = mcp::StdioTransport::Over(in[0], out[1]);
  EXPECT_TRUE(transport) << transport.error().message;
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  EXPECT_EQ(::write(in[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(in[1]);
  std::string answers;
  std::thread reading([&, fd = Fd(out[0])] {
    std::array<char, 4096> bytes{};
    ssize_t length = 0;
    while ((length = ::read(fd.get(), bytes.data(), bytes.size())) > 0) {
      answers.append(bytes.data(), static_cast<std::size_t>(length));
    }
  });
  const auto end = server.ServeStdio(**transport);
  EXPECT_EQ(end.value_or(mcp::EndReason::kStopped), mcp::EndReason::kEof);
  transport->reset();
  reading.join();
  std::map<std::string, json::object> by_id;
  for (std::size_t begin = 0; begin < answers.size();) {
    const std::size_t line_end = answers.find('\n', begin);
    json::object answer = json::parse(answers.substr(begin, line_end - begin)).as_object();
    const json::value* id = answer.if_contains("id");
    by_id[id == nullptr ? "" : json::serialize(*id)] = std::move(answer);
    begin = line_end + 1;
  }
  return by_id;
}

constexpr const char* kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},)"
    R"("clientInfo":{"name":"t","version":"3"}}})";

class McpProxyServerTest : public testing::Test {
 protected:
  std::unique_ptr<McpProxyServer> Make() {
    McpProxyOptions options;
    options.version = "1.2.3";
    options.instructions = "Use them.";
    options.result_size = 12'345;
    auto server = NewServer(checker_, recorder_, options);
    server->RegisterProvider(std::make_shared<EchoProvider>());
    return server;
  }
  SchemaArgumentChecker checker_;
  Recorder recorder_;
};

TEST_F(McpProxyServerTest, ListsItsToolsAndSaysWhoItIs) {
  const auto answers = Talk(*Make(), {kInitialize, R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"});
  const json::object& hello = answers.at("0").at("result").as_object();
  EXPECT_EQ(hello.at("serverInfo").at("name").as_string(), "awf-proxy");
  EXPECT_EQ(hello.at("serverInfo").at("version").as_string(), "1.2.3");
  EXPECT_EQ(hello.at("instructions").as_string(), "Use them.");
  const json::array& tools = answers.at("1").at("result").at("tools").as_array();
  ASSERT_EQ(tools.size(), 1U);
  EXPECT_EQ(tools[0].at("name").as_string(), "echo");
  EXPECT_EQ(tools[0].at("annotations"), json::parse(R"({"readOnlyHint":true})"));
  EXPECT_EQ(tools[0].at("_meta").at("anthropic/maxResultSizeChars").as_int64(), 12'345);
  EXPECT_EQ(recorder_.notes(), (std::vector<std::string>{"connected t 3 2025-06-18", "listed 1"}));
}

TEST_F(McpProxyServerTest, EveryCallGoesThroughTheRouter) {
  const auto answers =
      Talk(*Make(),
           {R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}})"});
  EXPECT_EQ(answers.at("1").at("result").at("content"),
            json::parse(R"([{"type":"text","text":"hi"},{"type":"image","data":"QUJD","mimeType":"image/png"}])"));
  EXPECT_EQ(recorder_.notes(), (std::vector<std::string>{"started echo 1", "finished echo ok "}));
}

TEST_F(McpProxyServerTest, BadArgumentsAreAnErrorResult) {
  const auto answers =
      Talk(*Make(), {R"({"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"echo","arguments":{}}})"});
  const json::object& result = answers.at("\"x\"").at("result").as_object();
  EXPECT_TRUE(result.at("isError").as_bool());
  EXPECT_EQ(result.at("content").at(0).at("text").as_string(), "invalid arguments: 'text' is required");
  EXPECT_EQ(recorder_.notes(),
            (std::vector<std::string>{"started echo \"x\"", "finished echo error invalid_arguments"}));
}

TEST_F(McpProxyServerTest, UnknownToolsAreARpcErrorWithARecord) {
  const auto answers = Talk(*Make(), {R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Echo"}})"});
  EXPECT_EQ(answers.at("1").at("error").at("code").as_int64(), -32602);
  EXPECT_EQ(answers.at("1").at("error").at("message").as_string(), "unknown tool Echo; available: echo");
  EXPECT_EQ(recorder_.notes(), (std::vector<std::string>{"started Echo 1", "finished Echo error -32602"}));
}

TEST_F(McpProxyServerTest, RejectedCallsHaveARecordAndOtherFramesHaveNone) {
  const auto answers =
      Talk(*Make(), {R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":[1]}})",
                     R"({"jsonrpc":"2.0","id":2,"method":"nonsense"})"});
  EXPECT_EQ(answers.at("1").at("error").at("code").as_int64(), -32602);
  EXPECT_EQ(answers.at("2").at("error").at("code").as_int64(), -32601);
  EXPECT_EQ(recorder_.notes(), (std::vector<std::string>{"started echo 1", "finished echo error -32602"}));
}

TEST_F(McpProxyServerTest, ProvidersThatDoNotFitAreAnErrorBeforeServing) {
  auto server = Make();
  server->RegisterProvider(std::make_shared<EchoProvider>());
  auto transport =
      mcp::StdioTransport::Over(::open("/dev/null", O_RDONLY | O_CLOEXEC), ::open("/dev/null", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(transport);
  const auto end = server->ServeStdio(**transport);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, "USER.MCP_PROXY.NAME_COLLISION");
}

TEST_F(McpProxyServerTest, StopBeforeServingHoldsToo) {
  auto server = Make();
  server->Stop(mcp::EndReason::kSignal);
  std::array<int, 2> in{};
  ASSERT_EQ(::pipe2(in.data(), O_CLOEXEC), 0);
  const Fd open_end(in[1]);
  auto transport = mcp::StdioTransport::Over(in[0], ::open("/dev/null", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(transport);
  const auto end = server->ServeStdio(**transport);
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, mcp::EndReason::kSignal);
}

// Both ends of a step channel, and what the parent's end has read so far.
class ChannelPair {
 public:
  ChannelPair() {
    auto server = channel::StepChannelServer::Listen(folder_ / "channel", "token");
    EXPECT_TRUE(server);
    parent_ = std::move(*server);
    std::thread connecting([&] {
      auto connected = channel::StepChannelClient::Connect(folder_ / "channel", "token");
      EXPECT_TRUE(connected) << connected.error().message;
      if (connected) client_ = std::move(*connected);
    });
    for (int i = 0; i < 3000 && parent_->LivePeers().empty(); ++i) Wait(), parent_->Handle();
    connecting.join();
  }
  ~ChannelPair() { parent_.reset(); }  // before the client

  channel::StepChannelClient& client() { return *client_; }
  void LoseParent() { parent_.reset(); }
  std::vector<channel::Message> Received(std::size_t count) {
    std::vector<channel::Message> messages;
    for (int i = 0; i < 3000 && messages.size() < count; ++i) {
      Wait();
      for (auto& event : parent_->Handle()) {
        if (event.message) messages.push_back(std::move(*event.message));
      }
    }
    EXPECT_EQ(messages.size(), count);
    return messages;
  }

 private:
  void Wait() {
    std::vector<pollfd> waiting;
    parent_->AddFds(waiting);
    ::poll(waiting.data(), waiting.size(), 10);
  }
  const TestFolder folder_;
  std::unique_ptr<channel::StepChannelServer> parent_;
  std::unique_ptr<channel::StepChannelClient> client_;
};

TEST(ChannelReporter, TellsTheParentEverything) {
  ChannelPair pair;
  SchemaArgumentChecker checker;
  ChannelReporter reporter(pair.client());
  auto server = NewServer(checker, reporter, {});
  server->RegisterProvider(std::make_shared<EchoProvider>());
  Talk(*server,
       {kInitialize, R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})",
        R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}})"});
  reporter.Bye();
  const auto messages = pair.Received(5);
  ASSERT_EQ(messages.size(), 5U);
  EXPECT_EQ(std::get<channel::Ready>(messages[0]).client, "t");
  const auto& listed = std::get<channel::ToolsListed>(messages[1]);
  EXPECT_EQ(listed.count, 1U);
  EXPECT_EQ(listed.names, std::vector<std::string>{"echo"});
  EXPECT_EQ(listed.digest_input,
            R"([{"name":"echo","description":"Says what it is told.","inputSchema":{"type":"object",)"
            R"("properties":{"text":{"type":"string"}},"required":["text"]}}])");
  const auto& started = std::get<channel::CallStarted>(messages[2]);
  const auto& finished = std::get<channel::CallFinished>(messages[3]);
  EXPECT_EQ(started.call.tool, "echo");
  EXPECT_EQ(started.call.call, finished.call);
  EXPECT_EQ(finished.end.outcome, CallOutcome::kOk);
  EXPECT_TRUE(std::holds_alternative<channel::Bye>(messages[4]));
}

TEST(ChannelReporter, WithoutParentNoToolRuns) {
  ChannelPair pair;
  SchemaArgumentChecker checker;
  ChannelReporter reporter(pair.client());
  auto server = NewServer(checker, reporter, {});
  server->RegisterProvider(std::make_shared<EchoProvider>());
  pair.LoseParent();
  EXPECT_TRUE(reporter.Reachable());
  const auto answers =
      Talk(*server,
           {R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}})"});
  EXPECT_FALSE(reporter.Reachable());
  EXPECT_TRUE(answers.at("2").at("result").at("isError").as_bool());
}

TEST(ChannelReporter, CapturedContentGoesToTheParentWhenItIsWanted) {
  for (const bool wanted : {false, true}) {
    ChannelPair pair;
    SchemaArgumentChecker checker;
    ChannelReporter reporter(pair.client());
    McpProxyOptions options;
    options.capture_content = wanted;
    auto server = NewServer(checker, reporter, std::move(options));
    server->RegisterProvider(std::make_shared<EchoProvider>());
    Talk(*server,
         {R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}})"});
    const auto messages = pair.Received(2);
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(std::get<channel::CallStarted>(messages[0]).call.arguments, wanted ? R"({"text":"hi"})" : "");
    EXPECT_EQ(std::get<channel::CallFinished>(messages[1]).end.result, wanted ? "hi" : "");
  }
}

}  // namespace
}  // namespace awf
