// Every recorded stream of GitHub Copilot CLI, with the exit status that came with it, against the verdict it must get.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <set>
#include <string>

#include "domain/test_folder.h"
#include "infrastructure/agents/github_copilot.h"
#include "infrastructure/agents/stream_monitor.h"
#include "infrastructure/agents/test_observer.h"
#include "infrastructure/agents/test_recordings.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTools[] = {"Bash", "Edit", "Glob", "Grep", "Read", "Write"};

struct Recording {
  const char* name;
  int exit_code = 0;
  const char* stopped = "";   // code of the early stop; "" when there is none
  const char* failure = "";   // code of the provider's verdict; "" for success
  const char* contains = "";  // in the failure's message, or the output of a success
  const char* level = "flags";
  int refused = 0;  // native calls that the CLI did not run
  int denied = 0;   // permissions
  bool intercept = true;
};

std::ostream& operator<<(std::ostream& out, const Recording& recording) { return out << recording.name; }

const Recording kRecordings[] = {
    {.name = "golden", .contains = "finished"},
    {.name = "mcp-call-ok", .contains = "finished"},
    {.name = "mcp-call-not-allowed", .contains = "finished", .denied = 1},
    // What the stream alone cannot tell: the step channel knows that a server died.
    {.name = "mcp-crash", .contains = "finished"},
    {.name = "mcp-timeout", .contains = "finished"},
    {.name = "native-denied", .contains = "finished", .refused = 1},
    {.name = "gpt-native-denied", .contains = "end", .refused = 5},
    {.name = "resume", .contains = "two-answer"},
    {.name = "user-server", .contains = "finished"},
    {.name = "mcp-failstart", .stopped = "EXECUTION.MCP_PROXY.NOT_CONNECTED", .contains = "Side", .level = ""},
    {.name = "error-401",
     .exit_code = 1,
     .stopped = "EXECUTION.AGENT.AUTH",
     .failure = "EXECUTION.AGENT.AUTH",
     .contains = "copilot: Authentication failed with provider at http://127.0.0.1:43143/v1 (HTTP 401). Check your",
     .level = ""},
    {.name = "error-429",
     .exit_code = 1,
     .failure = "EXECUTION.AGENT.RATE_LIMITED",
     .contains = "copilot: Failed to get response from the AI model; retried 5 times",
     .level = ""},
    {.name = "error-500",
     .exit_code = 1,
     .failure = "EXECUTION.AGENT.FAILED",
     .contains = "Last error: 500 scripted 500",
     .level = ""},
    {.name = "error-403",
     .exit_code = 1,
     .failure = "EXECUTION.AGENT.AUTH",
     .contains = "(HTTP 403). Check your COPILOT_PROVIDER_API_KEY",
     .level = ""},
    {.name = "error-404",
     .exit_code = 1,
     .failure = "EXECUTION.AGENT.FAILED",
     .contains = "copilot: Model 'fake-model' not found on provider",
     .level = ""},
    {.name = "connect-refused",
     .exit_code = 1,
     .failure = "EXECUTION.AGENT.FAILED",
     .contains = "Could not connect to local model provider",
     .level = ""},
    // Ends with 0.
    {.name = "sigterm", .failure = "EXECUTION.AGENT.FAILED", .contains = "the session was aborted (user_abort)"},
    {.name = "additive-native", .contains = "end", .level = "", .intercept = false},
    {.name = "additive-denied", .contains = "end", .level = "", .denied = 1, .intercept = false},
};

std::string Stream(const std::string& name) {
  const std::filesystem::path file = Streams() / ("copilot-1.0.102." + name);
  EXPECT_TRUE(std::filesystem::exists(file)) << name;
  return FileText(file);
}

AgentRequest Request(bool intercept = true) {
  AgentRequest request;
  request.provider_as_written = "github_copilot";
  request.prompt = "go";
  request.proxy.emplace();
  request.proxy->enable = true;
  request.proxy->intercept_builtins = intercept;
  request.working_dir = "/";
  return request;
}

