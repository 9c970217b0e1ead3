// AgentRunner against a fake `claude` that behaves or cheats as its scenario tells, with the real awf as keeper and MCP
// server. Every test ends with a look for what was left behind.
#include "infrastructure/agents/agent_runner.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/agents/agent_runner_fixture.h"

extern char** environ;

namespace awf::agents {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(AgentRunnerTest, CallsGoThroughTheProxyAndAreSeen) {
  Scenario(
      Steps({json::object{{"text", "let me"}},
             json::object{{"call", "Write"}, {"arguments", json::object{{"path", "a.txt"}, {"content", "hello\n"}}}},
             json::object{{"call", "Nope"}}, Bash("exit 3")}));
  const StepResult result = Run();
  EXPECT_EQ(Message(result), "");
  EXPECT_EQ(result.end.status, StepStatus::kSuccess);
  EXPECT_EQ(result.output, "done");
  EXPECT_EQ(WorkFile("a.txt"), "hello\n");
  EXPECT_EQ(result.end.exit_code, 0);
  EXPECT_EQ(result.end.isolation, IsolationLevel::kProven);
  EXPECT_EQ(result.end.tool_calls, 3);
  EXPECT_EQ(result.end.proxy_starts, 1);
  EXPECT_EQ(result.end.proxy_tools, 6);
  EXPECT_EQ(result.end.provider_version, "2.1.332");
  EXPECT_EQ(result.end.model, "fake-model");
  EXPECT_EQ(result.end.sandbox, "degraded");
  EXPECT_EQ(result.end.usage.input, 112);
  EXPECT_EQ(result.end.usage.total, 132);
  EXPECT_EQ(result.end.usage.cost_usd, 0.25);
  EXPECT_TRUE(observer_.Has("ready claude-code tools=6 start=1")) << observer_.All();
  EXPECT_TRUE(observer_.Has("isolation proven announced"));
  EXPECT_TRUE(observer_.Has("end Write ok"));
  EXPECT_EQ(observer_.Count("end Nope error"), 1);
  EXPECT_EQ(observer_.Count("end Bash error"), 1);
  EXPECT_EQ(observer_.Count("call "), 3);
  EXPECT_EQ(observer_.Count("end "), 3);
  EXPECT_EQ(observer_.Events().front(), R"(log warn sandbox degraded {"missing":"landlock"})");
  EXPECT_EQ(observer_.Count("log warn sandbox degraded"), 1);
}

TEST_F(AgentRunnerTest, LeavesItsSessionForAStepThatGoesOnWithIt) {
  Scenario({{"sessions", true}});
  request_.conversation = "work";
  StepResult result = Run();
  ASSERT_TRUE(result.session) << Message(result);
  EXPECT_EQ(result.session->provider, "claude");
  EXPECT_EQ(result.session->id, result.end.session_id);
  EXPECT_EQ(result.session->working_dir, request_.working_dir);
  EXPECT_EQ(result.session->folder, "") << "nothing lies in the private folder";
  EXPECT_TRUE(result.session->messages.is_null());

  request_.continued = *result.session;
  request_.prompt = "and more";
  result = Run();
  EXPECT_EQ(result.output, "do it | and more");
  EXPECT_NE(result.session->id, request_.continued->id);

  request_.continued->id = "gone";
  result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.AGENT.SESSION_LOST");
  EXPECT_FALSE(result.session);
}

TEST_F(AgentRunnerTest, ASessionInAFolderOfAnEarlierRunIsLostBeforeAnythingStarts) {
  request_.conversation = "plan";
  request_.continued.emplace().id = "s";
  request_.continued->folder = "s-1-1-1-1/1";
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.AGENT.SESSION_LOST");
  EXPECT_EQ(Message(result),
            "claude keeps its sessions in a private folder, and that of this conversation was deleted when the run was "
            "interrupted");
  EXPECT_FALSE(fs::exists(top_ / "record.json"));
}

TEST_F(AgentRunnerTest, WhatTheCliGets) {
  Scenario({});
  tracing_.spans = true;
  request_.prompt = "/do it";
  request_.system_prompt = "be kind";
  request_.options = {{"env", json::object{{"MINE", "yes"}, {"ENABLE_TOOL_SEARCH", "true"}, {"TMPDIR", "/x"}}}};
  EXPECT_EQ(Message(Run()), "");
  const json::object record = Record();
  EXPECT_EQ(record.at("stdin"), json::value("\n/do it"));
  EXPECT_EQ(record.at("cwd"), json::value(Path("work")));
  EXPECT_EQ(record.at("files").at("--append-system-prompt-file"), json::value("be kind"));
  std::vector<std::string> environment;
  for (const json::value& entry : record.at("env").as_array()) environment.emplace_back(entry.as_string());
  const auto has = [&](const std::string& entry) { return std::ranges::find(environment, entry) != environment.end(); };
  EXPECT_TRUE(has("MINE=yes"));
  EXPECT_TRUE(has("ENABLE_TOOL_SEARCH=false"));
  EXPECT_TRUE(has("TRACEPARENT=00-" + std::string(32, 'a') + "-" + std::string(16, 'b') + "-01"));
  EXPECT_TRUE(std::ranges::none_of(environment, [](const std::string& entry) { return entry.starts_with("AWF_"); }));
  EXPECT_TRUE(std::ranges::any_of(environment, [&](const std::string& entry) {
    return entry.starts_with("TMPDIR=" + Path("private")) && entry.ends_with("/tmp");
  }));
  EXPECT_EQ(observer_.Count("log warn options.env.ENABLE_TOOL_SEARCH is ignored"), 1) << observer_.All();
  EXPECT_EQ(observer_.Count("log warn options.env.TMPDIR is ignored"), 1);
  const json::value config = json::parse(record.at("files").at("--mcp-config").as_string());
  const std::int64_t timeout = config.at("mcpServers").at("awf-proxy").at("timeout").as_int64();
  EXPECT_GT(timeout, 0);
  EXPECT_LE(timeout, 100'000);
}

TEST_F(AgentRunnerTest, ConnectionIsProvenInAdditiveModeToo) {
  // Without plugins there is nothing to offer beside the native tools, so the server refuses to serve.
  request_.proxy->intercept_builtins = false;
  Scenario(Steps({json::object{{"native", "Bash"}}}));
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.MCP_PROXY.NOT_CONNECTED");
  EXPECT_NE(Message(result).find("would offer no tool"), std::string::npos) << Message(result);
  EXPECT_FALSE(result.end.isolation);
  EXPECT_EQ(observer_.Count("bypass"), 0);
}

TEST_F(AgentRunnerTest, WithoutProxyThereIsNoServer) {
  request_.proxy.reset();
  Scenario(Steps({json::object{{"text", "hi"}}}));
  const StepResult result = Run();
  EXPECT_EQ(Message(result), "");
  EXPECT_EQ(result.output, "done");
  EXPECT_EQ(result.end.proxy_starts, 0);
  EXPECT_EQ(result.end.sandbox, "");
}

TEST_F(AgentRunnerTest, ServerThatIsSaidToHaveFailedStopsAtOnce) {
  Scenario({{"server", "none"},
            {"steps", json::array{json::object{{"stderr", "cannot start"}}, json::object{{"hang", true}}}}});
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.MCP_PROXY.NOT_CONNECTED");
  EXPECT_EQ(result.end.status, StepStatus::kFailure);
  EXPECT_NE(result.end.exit_code, 0);
}

TEST_F(AgentRunnerTest, ServerThatWasNeverHandshakenIsFoundAtTheFirstWord) {
  Scenario({{"server", "mute"}, {"steps", json::array{json::object{{"text", "hi"}}, json::object{{"hang", true}}}}});
  EXPECT_EQ(Code(Run()), "EXECUTION.MCP_PROXY.NOT_CONNECTED");
}

TEST_F(AgentRunnerTest, ServerThatWasNeverHandshakenIsFoundAtTheEnd) {
  Scenario({{"server", "mute"}});
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.MCP_PROXY.NOT_CONNECTED");
  EXPECT_EQ(result.end.exit_code, 1);
}

TEST_F(AgentRunnerTest, ProbeProcessBeforeTheRealOneIsNormal) {
  Scenario({{"server", "probe"}, {"steps", json::array{Bash("echo hi")}}});
  const StepResult result = Run();
  EXPECT_EQ(Message(result), "");
  EXPECT_EQ(result.end.proxy_starts, 2);
  EXPECT_TRUE(observer_.Has("ready claude-code tools=6 start=2")) << observer_.All();
}

TEST_F(AgentRunnerTest, CallInFlightOfAKilledServerIsLost) {
  Scenario(Steps({CrashingBash()}));
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.MCP_PROXY.LOST");
  EXPECT_TRUE(observer_.Has("end Bash lost proxy_lost")) << observer_.All();
  EXPECT_TRUE(observer_.Has("lost calls=1"));
  EXPECT_EQ(result.end.exit_code, 1);
}

TEST_F(AgentRunnerTest, LostCallFailsTheStepEvenWhenTheServerIsReplaced) {
  Scenario(Steps({CrashingBash(), Bash("echo again")}));
  EXPECT_EQ(Code(Run()), "EXECUTION.MCP_PROXY.LOST");
  EXPECT_TRUE(observer_.Has("lost calls=1 replaced")) << observer_.All();
  EXPECT_TRUE(observer_.Has("end Bash ok"));
}

TEST_F(AgentRunnerTest, IdleServerThatIsReplacedIsAWarningOnly) {
  Scenario(Steps({json::object{{"kill_server", true}}, Bash("echo again")}));
  const StepResult result = Run();
  EXPECT_EQ(Message(result), "");
  EXPECT_TRUE(observer_.Has("lost calls=0 replaced")) << observer_.All();
  EXPECT_EQ(result.end.proxy_starts, 2);
}

TEST_F(AgentRunnerTest, IdleServerThatIsNotReplacedFailsTheStep) {
  // The second text gives the death a moment of its own before the final event.
  Scenario(Steps({json::object{{"kill_server", true}}, json::object{{"sleep_ms", 300}}, json::object{{"text", "on"}},
                  json::object{{"sleep_ms", 300}}}));
  EXPECT_EQ(Code(Run()), "EXECUTION.MCP_PROXY.LOST");
  EXPECT_TRUE(observer_.Has("lost calls=0")) << observer_.All();
}

TEST_F(AgentRunnerTest, NativeUseIsABypassOnlyUnderRequiredAFailure) {
  Scenario(Steps({json::object{{"native", "Task"}}, json::object{{"native", "Foo"}, {"refused", true}}}));
  const StepResult result = Run();
  EXPECT_EQ(Message(result), "");
  EXPECT_EQ(result.end.bypasses, 1);
  EXPECT_EQ(result.end.isolation, IsolationLevel::kCoexisting);
  EXPECT_TRUE(observer_.Has("bypass Task tool_use"));
  EXPECT_TRUE(observer_.Has("refused Foo"));

  request_.proxy->isolation_required = true;
  Scenario(Steps({json::object{{"native", "Task"}}, json::object{{"hang", true}}}));
  EXPECT_EQ(Code(Run()), "EXECUTION.MCP_PROXY.BYPASS");
}

TEST_F(AgentRunnerTest, RequiredIsolationStopsAtTheAnnouncement) {
  request_.proxy->isolation_required = true;
  Scenario({{"extra", json::array{"Task"}}, {"steps", json::array{json::object{{"hang", true}}}}});
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "USER.MCP_PROXY.UNSUPPORTED_PROVIDER");
  EXPECT_NE(Message(result).find("native tools: Task"), std::string::npos);
  Scenario(Steps({Bash("echo fine")}));
  EXPECT_EQ(Message(Run()), "");
}

TEST_F(AgentRunnerTest, HopelessRetriesStopEarly) {
  Scenario(Steps({json::object{{"retry", 500}}, json::object{{"retry", 401}}, json::object{{"hang", true}}}));
  EXPECT_EQ(Code(Run()), "EXECUTION.AGENT.AUTH");
}

TEST_F(AgentRunnerTest, EveryCallRefusedIsAFailure) {
  Scenario(Steps({json::object{{"deny", "Read"}}}));
  EXPECT_EQ(Code(Run()), "EXECUTION.AGENT.FAILED");
  EXPECT_EQ(observer_.Count("log warn permission denied"), 1);
}

TEST_F(AgentRunnerTest, ExitWithoutFinalEventIsAFailureAndStderrIsShown) {
  Scenario({{"result", nullptr}, {"steps", json::array{json::object{{"stderr", "went wrong"}}}}});
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.AGENT.FAILED");
  EXPECT_EQ(Message(result), "claude ended without its final event (exit code 0): went wrong");
  EXPECT_EQ(result.end.exit_code, 1);
  EXPECT_EQ(result.error_output, "went wrong\n");
  EXPECT_EQ(observer_.Count("log error agent stderr"), 1);
}

TEST_F(AgentRunnerTest, FailureExitCodeIsTheCli) {
  Scenario({{"exit", 7}, {"error_status", 429}});
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.AGENT.RATE_LIMITED");
  EXPECT_EQ(result.end.exit_code, 7);
}

TEST_F(AgentRunnerTest, GarbageAndHugeLinesAreSkipped) {
  Scenario(Steps({json::object{{"print", "Welcome!"}}, json::object{{"print", "{broken"}},
                  json::object{{"print", "[1]"}}, json::object{{"print_bytes", 20'000'000}}, Bash("echo hi")}));
  const StepResult result = Run();
  EXPECT_EQ(Message(result), "");
  EXPECT_EQ(result.end.tool_calls, 1);
}

TEST_F(AgentRunnerTest, HugePromptGoesThroughStdin) {
  request_.prompt.assign(5'000'000, 'p');
  Scenario({});
  EXPECT_EQ(Message(Run()), "");
  EXPECT_EQ(Record().at("stdin").as_string().size(), 5'000'000U);
}

TEST_F(AgentRunnerTest, CliThatReadsNoStdinIsNoTrouble) {
  request_.prompt.assign(5'000'000, 'p');
  fs::remove(top_ / "bin/claude");
  std::ofstream(top_ / "bin/claude") << "#!/bin/sh\n[ \"$1\" = --version ] && echo 2.1.332 && exit 0\nexit 5\n";
  fs::permissions(top_ / "bin/claude", fs::perms::owner_all);
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.AGENT.FAILED");
  EXPECT_EQ(result.end.exit_code, 5);
}

TEST_F(AgentRunnerTest, AVersionThatIsNotToldIsSaidAndItsQuestionEndsWithTheStep) {
  fs::remove(top_ / "bin/claude");
  const auto put = [&](const std::string& script) {
    std::ofstream(top_ / "bin/claude") << "#!/bin/sh\n" << script << "\n";
    fs::permissions(top_ / "bin/claude", fs::perms::owner_all);
  };
  put("exit 5");
  EXPECT_EQ(Code(Run()), "EXECUTION.AGENT.FAILED");
  EXPECT_TRUE(observer_.Has(R"(log warn claude --version: exit code 5; see awf doctor {"provider":"claude"})"))
      << observer_.All();

  put("sleep 300");
  request_.deadline = SteadyClock::now() + milliseconds(200);
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.AGENT.TIMEOUT");
  EXPECT_EQ(result.end.status, StepStatus::kTimeout);
  EXPECT_LT(result.end.duration, seconds(15));  // --version has 20 s
}

TEST_F(AgentRunnerTest, TimeoutKillsTheWholeTree) {
  request_.deadline = SteadyClock::now() + seconds(2);
  Scenario(Steps({Bash("setsid sleep 300 & touch started; sleep 300")}));
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.AGENT.TIMEOUT");
  EXPECT_EQ(result.end.status, StepStatus::kTimeout);
  EXPECT_EQ(observer_.Count("call Bash"), 1);
  EXPECT_EQ(observer_.Count("end Bash"), 1) << observer_.All();
}

TEST_F(AgentRunnerTest, CancelStopsACliThatIgnoresSigterm) {
  Scenario({{"ignore_sigterm", true},
            {"steps", json::array{json::object{{"touch", Path("work/here")}}, json::object{{"hang", true}}}}});
  std::stop_source stop;
  request_.cancelled = stop.get_token();
  std::jthread canceller([&] {
    while (!fs::exists(top_ / "work/here")) std::this_thread::sleep_for(milliseconds(5));
    stop.request_stop();
  });
  const auto begin = SteadyClock::now();
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.RUN.CANCELLED");
  EXPECT_EQ(result.end.status, StepStatus::kCancelled);
  EXPECT_EQ(result.end.exit_code, 128 + SIGKILL);
  EXPECT_LT(SteadyClock::now() - begin, seconds(60));
}

TEST_F(AgentRunnerTest, ChildrenLeftBehindAreKilled) {
  Scenario(Steps({json::object{{"leave_child", true}}}));
  EXPECT_EQ(Message(Run()), "");
  // TearDown sees that the sleeper in a session of its own, which ignores SIGTERM, is gone.
}

TEST_F(AgentRunnerTest, KilledKeeperFailsTheStepAndLeavesNothing) {
  Scenario(Steps({Bash("setsid sleep 300 & touch started; sleep 300")}));
  std::jthread killer([&] {
    while (!fs::exists(top_ / "work/started")) std::this_thread::sleep_for(milliseconds(5));
    // The keeper is the child of this process that runs `awf keeper`.
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string pid = entry.path().filename();
      if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
      const std::string stat = FileText(entry.path() / "stat");
      std::istringstream rest(stat.substr(stat.rfind(')') == std::string::npos ? 0 : stat.rfind(')') + 1));
      std::string state;
      int parent = 0;
      rest >> state >> parent;
      if (parent == ::getpid()) ::kill(std::stoi(pid), SIGKILL);
    }
  });
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.AGENT.FAILED");
  EXPECT_EQ(Message(result), "the keeper process of the step was killed");
  EXPECT_EQ(observer_.Count("end Bash"), 1) << observer_.All();
}

