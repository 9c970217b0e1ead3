// AgentRunner with each agent CLI but Claude's, faked (tests/fakes/fake_cli.cc): the fake finds our MCP server where
// the real one would, replays what the real one said, and cheats. The real awf is keeper and MCP server. Every test
// ends with a look for what was left behind.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <list>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "domain/test_folder.h"
#include "infrastructure/agents/agent_runner.h"
#include "infrastructure/agents/cli_program.h"
#include "infrastructure/agents/cli_providers.h"
#include "infrastructure/agents/test_observer.h"
#include "tests/agents/left_processes.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

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

std::ostream& operator<<(std::ostream& out, const Cli& cli) { return out << cli.provider; }

constexpr char kVibeOffers[] = "isolation coexisting native tools: bash, edit, read_file, skill, write_file";

const Cli kClis[] = {
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

std::string LevelOf(std::string_view told) {
  told.remove_prefix(std::string_view("isolation ").size());
  return std::string(told.substr(0, told.find(' ')));
}

json::object Do(std::string_view what, const auto& how) { return {{what, how}}; }
json::object Call(std::string_view tool, json::object arguments) {
  return {{"call", tool}, {"arguments", std::move(arguments)}};
}
json::object Write(std::string_view file) { return Call("Write", {{"path", file}, {"content", "hello\n"}}); }

// A step in a folder of its own, with its scenario and what the fake records.
struct Step {
  Step(const TestFolder& top, const Cli& of, const std::string& name) : cli(of), folder(top / name) {
    fs::create_directories(folder / "work");
    request.step = {"run", name, StepKind::kAgent, 1, std::string(32, 'a'), std::string(16, 'b'), {}, name, {}, {}};
    request.provider = request.provider_as_written = cli.provider;
    request.prompt = "do it";
    request.options = {{"model", "fake-model"},
                       {"env", json::object{{"FAKE_CLI_SCENARIO", (folder / "scenario.json").string()},
                                            {"FAKE_CLI_RECORD", (folder / "record.json").string()}}}};
    request.working_dir = folder / "work";
    request.proxy.emplace();
    request.proxy->enable = true;
    request.deadline = SteadyClock::now() + seconds(100);
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
    json::array steps;
    std::istringstream given(cli.native_lines);
    std::ifstream recorded(*cli.native_stream != '\0' ? Stream(cli.native_stream) : "/dev/null");
    for (std::string line; std::getline(recorded, line);) {
      if (line.find(cli.native_lines) != std::string::npos) steps.push_back(Do("print", line));
    }
    if (*cli.native_stream != '\0') return steps;
    for (std::string line; std::getline(given, line);) steps.push_back(Do("print", line));
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
  fs::path folder;
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
    for (const char* folder : {"bin", "home"}) fs::create_directory(top_ / folder);
    for (const Cli& cli : kClis) {
      fs::create_symlink(std::getenv("AWF_FAKE_CLI"), top_ / "bin" / FindCliProvider(cli.provider)->program);
    }
  }

  void TearDown() override {
    EXPECT_EQ(ProcessesLeft(top_.string()), std::vector<std::string>{}) << "processes were left";
    std::vector<std::string> folders;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(top_ / "private", error)) folders.push_back(entry.path());
    EXPECT_EQ(folders, std::vector<std::string>{}) << "private folders were left";
  }

  AgentRunner NewRunner(ProbeProofs proofs = {}) const {
    auto folder = process::PrivateFolder::OpenIn({}, top_ / "private");
    EXPECT_TRUE(folder);
    return AgentRunner(
        {.program = std::getenv("AWF_PROGRAM"),
         .private_folder = *folder,
         .environment = {"PATH=" + (top_ / "bin").string() + ":/usr/bin:/bin", "HOME=" + (top_ / "home").string()},
         .tracing = {},
         .programs = {},
         .proofs = std::move(proofs)});
  }
  static void Run(AgentRunner& runner, Step& step) {
    std::ofstream(step.folder / "scenario.json") << json::serialize(step.scenario);
    step.result = runner.Run(step.request, step.observer);
  }
  void Run(Step& step) const {
    AgentRunner runner = NewRunner();
    Run(runner, step);
  }

  const TestFolder top_{"/tmp"};
};