// Feeds a stream to a provider whose server offers `tools`.
class Replay {
 public:
  explicit Replay(const AgentRequest& request, fs::path step = "/step",
                  std::vector<std::string> tools = {std::begin(kTools), std::end(kTools)},
                  IsolationLevel claim = IsolationLevel::kFlags)
      : copilot_({.step_folder = std::move(step), .version = "1.0.102"}) {
    const ProxyEndpoint endpoint{"/bin/awf", "/step/serve.json", "/step", std::move(tools), 1000};
    EXPECT_TRUE(copilot_.Prepare(request, &endpoint));
    std::set<std::string> ours;
    for (const std::string& tool : endpoint.tools) ours.insert(copilot_.ShownName(tool));
    monitor_.emplace(StreamMonitor::Rules{.provider = "github_copilot",
                                          .version = "1.0.102",
                                          .verified = "1.0.102",
                                          .proxy = true,
                                          .intercept = request.proxy->intercept_builtins,
                                          .ours = ours,
                                          .claim = {claim, "not proven"}},
                     observer_, [] { return true; });
  }
  Replay& Feed(std::string_view stream) {
    agents::Feed(copilot_, stream, *monitor_);
    return *this;
  }
  StreamMonitor& monitor() { return *monitor_; }
  const TestObserver& observer() const { return observer_; }
  Verdict Judge(int exit_code = 0, int signal = 0, std::string error_output = {}) const {
    return copilot_.Judge({exit_code, signal, std::move(error_output)});
  }

 private:
  GitHubCopilotProvider copilot_;
  TestObserver observer_;
  std::optional<StreamMonitor> monitor_;
};

class CopilotReplayTest : public testing::TestWithParam<Recording> {};

TEST_P(CopilotReplayTest, GetsItsVerdict) {
  const Recording& recording = GetParam();
  Replay replay(Request(recording.intercept));
  replay.Feed(Stream(std::string(recording.name) + ".jsonl"));
  // A step that was stopped early did not get a level from words of the model.
  if (recording.level[0] != '\0') {
    ASSERT_TRUE(replay.monitor().level() || recording.name == std::string("mcp-failstart"));
    EXPECT_EQ(ToString(*replay.monitor().level()), recording.level);
  }
  replay.monitor().Finish();
  const Verdict verdict = replay.Judge(recording.exit_code);
  const TestObserver& observer = replay.observer();

  const auto& stop = replay.monitor().stop_reason();
  EXPECT_EQ(stop ? stop->code : "", recording.stopped);
  EXPECT_EQ(verdict.failure ? verdict.failure->code : "", recording.failure);
  const std::string text = verdict.failure ? verdict.failure->message : verdict.output;
  EXPECT_NE(text.find(recording.contains), std::string::npos) << text;
  EXPECT_EQ(observer.Count("refused "), recording.refused) << observer.All();
  EXPECT_EQ(observer.Count("log warn permission denied"), recording.denied) << observer.All();
  EXPECT_EQ(observer.Count("bypass"), 0) << observer.All();
  EXPECT_TRUE(replay.monitor().final_event());
  EXPECT_EQ(verdict.session_id.size(), 36U);
  EXPECT_FALSE(verdict.model.empty());
}

INSTANTIATE_TEST_SUITE_P(Recordings, CopilotReplayTest, testing::ValuesIn(kRecordings),
                         [](const auto& test) { return TestNameOf(test.param.name); });

TEST(CopilotRecordingsTest, EveryFileIsReplayed) {
  std::set<std::string> replayed;
  for (const Recording& recording : kRecordings) {
    replayed.insert("copilot-1.0.102." + std::string(recording.name) + ".jsonl");
  }
  EXPECT_EQ(RecordedFiles("copilot-"), replayed);
}

