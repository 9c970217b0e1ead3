// For tests of agent CLIs that are faked by tests/fakes/fake_cli.cc: one row for each CLI, a step with its scenario,
// and the world in which it runs.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <list>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "domain/test_folder.h"
#include "infrastructure/agents/agent_runner.h"
#include "infrastructure/agents/cli_providers.h"
#include "infrastructure/agents/test_observer.h"
#include "tests/agents/left_processes.h"

namespace awf::agents {

struct Cli {
  const char* provider;
  const char* stream;  // recorded; one use of a tool of ours, then a text
  int head;            // its lines before the first use of a tool
  const char* output;
  const char* session;
  const char* model;
  const char* result_file;  // recorded beside the stream; "" when the CLI writes none
  const char* isolation;    // level and reason for the verified version,
  const char* newer;        // and for one that is not known yet
  const char* older;
  // A native tool that ran: a recording with it, and what its lines have in common; or the lines.
  const char* native_stream;
  const char* native_lines;
  const char* bypass;
  const char* no_end;      // message when it ends with 0 and without its last event
  const char* bad_stream;  // a recorded failure of the model's server
  const char* bad_result;  // as result_file
  int bad_exit;
  const char* bad_code;
};

inline std::ostream& operator<<(std::ostream& out, const Cli& cli) { return out << cli.provider; }

inline constexpr char kVibeOffers[] = "isolation coexisting native tools: bash, edit, read_file, skill, write_file";

inline constexpr Cli kClis[] = {
    {.provider = "gemini",
     .stream = "gemini-0.61.0.success.jsonl",
     .head = 3,
     .output = "done",
     .session = "e86534a2-dc35-4a55-a78b-32ef88e76e18",
     .model = "gemini-2.5-flash",
     .result_file = "",
     .isolation = "isolation flags not proven",
     .newer = "isolation coexisting not proven",
     .older = "isolation coexisting older than verified",
     .native_stream = "",
     .native_lines = R"({"type":"tool_use","tool_name":"write_file","tool_id":"w","parameters":{"file_path":"x"}}
{"type":"tool_result","tool_id":"w","status":"success","output":"written"})",
     .bypass = "bypass write_file tool_use",
     .no_end = "gemini ended without its final event (exit code 0)",
     .bad_stream = "gemini-0.61.0.api-429.jsonl",
     .bad_result = "",
     .bad_exit = 173,
     .bad_code = "EXECUTION.AGENT.RATE_LIMITED"},
    {.provider = "codex",
     .stream = "codex-0.171.0.golden.jsonl",
     .head = 2,
     .output = "finished",
     .session = "01a22cc2-52b0-73f1-a5bc-e8c88d64d2cf",
     .model = "fake-model",
     .result_file = "",
     .isolation = "isolation flags not proven",
     .newer = "isolation flags not proven",
     .older = "isolation coexisting older than verified",
     .native_stream = "codex-0.171.0.native-shell.jsonl",
     .native_lines = R"("type":"command_execution")",
     .bypass = "bypass command_execution command_execution",
     .no_end = "codex ended without its final event (exit code 0)",
     .bad_stream = "codex-0.171.0.error-429.jsonl",
     .bad_result = "",
     .bad_exit = 1,
     .bad_code = "EXECUTION.AGENT.RATE_LIMITED"},
    {.provider = "opencode",
     .stream = "opencode-1.18.33.golden.jsonl",
     .head = 1,
     .output = "finished",
     .session = "ses_dd33d9ffbffeu2Jlqqi3ukrVDs",
     .model = "fake-model",
     .result_file = "",
     .isolation = "isolation flags not proven",
     .newer = "isolation coexisting not proven",
     .older = "isolation coexisting older than verified",
     .native_stream = "",
     .native_lines =
         R"({"type":"tool_use","part":{"tool":"bash","callID":"b","state":{"status":"completed","output":"ran"}}})",
     .bypass = "bypass bash tool_use",
     .no_end = "opencode: ended after a tool call, without an answer",
     .bad_stream = "opencode-1.18.33.error-401.jsonl",
     .bad_result = "",
     .bad_exit = 1,
     .bad_code = "EXECUTION.AGENT.AUTH"},
    {.provider = "github_copilot",
     .stream = "copilot-1.0.102.golden.jsonl",
     .head = 10,
     .output = "finished",
     .session = "11111111-2222-4333-8444-555555555555",
     .model = "fake-model",
     .result_file = "copilot-1.0.102.usage.json",
     .isolation = "isolation flags not proven",
     .newer = "isolation flags not proven",
     .older = "isolation coexisting older than verified",
     .native_stream = "copilot-1.0.102.additive-native.jsonl",
     .native_lines = R"("data":{"toolCallId":"call_00000005")",
     .bypass = "bypass sql tool.execution_start",
     .no_end = "copilot ended without its final event (exit code 0)",
     .bad_stream = "copilot-1.0.102.error-429.jsonl",
     .bad_result = "",
     .bad_exit = 1,
     .bad_code = "EXECUTION.AGENT.RATE_LIMITED"},
    {.provider = "mistral_vibe",
     .stream = "vibe-3.0.3.tools.jsonl",
     .head = 1,
     .output = "the end",
     .session = "61ae2c47-8604-8be8-945e-a071bc5f5738",
     .model = "fake",
     .result_file = "vibe-3.0.3.tools.export.json",
     .isolation = kVibeOffers,
     .newer = kVibeOffers,
     .older = kVibeOffers,
     .native_stream = "vibe-3.0.3.additive.jsonl",
     .native_lines = R"("type":"effect","title":"file_system.write_file")",
     .bypass = "bypass file_system.write_file effect",
     .no_end = "vibe ended without its final event (exit code 0)",
     .bad_stream = "vibe-3.0.3.api-429.jsonl",
     .bad_result = "vibe-3.0.3.api-429.export.json",
     .bad_exit = 2,
     .bad_code = "EXECUTION.AGENT.RATE_LIMITED"},
};