class CliFakesTest : public CliFakes, public testing::WithParamInterface<Cli> {
 protected:
  Step NewStep(const std::string& name = "one") const { return Step(top_, GetParam(), name); }
};

TEST_P(CliFakesTest, ReplaysASuccessAndCallsThroughTheProxy) {
  Step step = NewStep();
  step.WithSteps({Write("a.txt"), Call("Bash", {{"command", "exit 3"}})});
  Run(step);
  EXPECT_EQ(step.Message(), "");
  const StepEnd& end = step.result.end;
  EXPECT_EQ(end.status, StepStatus::kSuccess);
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(step.result.output, GetParam().output);
  EXPECT_EQ(FileText(step.folder / "work/a.txt"), "hello\n");
  EXPECT_EQ(end.provider_version, FindCliProvider(GetParam().provider)->verified.back());
  EXPECT_EQ(end.session_id, GetParam().session);
  EXPECT_EQ(end.model, GetParam().model);
  EXPECT_EQ(end.usage.input, 200);
  EXPECT_EQ(end.usage.output, 20);
  EXPECT_FALSE(end.usage.estimated);
  EXPECT_EQ(end.tool_calls, 2);
  EXPECT_EQ(end.proxy_starts, 1);
  EXPECT_EQ(end.proxy_tools, 6);
  EXPECT_EQ(end.bypasses, 0);
  ASSERT_TRUE(end.isolation);
  EXPECT_EQ(ToString(*end.isolation), LevelOf(GetParam().isolation));
  EXPECT_TRUE(step.observer.Has(GetParam().isolation)) << step.observer.All();
  EXPECT_EQ(step.observer.Count("isolation "), 1);
  EXPECT_TRUE(step.observer.Has("end Write ok"));
  EXPECT_EQ(step.observer.Count("end Bash error"), 1);
}

TEST_P(CliFakesTest, TheVersionDecidesWhatTheRecipePromises) {
  for (const auto& [version, told] : {std::pair{"99.0.0", GetParam().newer}, {"0.0.1", GetParam().older}}) {
    Step step = NewStep(version);
    step.scenario["version"] = version;
    Run(step);
    EXPECT_EQ(step.Message(), "");
    EXPECT_EQ(step.result.end.provider_version, version);
    ASSERT_TRUE(step.result.end.isolation);
    EXPECT_EQ(ToString(*step.result.end.isolation), LevelOf(told));
    EXPECT_TRUE(step.observer.Has(told)) << step.observer.All();
  }
}

TEST_P(CliFakesTest, ANativeToolThatRanIsABypass) {
  Step step = NewStep();
  step.WithSteps({Write("a.txt")}).AddSteps(step.NativeUse());
  Run(step);
  EXPECT_EQ(step.Message(), "");
  EXPECT_EQ(step.result.output, GetParam().output);
  EXPECT_EQ(step.result.end.bypasses, 1);
  EXPECT_EQ(step.result.end.isolation, IsolationLevel::kCoexisting);
  EXPECT_TRUE(step.observer.Has(GetParam().bypass)) << step.observer.All();
}

