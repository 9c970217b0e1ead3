// Every recorded run of Mistral Vibe, with what it exported and its exit status, against the verdict it must get.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "domain/test_folder.h"
#include "infrastructure/agents/mistral_vibe.h"
#include "infrastructure/agents/stream_monitor.h"
#include "infrastructure/agents/test_observer.h"
#include "infrastructure/agents/test_recordings.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTools[] = {"Bash", "Edit", "Glob", "Grep", "Read", "Write"};
constexpr char kVersion[] = "3.0.3";

struct Recording {
  const char* name;
  int exit_code;
  const char* error_output;
  const char* failure;   // code of the verdict; "" for success
  const char* contains;  // in the failure's message, or the output of a success
  long long total_tokens;
  int refused = 0;   // native calls that Vibe denied
  int bypasses = 0;  // native calls that ran
  int denied = 0;    // calls of ours that Vibe denied
};

std::ostream& operator<<(std::ostream& out, const Recording& recording) { return out << recording.name; }

const Recording kRecordings[] = {
    {"tools", 0, "", "", "the end", 220},
    {"native-denied", 0, "", "", "refused", 330, 6},
    {"crash", 0, "", "", "after", 110},
    {"additive", 0, "", "", "both", 220, 1, 1, 1},
    {"max-turns", 3, "", "EXECUTION.AGENT.FAILED", "stopped before it was done: turn_limit", 0},
    {"sigterm", 3, "", "EXECUTION.AGENT.FAILED", "stopped before it was done: terminated", 0},
    {"api-401", 1, "", "EXECUTION.AGENT.AUTH", "Invalid API key (from env var FAKE_KEY)", 0},
    {"api-403", 1, "", "EXECUTION.AGENT.AUTH", "Invalid API key", 0},
    {"api-429", 2, "", "EXECUTION.AGENT.RATE_LIMITED", "429 Too Many Requests", 0},
    {"api-500", 2, "", "EXECUTION.AGENT.FAILED", "500 Internal Server Error", 0},
    {"unknown-session", 1, "", "EXECUTION.AGENT.SESSION_LOST", "Session not found", 0},
    {"unknown-model", 2, "Model 'nosuch' is not available — running 'Mistral Medium 3.5'.", "EXECUTION.AGENT.FAILED",
     "it knows no model 'nosuch'", 0},
    {"unknown-flag", 1, "error: unexpected argument '--no-such-flag' found\n\nUsage: vibe",
     "EXECUTION.AGENT.NOT_INSTALLED", "vibe 3.0.3 doesn't know --no-such-flag; verified with 3.0.3", 0},
};

std::string Named(const Recording& recording) { return "vibe-" + std::string(kVersion) + "." + recording.name; }

AgentRequest Request() {
  AgentRequest request;
  request.provider_as_written = "mistral_vibe";
  request.prompt = "go";
  request.options["model"] = "nosuch";
  request.proxy.emplace();
  request.proxy->enable = true;
  request.working_dir = "/";
  request.continued.emplace();
  request.continued->id = "aaaaaaaa-e48b-31ab-013b-433f4ab8836b";
  request.continued->folder = "here";
  return request;
}

class MistralVibeReplay {
 public:
  explicit MistralVibeReplay(const Recording& recording) : vibe({.step_folder = folder_.path(), .version = kVersion}) {
    fs::create_directories(folder_ / "out");
    const fs::path exported = Streams() / (Named(recording) + ".export.json");
    if (fs::exists(exported)) fs::copy_file(exported, folder_ / "out/export.json");
    const ProxyEndpoint endpoint{"/awf", "/step/serve.json", "/step", {std::begin(kTools), std::end(kTools)}, 1000};
    EXPECT_TRUE(vibe.Prepare(Request(), &endpoint));
    std::set<std::string> ours;
    for (const char* tool : kTools) ours.insert(vibe.ShownName(tool));
    monitor.emplace(
        StreamMonitor::Rules{
            .provider = "mistral_vibe", .version = kVersion, .proxy = true, .intercept = true, .ours = ours},
        observer, [] { return true; });
    const fs::path stream = Streams() / (Named(recording) + ".jsonl");
    EXPECT_TRUE(fs::exists(stream));
    Feed(vibe, FileText(stream), *monitor);
    monitor->Finish();
  }

 private:
  const TestFolder folder_;

 public:
  MistralVibeProvider vibe;
  TestObserver observer;
  std::optional<StreamMonitor> monitor;
};

class MistralVibeReplayTest : public testing::TestWithParam<Recording> {};

TEST_P(MistralVibeReplayTest, GetsItsVerdict) {
  const Recording& recording = GetParam();
  MistralVibeReplay replay(recording);
  const Verdict verdict = replay.vibe.Judge({recording.exit_code, 0, recording.error_output});

  EXPECT_EQ(verdict.failure ? verdict.failure->code : "", recording.failure);
  const std::string text = verdict.failure ? verdict.failure->message : verdict.output;
  EXPECT_NE(text.find(recording.contains), std::string::npos) << text;
  EXPECT_EQ(verdict.usage.total, recording.total_tokens);
  EXPECT_FALSE(replay.monitor->stop_reason());
  EXPECT_EQ(replay.observer.Count("refused "), recording.refused) << replay.observer.All();
  EXPECT_EQ(replay.observer.Count("bypass "), recording.bypasses) << replay.observer.All();
  EXPECT_EQ(replay.observer.Count("log warn permission denied"), recording.denied);
}