// "flags" of "isolation flags not proven".
inline std::string LevelOf(std::string_view told) {
  told.remove_prefix(std::string_view("isolation ").size());
  return std::string(told.substr(0, told.find(' ')));
}

// Steps of a scenario.
inline json::object Do(std::string_view what, const auto& how) { return {{what, how}}; }
inline json::object Call(std::string_view tool, json::object arguments) {
  return {{"call", tool}, {"arguments", std::move(arguments)}};
}
inline json::object Write(std::string_view file) { return Call("Write", {{"path", file}, {"content", "hello\n"}}); }

// A step in a folder of its own, with its scenario and what the fake records.
struct Step {
  Step(const TestFolder& top, const Cli& of, const std::string& name) : cli(of), folder(top / name) {
    std::filesystem::create_directories(folder / "work");
    request.step = {"run", name, StepKind::kAgent, 1, std::string(32, 'a'), std::string(16, 'b'), {}, name, {}, {}};
    request.provider = request.provider_as_written = cli.provider;
    request.prompt = "do it";
    request.options = {{"model", "fake-model"},
                       {"env", json::object{{"FAKE_CLI_SCENARIO", (folder / "scenario.json").string()},
                                            {"FAKE_CLI_RECORD", (folder / "record.json").string()}}}};
    request.working_dir = folder / "work";
    request.proxy.emplace();
    request.proxy->enable = true;
    request.deadline = SteadyClock::now() + std::chrono::seconds(100);
    scenario = {{"stream", Stream(cli.stream)}, {"replace", json::object{{"mcp_awf_Read", "mcp_awf-proxy_Read"}}}};
    if (*cli.result_file != '\0') scenario["result_file"] = Stream(cli.result_file);
  }