TEST_P(CliFakesTest, RequiredIsolationNeedsAProofAndNoNativeUse) {
  Step step = NewStep();
  step.request.proxy->isolation_required = true;
  step.scenario["final"] = false;
  step.WithSteps({Do("lines", 1000), Do("hang", true)});
  Run(step);
  EXPECT_EQ(step.Code(), "USER.MCP_PROXY.UNSUPPORTED_PROVIDER") << step.Message();
  EXPECT_EQ(step.result.end.exit_code, 128 + SIGTERM);
  EXPECT_TRUE(step.observer.Has(GetParam().isolation)) << step.observer.All();

  const CliProvider& provider = *FindCliProvider(GetParam().provider);
  const ProbeProofs proofs(top_ / "proofs");
  ASSERT_TRUE(proofs.Add(
      ProofKeyOf(provider, top_ / "bin" / provider.program, std::string(provider.verified.back()), step.request)));
  AgentRunner runner = NewRunner(proofs);
  step.scenario.erase("final");
  step.scenario.erase("steps");
  Run(runner, step);
  EXPECT_EQ(step.Message(), "");
  EXPECT_EQ(step.result.end.isolation, IsolationLevel::kProven);
  EXPECT_TRUE(step.observer.Has("isolation proven probed")) << step.observer.All();

  step.WithSteps({}).AddSteps(step.NativeUse());
  step.AddSteps({Do("hang", true)});
  Run(runner, step);
  EXPECT_EQ(step.Code(), "EXECUTION.MCP_PROXY.BYPASS") << step.Message();
  EXPECT_EQ(step.result.end.bypasses, 1);
  EXPECT_EQ(step.result.end.isolation, IsolationLevel::kCoexisting);
  EXPECT_EQ(step.result.end.exit_code, 128 + SIGTERM);
}

TEST_P(CliFakesTest, AServerThatIsIgnoredIsFoundAtTheFirstWord) {
  Step step = NewStep();
  step.scenario["server"] = "none";
  step.scenario["final"] = false;
  step.WithSteps({Do("lines", 1000), Do("hang", true)});
  Run(step);
  EXPECT_EQ(step.Code(), "EXECUTION.MCP_PROXY.NOT_CONNECTED");
  EXPECT_EQ(step.Message(), step.request.provider + " went on without ever having connected to its MCP server");
  EXPECT_EQ(step.result.end.status, StepStatus::kFailure);
  EXPECT_EQ(step.result.end.exit_code, 128 + SIGTERM);
  EXPECT_EQ(step.result.end.proxy_starts, 0);
}

TEST_P(CliFakesTest, AServerThatIsStartedTwiceIsNormal) {
  Step step = NewStep();
  step.scenario["server"] = "twice";
  step.WithSteps({Write("a.txt")});
  Run(step);
  EXPECT_EQ(step.Message(), "");
  EXPECT_EQ(step.result.end.proxy_starts, 2);
  EXPECT_EQ(step.result.end.tool_calls, 1);
  EXPECT_EQ(step.observer.Count("lost "), 0);
}

TEST_P(CliFakesTest, ACallInFlightOfAKilledServerIsLost) {
  Step step = NewStep();
  step.WithSteps({step.CrashingBash()});
  Run(step);
  EXPECT_EQ(step.Code(), "EXECUTION.MCP_PROXY.LOST");
  EXPECT_EQ(step.Message(), "the MCP server of the step died; 1 call was lost");
  EXPECT_EQ(step.result.end.exit_code, 1);
  EXPECT_TRUE(step.observer.Has("end Bash lost proxy_lost")) << step.observer.All();
  EXPECT_TRUE(step.observer.Has("lost calls=1"));
}

TEST_P(CliFakesTest, AnIdleServerThatDiesMustBeReplaced) {
  Step step = NewStep();
  step.WithSteps({Do("kill_server", true)});
  Run(step);
  EXPECT_EQ(step.Code(), "EXECUTION.MCP_PROXY.LOST");
  EXPECT_EQ(step.Message(), "the MCP server of the step died and none took its place");
  EXPECT_TRUE(step.observer.Has("lost calls=0")) << step.observer.All();

  Step again = NewStep("again");
  again.WithSteps({Do("kill_server", true), Write("a.txt")});
  Run(again);
  EXPECT_EQ(again.Message(), "");
  EXPECT_TRUE(again.observer.Has("lost calls=0 replaced")) << again.observer.All();
  EXPECT_EQ(again.result.end.proxy_starts, 2);
  EXPECT_EQ(again.result.end.tool_calls, 1);
}