INSTANTIATE_TEST_SUITE_P(Recordings, MistralVibeReplayTest, testing::ValuesIn(kRecordings),
                         [](const auto& test) { return TestNameOf(test.param.name); });

TEST(MistralVibeRecordingsTest, EveryFileIsReplayed) {
  std::set<std::string> replayed;
  for (const Recording& recording : kRecordings) replayed.insert(Named(recording) + ".jsonl");
  EXPECT_EQ(RecordedFiles("vibe-"), replayed);
}

TEST(MistralVibeTranscriptTest, TellsWhatWasSaidAndDone) {
  MistralVibeReplay replay(kRecordings[0]);
  const std::vector<std::string> messages = replay.observer.Messages();
  ASSERT_EQ(messages.size(), 6U);
  EXPECT_EQ(messages[0], "assistant [text] I look first.");
  EXPECT_TRUE(messages[1].starts_with("assistant [tool_use mcp_awf_proxy.Write effect-")) << messages[1];
  EXPECT_TRUE(messages[1].ends_with(R"({"file_path":"a","content":"b"})")) << messages[1];
  EXPECT_TRUE(messages[2].starts_with("user [tool_result effect-") && messages[2].ends_with("] result of Write"));
  EXPECT_TRUE(messages[4].ends_with("] it failed")) << messages[4];
  EXPECT_EQ(messages[5], "assistant [text] the end");
  const Verdict verdict = replay.vibe.Judge({0, 0, ""});
  EXPECT_EQ(verdict.session_id.size(), 36U);
  EXPECT_EQ(verdict.model, "fake");
}

TEST(MistralVibeJudgeTest, WithoutExportTheRunDidNotEnd) {
  MistralVibeProvider vibe({.step_folder = "/none", .version = kVersion});
  const Verdict verdict = vibe.Judge({137, 9, "x\nlast"});
  ASSERT_TRUE(verdict.failure);
  EXPECT_EQ(verdict.failure->message, "vibe ended without its final event (signal 9): last");
}

TEST(MistralVibeJudgeTest, SuccessNeedsExitCodeZero) {
  const TestFolder folder;
  folder.Put("out/export.json", R"({"outcome":"finished","error":null})");
  MistralVibeProvider vibe({.step_folder = folder.path(), .version = kVersion});
  EXPECT_FALSE(vibe.Judge({0, 0, ""}).failure);
  EXPECT_EQ(vibe.Judge({1, 0, ""}).failure->message, "vibe: reported success, but ended with exit code 1");
}

TEST(MistralVibeJudgeTest, AMissingKeyIsALoginThatMayBeTheWrongModels) {
  const TestFolder folder;
  folder.Put("out/export.json", R"({"outcome":"config_error","error":{"code":null,"message":)"
                                R"("Missing MISTRAL_API_KEY environment variable for mistral provider"}})");
  MistralVibeProvider vibe({.step_folder = folder.path(), .version = kVersion});
  const Verdict verdict = vibe.Judge({1, 0, ""});
  ASSERT_TRUE(verdict.failure);
  EXPECT_EQ(verdict.failure->code, "EXECUTION.AGENT.AUTH");
  EXPECT_TRUE(verdict.failure->hint.contains("options.model")) << verdict.failure->hint;
}

TEST(MistralVibeTokensTest, AreCountedFromTheJournal) {
  const TestFolder folder;
  folder.Put(
      "out/export.json",
      R"({"outcome":"finished","usage":{"input_tokens":100,"output_tokens":10,"total_tokens":110},"cost_usd":0.5})");
  MistralVibeProvider vibe({.step_folder = folder.path(), .version = kVersion});
  EXPECT_EQ(vibe.Judge({0, 0, ""}).usage.cost_usd, 0.5);
  const std::string answer =
      R"({"type":"action_result","payload":{"result":{"result":{"usage":{"input_tokens":100,"output_tokens":7,)"
      R"("cached_input_tokens":4,"reasoning_tokens":2,"total_tokens":107}}}}})";
  folder.Put("out/session/journal/1.jsonl", answer + "\n" + R"({"type":"core_input","payload":{"usage":{}}})" + "\n");
  folder.Put("out/session/journal/2.jsonl", answer + "\nnot JSON\n");
  const TokenUsage usage = vibe.Judge({0, 0, ""}).usage;
  EXPECT_EQ(usage.input, 200);
  EXPECT_EQ(usage.output, 14);
  EXPECT_EQ(usage.total, 214);
  EXPECT_EQ(usage.cached, 8);
  EXPECT_EQ(usage.reasoning, 4);
  // It is that of the answers that Vibe counted.
  EXPECT_FALSE(usage.cost_usd);
}

}  // namespace
}  // namespace awf::agents
