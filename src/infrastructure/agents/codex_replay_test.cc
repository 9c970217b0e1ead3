// Every recorded stream of Codex, with the exit status that came with it, against the verdict it must get.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "domain/test_folder.h"
#include "infrastructure/agents/codex.h"
#include "infrastructure/agents/stream_monitor.h"
#include "infrastructure/agents/test_observer.h"
#include "infrastructure/agents/test_recordings.h"

namespace awf::agents {
namespace {

constexpr const char* kPrefix = "codex-0.171.0.";

struct Recording {
  const char* name;
  int exit_code;
  int signal;
  const char* stopped;   // code of the early stop; "" when there is none
  const char* failure;   // code of the provider's verdict; "" for success
  const char* contains;  // in the failure's message, or the output of a success
  const char* level = "flags";
  int bypasses = 0;
  int denied = 0;
};

std::ostream& operator<<(std::ostream& out, const Recording& recording) { return out << recording.name; }

const Recording kRecordings[] = {
    {"golden", 0, 0, "", "", "finished"},
    {"mcp-call-ok", 0, 0, "", "", "finished"},
    {"code-mode-call", 0, 0, "", "", "fin"},
    {"resume", 0, 0, "", "", "hello"},
    // What the stream alone cannot tell: the step channel knows that a server died, or never came.
    {"mcp-crash", 0, 0, "", "", "finished"},
    {"mcp-timeout", 0, 0, "", "", "finished"},
    {"mcp-failstart-optional", 0, 0, "", "", "hello"},
    {"mcp-call-not-approved", 0, 0, "", "", "finished", "flags", 0, 1},
    {"native-shell", 0, 0, "", "", "fin", "coexisting", 1},
    // Calls of tools that are switched off leave no trace; tools for MCP resources are no bypass.
    {"native-refused", 0, 0, "", "", "hello"},
    {"error-401", 1, 0, "EXECUTION.AGENT.AUTH", "EXECUTION.AGENT.AUTH", "codex: unexpected status 401 Unauthorized"},
    {"error-401-retrying", 1, 0, "EXECUTION.AGENT.AUTH", "EXECUTION.AGENT.AUTH", "codex: unexpected status 401"},
    {"error-429", 1, 0, "", "EXECUTION.AGENT.RATE_LIMITED", "codex: exceeded retry limit, last status: 429"},
    {"error-500", 1, 0, "", "EXECUTION.AGENT.FAILED", "experiencing high demand"},
    {"connect-refused", 1, 0, "", "EXECUTION.AGENT.FAILED", "codex: Connection failed: error sending request"},
    {"sigint", 1, 0, "", "EXECUTION.AGENT.FAILED", "without its final event (exit code 1)"},
    {"sigterm", 143, 15, "", "EXECUTION.AGENT.FAILED", "without its final event (signal 15)"},
};

std::string Stream(const std::string& name) {
  const std::filesystem::path file = Streams() / (kPrefix + name + ".jsonl");
  EXPECT_TRUE(std::filesystem::exists(file)) << name;
  return FileText(file);
}

// One attempt, fed with a stream.
struct Replay {
  explicit Replay(const std::string& stream, std::optional<AgentSession> continued = {}) {
    AgentRequest request;
    request.prompt = "go";
    request.options["model"] = "fake-model";
    request.proxy.emplace();
    request.continued = std::move(continued);
    const ProxyEndpoint endpoint{"/bin/awf", "/step/serve.json", "/step", {"Read", "Bash"}, 1000};
    EXPECT_TRUE(codex.Prepare(request, &endpoint));
    StreamMonitor::Rules rules;
    rules.provider = "codex";
    rules.proxy = rules.intercept = true;
    rules.ours = {codex.ShownName("Read"), codex.ShownName("Bash")};
    rules.claim = {IsolationLevel::kFlags, "not proven for 0.171.0"};
    monitor.emplace(std::move(rules), observer, [] { return true; });
    Feed(codex, stream, *monitor);
    monitor->Finish();
  }