TEST_P(CliFakesTest, ChildrenLeftBehindAreKilled) {
  Step step = NewStep();
  step.WithSteps({Do("leave_child", true)});
  Run(step);
  EXPECT_EQ(step.Message(), "");
  EXPECT_EQ(ProcessesNaming(top_.string()), std::vector<std::string>{}) << "the sleeper in a session of its own";
}

TEST_P(CliFakesTest, GarbageAndHugeLinesAreSkipped) {
  Step step = NewStep();
  step.WithSteps({Do("print", "Welcome!"), Do("print", ""), Do("print", "{broken"), Do("print", "[1]"),
                  Do("print", R"({"type":["result"],"data":7,"part":[],"item":"x","detail":null})"),
                  Do("print", "\x1b[31mred\x1b[0m \u0001"), Do("print_bytes", 20'000'000), Write("a.txt")});
  Run(step);
  EXPECT_EQ(step.Message(), "");
  EXPECT_EQ(step.result.output, GetParam().output);
  EXPECT_EQ(step.result.end.usage.total, 220);
  EXPECT_EQ(step.result.end.tool_calls, 1);
}

TEST_P(CliFakesTest, AnEndWithoutTheFinalEventIsAFailure) {
  Step step = NewStep();
  step.scenario["final"] = false;
  Run(step);
  EXPECT_EQ(step.Code(), "EXECUTION.AGENT.FAILED");
  EXPECT_EQ(step.Message(), GetParam().no_end);
  EXPECT_EQ(step.result.end.exit_code, 1);
}

TEST_P(CliFakesTest, AFailureOfTheModelHasItsCodeAndTheClisExitCode) {
  Step step = NewStep();
  step.scenario["stream"] = Step::Stream(GetParam().bad_stream);
  step.scenario["exit"] = GetParam().bad_exit;
  if (*GetParam().bad_result != '\0') step.scenario["result_file"] = Step::Stream(GetParam().bad_result);
  Run(step);
  EXPECT_EQ(step.Code(), GetParam().bad_code) << step.Message();
  EXPECT_EQ(step.result.end.status, StepStatus::kFailure);
  EXPECT_EQ(step.result.end.exit_code, GetParam().bad_exit);
}

TEST_P(CliFakesTest, TwoStepsAtOnceDoNotMix) {
  std::list<Step> steps;
  for (const char* name : {"one", "two"}) {
    Step& step = steps.emplace_back(top_, GetParam(), name);
    step.request.prompt = std::string("prompt ") + name;
    step.scenario["replace"].as_object()[GetParam().output] = std::string("answer ") + name;
  }
  for (auto [mine, other] : {std::pair{&steps.front(), &steps.back()}, {&steps.back(), &steps.front()}}) {
    mine->WithSteps({Do("touch", mine->File("here")), Do("wait_for", other->File("here")), Write("a.txt")});
  }
  AgentRunner runner = NewRunner();
  {
    std::list<std::jthread> threads;
    for (Step& step : steps) threads.emplace_back([&] { Run(runner, step); });
  }
  std::vector<std::string> environments;
  for (const Step& step : steps) {
    EXPECT_EQ(step.Message(), "");
    EXPECT_EQ(step.result.output, "answer " + step.request.step.step);
    EXPECT_EQ(step.result.end.tool_calls, 1);
    EXPECT_EQ(step.result.end.proxy_starts, 1);
    EXPECT_EQ(step.observer.Count("call Write"), 1);
    EXPECT_EQ(FileText(step.folder / "work/a.txt"), "hello\n");
    const json::object record = step.Record();
    EXPECT_TRUE(record.at("stdin").as_string().ends_with(step.request.prompt));
    for (const json::value& entry : record.at("env").as_array()) {
      if (entry.as_string().starts_with("TMPDIR=")) environments.emplace_back(entry.as_string());
    }
  }
  ASSERT_EQ(environments.size(), 2U);
  EXPECT_NE(environments[0], environments[1]);
}

