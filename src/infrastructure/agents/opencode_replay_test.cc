// Every recorded stream of OpenCode, with the exit status that came with it, against the verdict it must get.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "domain/test_folder.h"
#include "infrastructure/agents/opencode.h"
#include "infrastructure/agents/stream_monitor.h"
#include "infrastructure/agents/test_observer.h"
#include "infrastructure/agents/test_recordings.h"

namespace awf::agents {
namespace {

constexpr const char* kTools[] = {"Bash", "Edit", "Glob", "Grep", "Read", "Write"};

struct Recording {
  const char* name;
  int exit_code;
  int signal;
  const char* failure;   // code of the provider's verdict; "" for success
  const char* contains;  // in the failure's message, or the output of a success
  std::int64_t total;    // tokens
  int native_refused;
  int refused_permissions;
};

std::ostream& operator<<(std::ostream& out, const Recording& recording) { return out << recording.name; }

const Recording kRecordings[] = {
    {"golden", 0, 0, "", "finished", 220, 0, 0},
    {"mcp-call-ok", 0, 0, "", "finished", 220, 0, 0},
    {"mcp-iserror", 0, 0, "", "finished", 220, 0, 0},
    {"mcp-timeout", 0, 0, "", "finished", 220, 0, 0},
    // What the stream alone cannot tell: the step channel knows that a server died, or never came.
    {"mcp-crash", 0, 0, "", "Side request", 220, 0, 0},
    {"mcp-failstart", 0, 0, "", "Side request", 110, 0, 0},
    {"native-denied", 0, 0, "", "finished", 330, 2, 0},
    {"permission-ask", 0, 0, "EXECUTION.AGENT.FAILED", "ended after a tool call, without an answer", 110, 0, 1},
    {"error-401", 1, 0, "EXECUTION.AGENT.AUTH", "scripted 401", 0, 0, 0},
    {"length", 0, 0, "EXECUTION.AGENT.FAILED", "ended early (length)", 110, 0, 0},
    {"no-model", 1, 0, "EXECUTION.AGENT.FAILED", "Model not found: fake/nomodel.", 0, 0, 0},
    {"sigterm", 143, 15, "EXECUTION.AGENT.FAILED", "without its final event (signal 15)", 0, 0, 0},
};

std::string TextOf(const std::string& name) { return FileText(Streams() / ("opencode-1.18.33." + name)); }

// A provider that has read a recording, and what it told.
struct Replay {
  explicit Replay(const std::string& name) {
    AgentRequest request;
    request.proxy.emplace();
    request.proxy->project_memory = false;
    request.working_dir = "/";
    const ProxyEndpoint endpoint{"/bin/awf", "/step/serve.json", "/step", {std::begin(kTools), std::end(kTools)}, 1};
    EXPECT_TRUE(opencode.Prepare(request, &endpoint));
    std::set<std::string> ours;
    for (const char* tool : kTools) ours.insert(opencode.ShownName(tool));
    monitor.emplace(StreamMonitor::Rules{.provider = "opencode",
                                         .version = "1.18.33",
                                         .proxy = true,
                                         .intercept = true,
                                         .ours = ours,
                                         .claim = {IsolationLevel::kFlags, "not proven"}},
                    observer, [] { return true; });
    Feed(opencode, TextOf(name + ".jsonl"), *monitor);
    monitor->Finish();
  }
  OpenCodeProvider opencode{{.step_folder = "/step", .version = "1.18.33"}};
  TestObserver observer;
  std::optional<StreamMonitor> monitor;
};

class OpenCodeReplayTest : public testing::TestWithParam<Recording> {};

TEST_P(OpenCodeReplayTest, GetsItsVerdict) {
  const Recording& recording = GetParam();
  const Replay replay(recording.name);
  const Verdict verdict = replay.opencode.Judge(
      {recording.exit_code, recording.signal, TextOf(std::string(recording.name) + ".stderr.txt")});
  EXPECT_FALSE(replay.monitor->stop_reason());
  EXPECT_EQ(verdict.failure ? verdict.failure->code : "", recording.failure);
  const std::string text = verdict.failure ? verdict.failure->message : verdict.output;
  EXPECT_NE(text.find(recording.contains), std::string::npos) << text;
  EXPECT_TRUE(verdict.session_id.starts_with("ses_")) << verdict.session_id;
  EXPECT_EQ(verdict.usage.total, recording.total);
  EXPECT_EQ(replay.observer.Count("refused "), recording.native_refused) << replay.observer.All();
  EXPECT_EQ(replay.observer.Count("log warn permission denied"), recording.refused_permissions);
  EXPECT_EQ(replay.observer.Count("bypass"), 0);
  EXPECT_EQ(replay.observer.Count("isolation "), 1) << replay.observer.All();
}

INSTANTIATE_TEST_SUITE_P(Recordings, OpenCodeReplayTest, testing::ValuesIn(kRecordings),
                         [](const auto& test) { return TestNameOf(test.param.name); });

TEST(OpenCodeRecordingsTest, EveryFileIsReplayed) {
  std::set<std::string> replayed;
  for (const Recording& recording : kRecordings) {
    replayed.insert("opencode-1.18.33." + std::string(recording.name) + ".jsonl");
  }
  EXPECT_EQ(RecordedFiles("opencode-"), replayed);
}

TEST(OpenCodeMessagesTest, CallsAndResultsArePartsOfTheConversation) {
  const Replay replay("golden");
  EXPECT_EQ(replay.observer.Messages(),
            (std::vector<std::string>{R"(assistant [tool_use awf-proxy_Read call_00000001] {"file_path":"a.txt"})",
                                      R"(user [tool_result call_00000001] result of Read {"file_path":"a.txt"})",
                                      "assistant [text] finished"}));
}

TEST(OpenCodeTokensTest, CachedInputAndReasoningCount) {
  const Replay replay("length");
  const TokenUsage usage = replay.opencode.Judge({0, 0, ""}).usage;
  EXPECT_EQ(usage.input, 100);
  EXPECT_EQ(usage.cached, 40);
  EXPECT_EQ(usage.output, 10);
  EXPECT_EQ(usage.reasoning, 3);
  EXPECT_EQ(usage.cost_usd, 0.0);
}

TEST(OpenCodeStreamTest, ANativeToolThatRanIsABypass) {
  Replay replay("sigterm");
  replay.opencode.Read(
      R"({"type":"tool_use","part":{"tool":"bash","callID":"c","state":{"status":"completed","output":"x"}}})",
      *replay.monitor);
  replay.monitor->Finish();
  EXPECT_TRUE(replay.observer.Has("bypass bash tool_use")) << replay.observer.All();
}

}  // namespace
}  // namespace awf::agents