TEST_F(AgentRunnerTest, MissingCliIsToldBeforeAnythingStarts) {
  fs::remove(top_ / "bin/claude");
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.AGENT.NOT_INSTALLED");
  EXPECT_EQ(Message(result), "claude was not found on the PATH");
}

TEST_F(AgentRunnerTest, TheConfigurationNamesTheProgram) {
  fs::remove(top_ / "bin/claude");
  fs::create_symlink(std::getenv("AWF_FAKE_CLAUDE"), top_ / "my-claude");
  programs_["claude"] = top_ / "my-claude";
  Scenario(Steps({json::object{{"text", "hello"}}}));
  EXPECT_EQ(Message(Run()), "");
  programs_["claude"] = top_ / "no-such";
  const StepResult result = Run();
  EXPECT_EQ(Code(result), "EXECUTION.AGENT.NOT_INSTALLED");
  EXPECT_EQ(Message(result), Path("no-such") + " is no program that can be run");
}

TEST_F(AgentRunnerTest, ExplicitSandboxThatCannotHoldFailsBeforeTheStart) {
  request_.proxy->sandbox.explicit_mode = true;
  Scenario({});
  EXPECT_EQ(Code(Run()), "USER.MCP_PROXY.UNSUPPORTED_PROVIDER");
  EXPECT_FALSE(fs::exists(top_ / "record.json"));
}

TEST_F(AgentRunnerTest, VersionDecidesAboutTheSentence) {
  Scenario({{"version", "2.1.500"}});
  const StepResult result = Run();
  EXPECT_EQ(Message(result), "");
  EXPECT_EQ(result.end.provider_version, "2.1.500");
  EXPECT_EQ(result.end.isolation, IsolationLevel::kProven);
  EXPECT_EQ(Record().at("files").at("--append-system-prompt-file"),
            json::value("Use only MCP tools, never built-in tools."));
}

}  // namespace
}  // namespace awf::agents
