// AgentRunner with each agent CLI but Claude's, faked (tests/fakes/fake_cli.cc): the fake finds our MCP server where
// the real one would, replays what the real one said, and cheats. The real awf is keeper and MCP server. Every test
// ends with a look for what was left behind.
#include "tests/agents/cli_fakes.h"

#include <signal.h>

#include <algorithm>

#include "infrastructure/agents/cli_program.h"
#include "tests/agents/scripted_providers.h"

namespace awf::agents {
namespace {

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

TEST_P(CliFakesTest, ToolsOfPluginsStandBesideOursOrAlone) {
  ScriptedProviders plugins;
  plugins.providers["forge"] = std::make_shared<FakeOperations>("forge", std::vector<Operation>{{"say", "", {}, {}}});
  AgentRunner runner = NewRunner({}, &plugins);
  for (const bool intercept : {true, false}) {
    Step step = NewStep(intercept ? "beside" : "alone");
    step.request.proxy->intercept_builtins = intercept;
    step.request.proxy->plugin_tools = {ExposeForge({"say"})};
    step.WithSteps({Call("forge_say", {}), Call("Bash", {{"command", "exit 0"}})});
    Run(runner, step);
    EXPECT_EQ(step.Message(), "");
    EXPECT_EQ(step.result.end.proxy_tools, intercept ? 7 : 1);
    EXPECT_EQ(step.result.end.isolation.has_value(), intercept);
    EXPECT_EQ(step.result.end.bypasses, 0);
    EXPECT_EQ(step.observer.Count("isolation "), intercept ? 1 : 0);
    EXPECT_TRUE(step.observer.Has("end forge_say ok")) << step.observer.All();
    EXPECT_TRUE(step.observer.Has(intercept ? "end Bash ok" : "end Bash error -32602"));
  }
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
      ProofKeyOf(provider, top_ / "bin" / provider.program, std::string(provider.verified.back()), step.request, {})));
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
  std::list<Step> steps;
  Step& dead = steps.emplace_back(top_, GetParam(), "dead").WithSteps({Do("kill_server", true)});
  Step& alive = steps.emplace_back(top_, GetParam(), "alive").WithSteps({Do("kill_server", true), Write("a.txt")});
  AgentRunner runner = NewRunner();
  RunAtOnce(runner, steps);
  EXPECT_EQ(dead.Code(), "EXECUTION.MCP_PROXY.LOST");
  EXPECT_EQ(dead.Message(), "the MCP server of the step died and none took its place");
  EXPECT_TRUE(dead.observer.Has("lost calls=0")) << dead.observer.All();
  EXPECT_EQ(alive.Message(), "");
  EXPECT_TRUE(alive.observer.Has("lost calls=0 replaced")) << alive.observer.All();
  EXPECT_EQ(alive.result.end.proxy_starts, 2);
  EXPECT_EQ(alive.result.end.tool_calls, 1);
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
  RunAtOnce(runner, steps);
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
  // About what the least of them takes, and far more than a pipe holds.
  while (step.request.prompt.size() < 1'000'000) step.request.prompt += "more of it\r\n\t";
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
    step.request.deadline = SteadyClock::now() + std::chrono::milliseconds(1500);
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