TEST_P(CliFakesTest, ThePromptArrivesWholeOnStdinAndNowhereElse) {
  const std::string mark = "TheMarkOfThePrompt";
  Step step = NewStep();
  step.request.prompt = mark + "\n-x --y '$(id)' \"quoted\" \\ \u00e9\n";
  while (step.request.prompt.size() < 2'000'000) step.request.prompt += "more of it\r\n\t";
  step.request.prompt += mark;
  Run(step);
  EXPECT_EQ(step.Message(), "");
  const json::object record = step.Record();
  EXPECT_TRUE(record.at("stdin").as_string().ends_with(step.request.prompt));
  for (const char* part : {"argv", "env"}) {
    EXPECT_EQ(json::serialize(record.at(part)).find(mark), std::string::npos) << part;
  }
}

TEST_P(CliFakesTest, WithoutProxyNoServerIsStarted) {
  Step step = NewStep();
  step.request.proxy.reset();
  step.scenario["server"] = "none";
  Run(step);
  EXPECT_EQ(step.Message(), "");
  EXPECT_EQ(step.result.output, GetParam().output);
  EXPECT_EQ(step.result.end.proxy_starts, 0);
  EXPECT_EQ(json::serialize(step.Record()).find("mcp-serve"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Clis, CliFakesTest, testing::ValuesIn(kClis),
                         [](const auto& param) { return std::string(param.param.provider); });

// All at once, as a CLI that ignores SIGTERM gets five seconds.
TEST_F(CliFakes, TheTimeoutKillsTheWholeTreeOfACliThatIgnoresSigterm) {
  std::list<Step> steps;
  for (const Cli& cli : kClis) {
    Step& step = steps.emplace_back(top_, cli, cli.provider);
    step.scenario["ignore_sigterm"] = true;
    step.WithSteps(
        {Do("leave_child", true), Call("Bash", {{"command", "setsid sleep 300 & sleep 300"}}), Do("hang", true)});
    step.request.deadline = SteadyClock::now() + seconds(2);
  }
  {
    std::list<std::jthread> threads;
    for (Step& step : steps) threads.emplace_back([&] { Run(step); });
  }
  for (const Step& step : steps) {
    SCOPED_TRACE(step.cli.provider);
    EXPECT_EQ(step.Code(), "EXECUTION.AGENT.TIMEOUT");
    EXPECT_EQ(step.result.end.status, StepStatus::kTimeout);
    EXPECT_EQ(step.observer.Count("call "), step.observer.Count("end ")) << step.observer.All();
    EXPECT_EQ(step.observer.Count("end Bash ok"), 0);
    if (step.observer.Count("call ") > 0) {
      EXPECT_EQ(step.result.end.exit_code, 128 + SIGKILL);
    }
  }
  EXPECT_EQ(ProcessesNaming(top_.string()), std::vector<std::string>{});
}

// A codex that does not know a setting of the recipe says so before it asks a model, and is started once more.
TEST_F(CliFakes, CodexIsStartedAgainWithoutAStrictConfiguration) {
  const Cli& codex = *std::ranges::find(kClis, std::string_view("codex"), &Cli::provider);
  Step step(top_, codex, "one");
  step.scenario["refuse"] = "--strict-config";
  step.scenario["complaint"] = "Error loading configuration: unknown configuration field `features.new`";
  step.WithSteps({Write("a.txt")});
  Run(step);
  EXPECT_EQ(step.Message(), "");
  EXPECT_EQ(step.result.output, "finished");
  EXPECT_EQ(step.result.end.isolation, IsolationLevel::kCoexisting);
  EXPECT_TRUE(step.observer.Has("isolation coexisting codex 0.171.0 does not know every setting of the recipe"))
      << step.observer.All();
}

}  // namespace
}  // namespace awf::agents
