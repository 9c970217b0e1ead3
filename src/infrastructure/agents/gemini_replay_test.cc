// Every recorded stream of Gemini CLI, with the exit status and the last words that came with it, against the verdict
// it must get.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "domain/test_folder.h"
#include "infrastructure/agents/gemini.h"
#include "infrastructure/agents/stream_monitor.h"
#include "infrastructure/agents/test_observer.h"
#include "infrastructure/agents/test_recordings.h"

namespace awf::agents {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kTools[] = {"Bash", "Edit", "Glob", "Grep", "Read", "Write"};

struct Recording {
  const char* name;
  int exit_code;
  const char* error_output;  // the end of stderr
  const char* failure;       // code of the provider's verdict; "" for success
  const char* text;          // the failure's message, or the output of a success
  int total_tokens;
};

std::ostream& operator<<(std::ostream& out, const Recording& recording) { return out << recording.name; }

const Recording kRecordings[] = {
    {"success", 0, "", "", "done", 220},
    {"ansi-stripped", 0, "", "", "red RED bell\a", 110},
    {"parallel", 0, "", "", "end", 220},
    {"mcp-iserror", 0, "", "", "done", 220},
    {"mcp-image", 0, "", "", "done", 220},
    {"mcp-tool-timeout", 0, "", "", "done", 220},
    // What the stream alone cannot tell: the step channel knows that the server died, or never came.
    {"mcp-crash-mid-call", 0, "", "", "end", 330},
    {"mcp-not-started", 0, "MCP issues detected. Run /mcp list for status.\n", "",
     "let me[fake: tool ~Read not offered]", 110},
    {"bad-args-and-unknown-tools", 0, "", "", "end", 220},
    {"api-400", 144, "}\n", "EXECUTION.AGENT.FAILED", "gemini: bad request", 0},
    {"api-401", 145, "}\n", "EXECUTION.AGENT.AUTH", "gemini: API key not valid", 0},
    {"api-429", 173, "}\n", "EXECUTION.AGENT.RATE_LIMITED",
     "gemini: slow down\nPlease wait and try again later. To increase your limits, request a quota increase through AI "
     "Studio, or switch to another /auth method",
     0},
    {"api-500-exhausted", 244, "}\n", "EXECUTION.AGENT.FAILED", "gemini: boom", 0},
    {"connect-refused", 1, "}\n", "EXECUTION.AGENT.FAILED", "gemini: exception TypeError: fetch failed sending request",
     0},
    {"max-turns", 53, "", "EXECUTION.AGENT.FAILED",
     "gemini: Reached max session turns for this session. Increase the number of turns by specifying maxSessionTurns "
     "in settings.json.",
     110},
    {"sigterm", 0, "", "EXECUTION.AGENT.FAILED", "gemini ended without its final event (exit code 0)", 0},
    {"no-key", 41,
     "When using Gemini API, you must specify the GEMINI_API_KEY environment variable.\nUpdate your environment and "
     "try again (no reload needed if using .env)!\n",
     "EXECUTION.AGENT.AUTH", "gemini: Update your environment and try again (no reload needed if using .env)!", 0},
    {"no-key-external", 1, "}\n", "EXECUTION.AGENT.AUTH",
     "gemini: Could not load the default credentials. Browse to "
     "https://cloud.google.com/docs/authentication/getting-started for more information.",
     0},
    {"untrusted-folder", 55, "\x1b[31mGemini CLI is not running in a trusted directory.\x1b[0m\n",
     "EXECUTION.AGENT.FAILED",
     "gemini ended without its final event (exit code 55): Gemini CLI is not running in a trusted directory.", 0},
    {"empty-answer", 0, "", "EXECUTION.AGENT.FAILED",
     "gemini: The model returned an empty response with no text or thoughts. This may be a transient API issue; please "
     "try again.",
     330},
    {"resume", 0, "", "", "ANSWERTWO", 110},
};

AgentRequest Request() {
  AgentRequest request;
  request.provider_as_written = "gemini";
  request.prompt = "go";
  request.proxy.emplace();
  request.proxy->enable = true;
  request.working_dir = "/";
  return request;
}

std::filesystem::path StreamOf(const Recording& recording) {
  return Streams() / ("gemini-0.61.0." + std::string(recording.name) + ".jsonl");
}

// A recording that was played, and what came of it.
struct Played {
  TestObserver observer;
  Verdict verdict;
  std::optional<Error> stopped;
};

void Play(const Recording& recording, const std::string& server, Played& played) {
  const std::filesystem::path file = StreamOf(recording);
  ASSERT_TRUE(std::filesystem::exists(file)) << file;
  GeminiProvider gemini({.step_folder = "/step", .version = "0.61.0", .server = server});
  const ProxyEndpoint endpoint{"/bin/awf", "/step/serve.json", "/step", {std::begin(kTools), std::end(kTools)}, 1000};
  ASSERT_TRUE(gemini.Prepare(Request(), &endpoint));
  StreamMonitor::Rules rules;
  rules.provider = "gemini";
  rules.version = "0.61.0";
  rules.proxy = rules.intercept = true;
  for (const char* tool : kTools) rules.ours.insert(gemini.ShownName(tool));
  StreamMonitor monitor(std::move(rules), played.observer, [] { return true; });
  Feed(gemini, FileText(file), monitor);
  monitor.Finish();
  played.verdict = gemini.Judge({recording.exit_code, 0, recording.error_output});
  played.stopped = monitor.stop_reason();
}

class GeminiReplayTest : public testing::TestWithParam<Recording> {};

TEST_P(GeminiReplayTest, GetsItsVerdict) {
  const Recording& recording = GetParam();
  Played played;
  ASSERT_NO_FATAL_FAILURE(Play(recording, std::string(recording.name) == "resume" ? "awf-proxy" : "awf", played));
  const Verdict& verdict = played.verdict;
  EXPECT_FALSE(played.stopped);
  EXPECT_EQ(verdict.failure ? verdict.failure->code : "", recording.failure);
  EXPECT_EQ(verdict.failure ? verdict.failure->message : verdict.output, recording.text);
  EXPECT_EQ(verdict.usage.total, recording.total_tokens);
  EXPECT_EQ(played.observer.Count("bypass"), 0);
  const bool started = FileText(StreamOf(recording)).starts_with("{");
  EXPECT_EQ(verdict.model, started ? "gemini-2.5-flash" : "");
  EXPECT_EQ(verdict.session_id.size(), started ? 36U : 0U);
}

INSTANTIATE_TEST_SUITE_P(Streams, GeminiReplayTest, testing::ValuesIn(kRecordings), [](const auto& param) {
  std::string name = param.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(GeminiStreamTest, CallsThatTheCliRefusesAreNoBypass) {
  Played played;
  ASSERT_NO_FATAL_FAILURE(Play({"bad-args-and-unknown-tools", 0, "", "", "", 0}, "awf", played));
  EXPECT_EQ(played.observer.Count("refused run_shell_command"), 1) << played.observer.All();
  EXPECT_EQ(played.observer.Count("refused"), 1);
}

TEST(GeminiStreamTest, MessagesOfTheTranscript) {
  Played played;
  ASSERT_NO_FATAL_FAILURE(Play({"success", 0, "", "", "", 0}, "awf", played));
  const std::string id = "mcp_awf_Read__mcp_awf_Read_1796047270944_0";
  EXPECT_THAT(
      played.observer.Messages(),
      ElementsAre("assistant [text] let me", "assistant [tool_use mcp_awf_Read " + id + R"(] {"path":"/x"})",
                  "user [tool_result " + id + R"(] dummy Read ran with {"path":"/x"})", "assistant [text] done"));
  EXPECT_EQ(played.verdict.usage.input, 200);
  EXPECT_EQ(played.verdict.usage.output, 20);
}

class GeminiLineTest : public testing::Test {
 protected:
  GeminiLineTest() {
    const ProxyEndpoint endpoint{"/bin/awf", "/step/serve.json", "/step", {"Read"}, 1000};
    EXPECT_TRUE(gemini_.Prepare(Request(), &endpoint));
    StreamMonitor::Rules rules;
    rules.provider = "gemini";
    rules.proxy = rules.intercept = true;
    monitor_.emplace(std::move(rules), observer_, [] { return true; });
  }
  void Read(const std::string& line) { gemini_.Read(line, *monitor_); }

  GeminiProvider gemini_{{.step_folder = "/step", .version = "0.61.0"}};
  TestObserver observer_;
  std::optional<StreamMonitor> monitor_;
};

TEST_F(GeminiLineTest, NativeToolThatRanIsABypassAndOneWithoutResultToo) {
  Read(R"({"type":"tool_use","tool_name":"write_file","tool_id":"1","parameters":{}})");
  Read(R"({"type":"tool_result","tool_id":"1","status":"success","output":"ok"})");
  EXPECT_EQ(observer_.Count("bypass write_file tool_use"), 1);
  Read(R"({"type":"tool_use","tool_name":"replace","tool_id":"2","parameters":{}})");
  monitor_->Finish();
  EXPECT_EQ(observer_.Count("bypass replace tool_use"), 1);
}

TEST_F(GeminiLineTest, PolicyThatForbidsOurToolIsToldAndFailsTheStepWhenItForbidsAll) {
  Read(R"({"type":"tool_use","tool_name":"mcp_awf-proxy_Read","tool_id":"1","parameters":{}})");
  Read(R"({"type":"tool_result","tool_id":"1","status":"error","error":{"type":"policy_violation","message":"no"}})");
  EXPECT_EQ(observer_.Count("log warn permission denied"), 1);
  EXPECT_TRUE(monitor_->Failure());
}

TEST_F(GeminiLineTest, AnswerThatCannotBeUsedFailsWithTheLastErrorOfTheStream) {
  Read(R"({"type":"error","severity":"warning","message":"first"})");
  Read(R"({"type":"error","severity":"error","message":"the answer is empty"})");
  Read(R"({"type":"result","status":"error","stats":{"total_tokens":3}})");
  EXPECT_EQ(gemini_.Judge({0, 0, ""}).failure->message, "gemini: the answer is empty");
}

TEST_F(GeminiLineTest, WrongKeyOfTheRealServiceIsABadRequest) {
  Read(R"({"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: {\"error\":{\"code\":400,)"
       R"(\"message\":\"API key not valid. Please pass a valid API key.\",\"status\":\"INVALID_ARGUMENT\"}}]"}})");
  EXPECT_EQ(gemini_.Judge({144, 0, ""}).failure->code, "EXECUTION.AGENT.AUTH");
}

TEST_F(GeminiLineTest, SuccessNeedsTheExitCodeToo) {
  Read(R"({"type":"result","status":"success","stats":{}})");
  EXPECT_FALSE(gemini_.Judge({0, 0, ""}).failure);
  EXPECT_EQ(gemini_.Judge({143, 15, ""}).failure->message, "gemini: reported success, but ended with signal 15");
}

}  // namespace
}  // namespace awf::agents
