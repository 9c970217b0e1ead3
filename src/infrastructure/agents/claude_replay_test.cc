// Every recorded stream of Claude Code, with the exit status that came with it, against the verdict it must get.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "domain/test_folder.h"
#include "infrastructure/agents/claude.h"
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
  const char* stopped;   // code of the early stop; "" when there is none
  const char* failure;   // code of the provider's verdict; "" for success
  const char* contains;  // in the failure's message, or the output of a success
  const char* level;     // "" when none was told
  int refused_permissions;
};

std::ostream& operator<<(std::ostream& out, const Recording& recording) { return out << recording.name; }

const Recording kRecordings[] = {
    {"2.1.332.success", 0, 0, "", "", "done", "proven", 0},
    {"2.1.197.success", 0, 0, "", "", "done", "proven", 0},
    {"2.1.332.partial-messages", 0, 0, "", "", "done", "proven", 0},
    {"2.1.332.parallel-readonly", 0, 0, "", "", "end", "proven", 0},
    {"2.1.332.mcp-iserror", 0, 0, "", "", "done", "proven", 0},
    {"2.1.332.mcp-structured", 0, 0, "", "", "done", "proven", 0},
    {"2.1.332.mcp-image", 0, 0, "", "", "done", "proven", 0},
    {"2.1.332.mcp-big-output", 0, 0, "", "", "done", "proven", 0},
    {"2.1.332.mcp-tool-timeout", 0, 0, "", "", "done", "proven", 0},
    // What the stream alone cannot tell: the step channel knows that a server died.
    {"2.1.332.mcp-crash-mid-call", 0, 0, "", "", "done", "proven", 0},
    {"2.1.332.mcp-crash-then-respawn", 0, 0, "", "", "end", "proven", 0},
    {"2.1.332.api-500-recovered", 0, 0, "", "", "recovered", "proven", 0},
    {"2.1.332.api-429", 1, 0, "", "EXECUTION.AGENT.RATE_LIMITED", "Request rejected (429)", "proven", 0},
    {"2.1.332.api-500-exhausted", 1, 0, "", "EXECUTION.AGENT.FAILED", "API Error: 500 boom", "proven", 0},
    {"2.1.332.api-400", 1, 0, "", "EXECUTION.AGENT.FAILED", "Prompt is too long", "proven", 0},
    {"2.1.332.api-401-no-retries", 1, 0, "", "EXECUTION.AGENT.AUTH", "Failed to authenticate", "proven", 0},
    {"2.1.332.api-401-retrying-killed", 137, 9, "EXECUTION.AGENT.AUTH", "EXECUTION.AGENT.FAILED", "signal 9", "proven",
     0},
    {"2.1.332.connect-refused", 1, 0, "", "EXECUTION.AGENT.FAILED", "Connection refused", "proven", 0},
    {"2.1.332.no-key", 1, 0, "", "EXECUTION.AGENT.AUTH", "Not logged in", "proven", 0},
    {"2.1.332.max-turns", 1, 0, "", "EXECUTION.AGENT.FAILED", "Reached maximum number of turns (1)", "proven", 0},
    {"2.1.332.slash-prompt", 0, 0, "", "EXECUTION.AGENT.FAILED", "taken for a command", "proven", 0},
    {"2.1.332.sigterm", 143, 0, "", "EXECUTION.AGENT.FAILED", "without its final event (exit code 143)", "proven", 0},
    {"2.1.332.sigint", 0, 0, "", "EXECUTION.AGENT.FAILED", "ede_diagnostic", "proven", 0},
    {"2.1.332.permission-denied", 0, 0, "", "", "done", "proven", 1},
    {"2.1.332.permission-denied-dontask", 0, 0, "", "", "done", "proven", 1},
    {"2.1.332.mcp-not-started", 0, 0, "EXECUTION.MCP_PROXY.NOT_CONNECTED", "", "not offered", "", 0},
    {"2.1.197.mcp-not-started", 0, 0, "EXECUTION.MCP_PROXY.NOT_CONNECTED", "", "not offered", "", 0},
};

AgentRequest Request() {
  AgentRequest request;
  request.provider_as_written = "claude";
  request.prompt = "go";
  request.proxy.emplace();
  request.proxy->enable = true;
  request.working_dir = "/";
  return request;
}