TEST(CopilotStreamTest, GoldenEventsAndMessages) {
  Replay replay(Request());
  replay.Feed(Stream("golden.jsonl")).monitor().Finish();
  EXPECT_EQ(replay.observer().All(), "isolation flags not proven\ntext finished\n");
  EXPECT_EQ(replay.observer().Messages(),
            (std::vector<std::string>{R"(assistant [tool_use awf-proxy-Read call_00000001] {"file_path":"a.txt"})",
                                      R"(user [tool_result call_00000001] result of Read {"file_path":"a.txt"})",
                                      "assistant [text] finished"}));
  const Verdict verdict = replay.Judge();
  EXPECT_EQ(verdict.session_id, "11111111-2222-4333-8444-555555555555");
  EXPECT_EQ(verdict.model, "fake-model");
}

TEST(CopilotStreamTest, TokensComeFromTheUsageFileWithoutWhatTheConversationHadBefore) {
  const TestFolder step;
  step.Put("usage.json", Stream("usage.json"));
  const Verdict first = Replay(Request(), step.path()).Feed(Stream("golden.jsonl")).Judge();
  EXPECT_EQ(first.usage.input, 200);
  EXPECT_EQ(first.usage.output, 20);
  EXPECT_EQ(first.usage.total, 220);
  EXPECT_EQ(first.usage.cost_usd, std::nullopt);

  AgentRequest request = Request();
  request.continued.emplace();
  request.continued->id = "11111111-2222-4333-8444-555555555555";
  request.continued->folder = "here";
  request.continued->usage.input = 150;
  request.continued->usage.output = 15;
  const Verdict second = Replay(request, step.path()).Feed(Stream("golden.jsonl")).Judge();
  EXPECT_EQ(second.usage.input, 50);
  EXPECT_EQ(second.usage.output, 5);
  EXPECT_EQ(second.usage.total, 55);
  EXPECT_EQ(second.thread_usage.total, 220);
}

TEST(CopilotStreamTest, UsageSumsModelsAndKeepsCachedAndReasoning) {
  const TestFolder step;
  step.Put("usage.json",
           R"({"modelMetrics":{)"
           R"("a":{"usage":{"inputTokens":100,"outputTokens":30,"cacheReadTokens":40,"reasoningTokens":7}},)"
           R"("b":{"usage":{"inputTokens":1,"outputTokens":2,"cacheReadTokens":1}},"c":7}})");
  const Verdict verdict = Replay(Request(), step.path()).Feed(R"({"type":"result","exitCode":0})").Judge();
  EXPECT_EQ(verdict.usage.input, 101);
  EXPECT_EQ(verdict.usage.output, 32);
  EXPECT_EQ(verdict.usage.cached, 41);
  EXPECT_EQ(verdict.usage.reasoning, 7);
}

constexpr char kTurn[] = R"({"type":"assistant.turn_start","data":{"turnId":"0"}})"
                         "\n"
                         R"({"type":"assistant.message","data":{"messageId":"m","content":"hi"}})"
                         "\n";

std::string Told(const std::string& disabled, int count) {
  return R"({"type":"session.mcp_server_tools_loaded","data":{"serverName":"awf-proxy","toolCount":)" +
         std::to_string(count) + "}}\n" +
         R"({"type":"session.info","data":{"infoType":"configuration","message":"Disabled tools: )" + disabled +
         "\"}}\n";
}

constexpr char kCommon[] =
    "bash, fetch_copilot_cli_documentation, glob, list_agents, list_bash, read_agent, read_bash, session_store_sql, "
    "skill, sql, stop_bash, task, view, write_agent";

TEST(CopilotStreamTest, WhatTheCliTellsKeepsOrLowersTheLevel) {
  const std::string edit = std::string(kCommon) + ", create, edit, grep";
  const struct {
    std::string stream;
    const char* level;
  } kCases[] = {
      {Told(edit, 6), "isolation flags not proven"},
      {Told(std::string(kCommon) + ", apply_patch, rg", 6), "isolation flags not proven"},
      {Told("aaa, " + edit + ", web_fetch", 6), "isolation flags not proven"},
      {Told(kCommon, 6), "isolation coexisting the CLI did not disable all tools that it is known to have"},
      {Told(std::string(kCommon) + ", create, edit, rg", 6),
       "isolation coexisting the CLI did not disable all tools that it is known to have"},
      {Told(edit.substr(6), 6), "isolation coexisting the CLI did not disable all tools that it is known to have"},
      {Told(edit, 7), "isolation coexisting the CLI did not find exactly the tools of awf"},
      {"", "isolation coexisting the CLI did not tell which tools it disabled"},
      {R"({"type":"session.info","data":{"message":"Disabled tools: )" + edit + "\"}}\n",
       "isolation coexisting the CLI did not find exactly the tools of awf"},
  };
  for (const auto& test : kCases) {
    Replay replay(Request());
    replay.Feed(test.stream + kTurn);
    EXPECT_TRUE(replay.observer().Has(test.level)) << test.stream << replay.observer().All();
  }
}