  CodexProvider codex{ProviderSetup{}};
  TestObserver observer;
  std::optional<StreamMonitor> monitor;
};

class CodexReplayTest : public testing::TestWithParam<Recording> {};

TEST_P(CodexReplayTest, GetsItsVerdict) {
  const Recording& recording = GetParam();
  const Replay replay(Stream(recording.name));
  const Verdict verdict = replay.codex.Judge({recording.exit_code, recording.signal, ""});

  const auto& stop = replay.monitor->stop_reason();
  EXPECT_EQ(stop ? stop->code : "", recording.stopped);
  EXPECT_EQ(verdict.failure ? verdict.failure->code : "", recording.failure);
  const std::string text = verdict.failure ? verdict.failure->message : verdict.output;
  EXPECT_NE(text.find(recording.contains), std::string::npos) << text;
  ASSERT_TRUE(replay.monitor->level());
  EXPECT_EQ(ToString(*replay.monitor->level()), recording.level);
  EXPECT_EQ(replay.monitor->bypasses(), recording.bypasses) << replay.observer.All();
  EXPECT_EQ(replay.observer.Count("log warn permission denied"), recording.denied);
  EXPECT_EQ(replay.monitor->Failure().has_value(), recording.denied > 0);
  EXPECT_EQ(verdict.session_id.size(), 36U);
  EXPECT_EQ(verdict.model, "fake-model");
  EXPECT_FALSE(verdict.try_fallback);
}

INSTANTIATE_TEST_SUITE_P(Recordings, CodexReplayTest, testing::ValuesIn(kRecordings),
                         [](const auto& test) { return TestNameOf(test.param.name); });

TEST(CodexRecordingsTest, EveryFileIsReplayed) {
  std::set<std::string> replayed;
  for (const Recording& recording : kRecordings) replayed.insert(kPrefix + std::string(recording.name) + ".jsonl");
  EXPECT_EQ(RecordedFiles("codex-", ""), replayed);
}

TEST(CodexStreamTest, MessagesAndTokens) {
  const Replay replay(Stream("golden"));
  EXPECT_EQ(replay.observer.Messages(),
            (std::vector<std::string>{R"(assistant [tool_use awf-proxy/Read item_0] {"file_path":"a.txt"})",
                                      R"(user [tool_result item_0] result of Read {"file_path":"a.txt"})",
                                      "assistant [text] finished"}));
  const TokenUsage usage = replay.codex.Judge({0, 0, ""}).usage;
  EXPECT_EQ(usage.input, 200);
  EXPECT_EQ(usage.output, 20);
  EXPECT_EQ(usage.total, 220);
  EXPECT_EQ(replay.observer.usage().total, 220);
}

TEST(CodexStreamTest, TokensOfAThreadThatGoesOnAreItsSum) {
  AgentSession session{"codex", "01a22cb0-ece4-78e3-9a57-93e83f0b4e33", nullptr, {}, "/", ""};
  session.usage.input = 200;
  session.usage.output = 20;
  session.usage.total = 220;
  const Replay replay(Stream("resume"), session);
  const Verdict verdict = replay.codex.Judge({0, 0, ""});
  EXPECT_FALSE(verdict.failure);
  EXPECT_EQ(verdict.usage.input, 100);
  EXPECT_EQ(verdict.usage.output, 10);
  EXPECT_EQ(verdict.usage.total, 110);
  EXPECT_EQ(verdict.thread_usage.total, 330);
  EXPECT_EQ(replay.observer.usage().total, 110);
}

TEST(CodexStreamTest, AnotherThreadThanTheOneToGoOnWithIsALostSession) {
  const Replay replay(Stream("resume"), AgentSession{"codex", "01a22fbd", nullptr, {}, "/", ""});
  ASSERT_TRUE(replay.monitor->stop_reason());
  EXPECT_EQ(replay.monitor->stop_reason()->code, "EXECUTION.AGENT.SESSION_LOST");
}

std::string Item(const std::string& event, const std::string& rest) {
  return R"({"type":"item.)" + event + R"(","item":{"id":"i1",)" + rest + "}}\n";
}

TEST(CodexStreamTest, WhatIsNativeAndWhatIsNot) {
  const struct {
    const char* item;
    int bypasses, refused;
  } kItems[] = {
      {R"("type":"file_change","changes":[],"status":"completed")", 1, 0},
      {R"("type":"web_search","query":"x")", 1, 0},
      {R"("type":"of_a_version_to_come")", 1, 0},
      {R"("type":"mcp_tool_call","server":"other","tool":"Read","status":"completed")", 1, 0},
      {R"("type":"mcp_tool_call","server":"other","tool":"read_mcp_resource","status":"completed")", 1, 0},
      {R"("type":"command_execution","command":"x","status":"declined")", 0, 1},
      {R"("type":"mcp_tool_call","server":"awf-proxy","tool":"Nope","status":"failed")", 0, 0},
      {R"("type":"mcp_tool_call","server":"awf-proxy","tool":"read_mcp_resource","status":"failed")", 0, 0},
      {R"("type":"mcp_tool_call","server":"codex","tool":"list_mcp_resources","status":"completed")", 0, 0},
      {R"("type":"reasoning","text":"hm")", 0, 0},
      {R"("type":"error","message":"Falling back")", 0, 0},
  };
  for (const auto& [item, bypasses, refused] : kItems) {
    const Replay replay(Item("completed", item));
    EXPECT_EQ(replay.monitor->bypasses(), bypasses) << item;
    EXPECT_EQ(replay.observer.Count("refused "), refused) << item;
  }
  // Without a result it is taken for done.
  EXPECT_EQ(Replay(Item("started", R"("type":"command_execution","command":"x")")).monitor->bypasses(), 1);
}

TEST(CodexStreamTest, EachUseIsToldOnceAndOutputIsWhatFollowsTheLast) {
  const Replay replay(Item("completed", R"("type":"agent_message","text":"before")") +
                      Item("started", R"("type":"command_execution","command":"x","status":"in_progress")") +
                      Item("updated", R"("type":"command_execution","command":"x","status":"in_progress")") +
                      Item("completed",
                           R"("type":"command_execution","command":"x","aggregated_output":"o","exit_code":3,)"
                           R"("status":"failed")") +
                      Item("completed", R"("type":"reasoning","text":"hm")") +
                      Item("completed", R"("type":"assistant_message","text":"one")") +
                      Item("completed", R"("type":"agent_message","text":"two")"));
  EXPECT_EQ(replay.observer.Messages(),
            (std::vector<std::string>{
                "assistant [text] before", R"(assistant [tool_use command_execution i1] {"command":"x"})",
                "user [tool_result i1] o", "assistant [thinking] hm", "assistant [text] one", "assistant [text] two"}));
  EXPECT_EQ(replay.codex.Judge({0, 0, ""}).output, "one\n\ntwo");
}

TEST(CodexStreamTest, FailuresByTheirText) {
  const struct {
    const char* text;
    const char* code;
  } kTexts[] = {
      {"unexpected status 403 Forbidden: x", "EXECUTION.AGENT.AUTH"},
      {"Your access token could not be refreshed. Please log out and sign in again.", "EXECUTION.AGENT.AUTH"},
      {"You've hit your usage limit. Upgrade", "EXECUTION.AGENT.RATE_LIMITED"},
      {"Quota exceeded. Check your plan", "EXECUTION.AGENT.RATE_LIMITED"},
      {"unexpected status 404 Not Found: model", "EXECUTION.AGENT.FAILED"},
      {"", "EXECUTION.AGENT.FAILED"},
  };
  for (const auto& [text, code] : kTexts) {
    const Replay replay(R"({"type":"turn.failed","error":{"message":")" + std::string(text) + "\"}}\n");
    EXPECT_EQ(replay.codex.Judge({1, 0, ""}).failure.value().code, code) << text;
  }
  // Success by its own account, but not by its exit.
  const Replay replay(Stream("golden"));
  EXPECT_EQ(replay.codex.Judge({137, 9, ""}).failure.value().message,
            "codex: completed its turn, but ended with signal 9");
}

}  // namespace
}  // namespace awf::agents