class ClaudeReplayTest : public testing::TestWithParam<Recording> {};

TEST_P(ClaudeReplayTest, GetsItsVerdict) {
  const Recording& recording = GetParam();
  const std::filesystem::path stream = Streams() / ("claude-" + std::string(recording.name) + ".jsonl");
  ASSERT_TRUE(std::filesystem::exists(stream));

  ClaudeProvider claude({.step_folder = "/step", .version = "2.1.332", .server = "awf"});
  const ProxyEndpoint endpoint{"/bin/awf", "/step/serve.json", "/step", {std::begin(kTools), std::end(kTools)}, 1000};
  ASSERT_TRUE(claude.Prepare(Request(), &endpoint));
  std::set<std::string> ours;
  for (const char* tool : kTools) ours.insert(claude.ShownName(tool));

  TestObserver observer;
  StreamMonitor monitor({.provider = "claude", .version = "2.1.332", .proxy = true, .intercept = true, .ours = ours},
                        observer, [] { return true; });
  Feed(claude, FileText(stream), monitor);
  monitor.Finish();
  const Verdict verdict = claude.Judge({recording.exit_code, recording.signal, ""});

  EXPECT_EQ(monitor.stop_reason() ? monitor.stop_reason()->code : "", recording.stopped);
  EXPECT_EQ(verdict.failure ? verdict.failure->code : "", recording.failure);
  const std::string text = verdict.failure ? verdict.failure->message : verdict.output;
  EXPECT_NE(text.find(recording.contains), std::string::npos) << text;
  if (recording.level[0] != '\0') {
    ASSERT_TRUE(monitor.level());
    EXPECT_EQ(ToString(*monitor.level()), recording.level);
    EXPECT_EQ(observer.Count("isolation "), 1) << observer.All();
  }
  EXPECT_EQ(observer.Count("log warn permission denied"), recording.refused_permissions);
  // The only call was refused: a failure although the CLI exits with 0.
  EXPECT_EQ(monitor.Failure().has_value(), recording.refused_permissions > 0);
  EXPECT_EQ(observer.Count("bypass"), 0);
  EXPECT_FALSE(verdict.session_id.empty());
  EXPECT_TRUE(verdict.model.starts_with("claude-opus-")) << verdict.model;
}

INSTANTIATE_TEST_SUITE_P(Recordings, ClaudeReplayTest, testing::ValuesIn(kRecordings),
                         [](const auto& test) { return TestNameOf(test.param.name); });

TEST(ClaudeRecordingsTest, EveryFileIsReplayed) {
  std::set<std::string> replayed;
  for (const Recording& recording : kRecordings) replayed.insert("claude-" + std::string(recording.name) + ".jsonl");
  EXPECT_EQ(RecordedFiles("claude-"), replayed);
}

TEST(ClaudeReplayTokensTest, ResultReplacesTheRunningTotal) {
  std::ifstream file(Streams() / "claude-2.1.332.success.jsonl");
  ClaudeProvider claude({.step_folder = "/step", .version = "2.1.332", .server = "awf"});
  TestObserver observer;
  StreamMonitor monitor({.provider = "claude"}, observer, [] { return true; });
  std::vector<std::int64_t> totals;
  for (std::string line; std::getline(file, line);) {
    claude.Read(line, monitor);
    if (totals.empty() || totals.back() != observer.usage().total) totals.push_back(observer.usage().total);
  }
  // Two messages of 100 + 1 (each counted once, although one came in two events), then the result's own sum.
  EXPECT_EQ(totals, (std::vector<std::int64_t>{0, 101, 202, 220}));
  const Verdict verdict = claude.Judge({0, 0, ""});
  EXPECT_EQ(verdict.usage.input, 200);
  EXPECT_EQ(verdict.usage.output, 20);
  ASSERT_TRUE(verdict.usage.cost_usd);
  EXPECT_NEAR(*verdict.usage.cost_usd, 0.0012, 1e-9);
  EXPECT_EQ(verdict.session_id, "f1be25e5-8658-4d06-892d-dcd7f2d730cd");
  EXPECT_EQ(verdict.model, "claude-opus-5-5");
}

}  // namespace
}  // namespace awf::agents