TEST(CopilotStreamTest, WhatTheCliTellsNeverRaisesALevel) {
  Replay replay(Request(), "/step", {std::begin(kTools), std::end(kTools)}, IsolationLevel::kCoexisting);
  replay.Feed(Told(std::string(kCommon) + ", create, edit, grep", 6) + kTurn);
  EXPECT_TRUE(replay.observer().Has("isolation coexisting not proven")) << replay.observer().All();
}

TEST(CopilotStreamTest, ServersOfOthersAreNotOurs) {
  Replay replay(Request());
  replay.Feed(
      R"({"type":"session.mcp_server_status_changed","data":{"serverName":"other","status":"failed","error":"x"}})");
  EXPECT_FALSE(replay.monitor().stop_reason());
  replay.Feed(
      Told(std::string(kCommon) + ", create, edit, grep", 6) +
      R"({"type":"tool.execution_start","data":{"toolCallId":"c","toolName":"awf-proxy-Read","mcpServerName":"o"}})"
      "\n"
      R"({"type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"result":{"content":"x"}}})");
  EXPECT_TRUE(replay.observer().Has("bypass awf-proxy-Read tool.execution_start")) << replay.observer().All();
}

TEST(CopilotStreamTest, AFailedServerAndAnUnknownAllowlistStopTheStep) {
  for (
      const char* line :
      {R"({"type":"session.mcp_server_status_changed","data":{"serverName":"awf-proxy","status":"failed","error":"boom"}})",
       R"({"type":"session.mcp_server_status_changed","data":{"serverName":"awf-proxy","status":"needs-auth"}})",
       R"({"type":"session.info","data":{"message":"Unknown tool name in the tool allowlist: \"awf-proxy\""}})"}) {
    Replay replay(Request());
    replay.Feed(line);
    ASSERT_TRUE(replay.monitor().stop_reason()) << line;
    EXPECT_EQ(replay.monitor().stop_reason()->code, "EXECUTION.MCP_PROXY.NOT_CONNECTED");
  }
}

TEST(CopilotStreamTest, TextOfSubagentsIsNotTheOutput) {
  Replay replay(Request(false));
  replay.Feed(R"({"type":"assistant.message","data":{"messageId":"a","content":"mine"}})"
              "\n"
              R"({"type":"assistant.message_delta","agentId":"s","data":{"messageId":"b","deltaContent":"theirs"}})"
              "\n"
              R"({"type":"assistant.message","agentId":"s","data":{"messageId":"b","content":"theirs"}})"
              "\n"
              R"({"type":"assistant.message","data":{"messageId":"c","content":"theirs","parentToolCallId":"t"}})");
  EXPECT_EQ(replay.Judge().output, "mine");
  EXPECT_EQ(replay.observer().Count("text "), 1);
}

TEST(CopilotStreamTest, PiecesOfOneModelCallAreOneOutput) {
  Replay replay(Request(false));
  const auto message = [](const char* id, const char* text, const char* call, int chunks) {
    return R"({"type":"assistant.message","data":{"messageId":")" + std::string(id) + R"(","content":")" + text +
           R"(","apiCallId":")" + call + R"(","chunkCount":)" + std::to_string(chunks) + "}}\n";
  };
  replay.Feed(message("a", "before ", "1", 1) + message("b", "first ", "2", 2) + message("c", "second", "2", 2));
  EXPECT_EQ(replay.Judge().output, "first second");
}