  static std::string Stream(const std::string& name) {
    return std::string(std::getenv("AWF_SOURCE_DIR")) + "/tests/streams/" + name;
  }
  // What happens when the model has begun, and before it says its first word.
  Step& WithSteps(std::initializer_list<json::object> steps) {
    json::array all{Do("lines", cli.head)};
    for (const json::object& step : steps) all.emplace_back(step);
    scenario["steps"] = std::move(all);
    return *this;
  }
  void AddSteps(json::array steps) {
    json::array& all = scenario["steps"].as_array();
    all.insert(all.end(), steps.begin(), steps.end());
  }

  // Lines of a native tool that ran.
  json::array NativeUse() const {
    const bool recorded = *cli.native_stream != '\0';
    std::istringstream lines(recorded ? FileText(Stream(cli.native_stream)) : cli.native_lines);
    json::array steps;
    for (std::string line; std::getline(lines, line);) {
      if (!recorded || line.find(cli.native_lines) != std::string::npos) steps.push_back(Do("print", line));
    }
    return steps;
  }
  // Bash in mid-call when the server is killed.
  json::object CrashingBash() const {
    json::object step = Call("Bash", {{"command", "touch started; setsid sleep 300 & sleep 300"}});
    step["crash_when"] = File("work/started");
    return step;
  }

  std::string File(const std::string& name) const { return (folder / name).string(); }
  json::object Record() const { return json::parse(FileText(folder / "record.json")).as_object(); }
  std::string Code() const { return result.end.error ? result.end.error->code : ""; }
  std::string Message() const { return result.end.error ? result.end.error->message : ""; }

  const Cli& cli;
  std::filesystem::path folder;
  AgentRequest request;
  json::object scenario;
  TestObserver observer;
  StepResult result;
};

class CliFakes : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(std::getenv("AWF_FAKE_CLI"), nullptr);
    ASSERT_NE(std::getenv("AWF_PROGRAM"), nullptr);
    for (const char* folder : {"bin", "home"}) std::filesystem::create_directory(top_ / folder);
    for (const Cli& cli : kClis) {
      std::filesystem::create_symlink(std::getenv("AWF_FAKE_CLI"),
                                      top_ / "bin" / FindCliProvider(cli.provider)->program);
    }
  }

  void TearDown() override {
    EXPECT_EQ(ProcessesLeft(top_.string()), std::vector<std::string>{}) << "processes were left";
    std::vector<std::string> folders;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(top_ / "private", error))
      folders.push_back(entry.path());
    EXPECT_EQ(folders, std::vector<std::string>{}) << "private folders were left";
  }

  AgentRunner NewRunner(ProbeProofs proofs = {}, OperationProviders* operations = nullptr) const {
    auto folder = process::PrivateFolder::OpenIn({}, top_ / "private");
    EXPECT_TRUE(folder);
    return AgentRunner(
        {.program = std::getenv("AWF_PROGRAM"),
         .private_folder = *folder,
         .environment = {"PATH=" + (top_ / "bin").string() + ":/usr/bin:/bin", "HOME=" + (top_ / "home").string()},
         .tracing = {},
         .programs = {},
         .proofs = std::move(proofs),
         .operations = operations});
  }
  static void Run(AgentRunner& runner, Step& step) {
    std::ofstream(step.folder / "scenario.json") << json::serialize(step.scenario);
    step.result = runner.Run(step.request, step.observer);
  }
  void Run(Step& step) const {
    AgentRunner runner = NewRunner();
    Run(runner, step);
  }
  // Steps of one CLI at once. For more of them one runner would not do: it asks a program for its version once, and
  // the fakes are links to one.
  static void RunAtOnce(AgentRunner& runner, std::list<Step>& steps) {
    std::list<std::jthread> threads;
    for (Step& step : steps) threads.emplace_back([&] { Run(runner, step); });
  }

  const TestFolder top_{"/tmp"};
};

}  // namespace awf::agents