TEST(CopilotStreamTest, ThoughtsAreMessagesOnly) {
  Replay replay(Request(false));
  replay.Feed(R"({"type":"assistant.message","data":{"messageId":"a","content":"said","reasoningText":"thought"}})");
  EXPECT_EQ(replay.observer().Messages(), (std::vector<std::string>{"assistant [thinking] thought [text] said"}));
  EXPECT_EQ(replay.Judge().output, "said");
}

TEST(CopilotEndTest, WithoutFinalEventStderrTells) {
  const struct {
    const char* error_output;
    const char* code;
    const char* message;
  } kCases[] = {
      {"error: unexpected argument '--no-remote-export' found\n\n  tip: x\n\nFor more information, try '--help'.\n",
       "EXECUTION.AGENT.NOT_INSTALLED", "copilot 1.0.102 doesn't know --no-remote-export; verified with 1.0.102"},
      {"error: invalid value 'foo' for '--mode <mode>'\n  [possible values: plan]\n\nFor more information, try "
       "'--help'.\n",
       "EXECUTION.AGENT.FAILED",
       "copilot ended without its final event (exit code 1): invalid value 'foo' for '--mode <mode>'"},
      {"Error: No authentication information found.\n\nCopilot can be authenticated with GitHub\n",
       "EXECUTION.AGENT.AUTH", "copilot: No authentication information found."},
      {"Error: Authentication token found but could not be validated.\n\n  Failed to fetch\n", "EXECUTION.AGENT.AUTH",
       "copilot: Authentication token found but could not be validated."},
      {"Error: Classic Personal Access Tokens (ghp_) are not supported by Copilot.\n\nThe GITHUB_TOKEN\n",
       "EXECUTION.AGENT.AUTH", "copilot: Classic Personal Access Tokens (ghp_) are not supported by Copilot."},
      {"Error: No session, task, or name matched 'x'.\n\nTo resume\n", "EXECUTION.AGENT.FAILED",
       "copilot ended without its final event (exit code 1): No session, task, or name matched 'x'."},
      {"", "EXECUTION.AGENT.FAILED", "copilot ended without its final event (exit code 1)"},
  };
  for (const auto& test : kCases) {
    const Verdict verdict = Replay(Request()).Judge(1, 0, test.error_output);
    ASSERT_TRUE(verdict.failure);
    EXPECT_EQ(verdict.failure->code, test.code);
    EXPECT_EQ(verdict.failure->message, test.message);
  }
}

TEST(CopilotEndTest, AContinuedSessionMayBeLost) {
  AgentRequest request = Request();
  request.continued.emplace();
  request.continued->id = "x";
  request.continued->folder = "here";
  const Verdict verdict = Replay(request).Judge(1, 0, "Error: No session, task, or name matched 'x'.\n");
  ASSERT_TRUE(verdict.failure);
  EXPECT_EQ(verdict.failure->code, "EXECUTION.AGENT.SESSION_LOST");
}

TEST(CopilotEndTest, SuccessNeedsBothExitCodes) {
  const std::string good = Stream("golden.jsonl");
  EXPECT_FALSE(Replay(Request()).Feed(good).Judge().failure);
  EXPECT_EQ(Replay(Request()).Feed(good).Judge(1).failure->message, "copilot: ended with exit code 1");
  EXPECT_EQ(Replay(Request()).Feed(good).Judge(137, 9).failure->message, "copilot: ended with signal 9");
  const Verdict told = Replay(Request()).Feed(R"({"type":"result","sessionId":"s","exitCode":1})").Judge();
  ASSERT_TRUE(told.failure);
  const Verdict none = Replay(Request()).Feed(R"({"type":"result","sessionId":"s"})").Judge();
  ASSERT_TRUE(none.failure);
  EXPECT_EQ(Replay(Request())
                .Feed(R"({"type":"assistant.idle","data":{"aborted":true}})"
                      "\n"
                      R"({"type":"result","sessionId":"s","exitCode":0})")
                .Judge()
                .failure->message,
            "copilot: the session was aborted (aborted)");
}

}  // namespace
}  // namespace awf::agents
