// For tests of AgentRunner: a step in a folder of its own, with the fake `claude` on its PATH and the real awf as
// keeper and MCP server. Every test ends with a look for what was left behind.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "domain/test_folder.h"
#include "infrastructure/agents/agent_runner.h"
#include "infrastructure/agents/test_observer.h"
#include "tests/agents/left_processes.h"

namespace awf::agents {

namespace fs = std::filesystem;
class AgentRunnerTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"bin", "home", "work"}) fs::create_directory(top_ / folder);
    ASSERT_NE(std::getenv("AWF_FAKE_CLAUDE"), nullptr);
    ASSERT_NE(std::getenv("AWF_PROGRAM"), nullptr);
    fs::create_symlink(std::getenv("AWF_FAKE_CLAUDE"), top_ / "bin/claude");
    request_.step = {"run", "work", StepKind::kAgent, 1, std::string(32, 'a'), std::string(16, 'b'), {}, "work",
                     {},    {}};
    request_.provider = request_.provider_as_written = "claude";
    request_.prompt = "do it";
    request_.working_dir = top_ / "work";
    request_.proxy.emplace();
    request_.proxy->enable = true;
    request_.deadline = SteadyClock::now() + std::chrono::seconds(100);
  }

  void TearDown() override {
    EXPECT_EQ(ProcessesLeft(top_.string()), std::vector<std::string>{}) << "processes were left";
    EXPECT_EQ(StepFolders(), std::vector<std::string>{}) << "private folders were left";
  }

  std::vector<std::string> StepFolders() const {
    std::vector<std::string> folders;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(top_ / "private", error)) folders.push_back(entry.path());
    return folders;
  }

  void Scenario(const json::object& scenario) { std::ofstream(top_ / "scenario.json") << json::serialize(scenario); }
  static json::object Steps(json::array steps) { return {{"steps", std::move(steps)}}; }
  std::string Path(const std::string& name) const { return (top_ / name).string(); }
  std::string WorkFile(const std::string& name) const { return FileText(top_ / "work" / name); }
  static json::object Bash(const std::string& command) {
    return {{"call", "Bash"}, {"arguments", json::object{{"command", command}}}};
  }
  // Bash in mid-call when the server is killed.
  json::object CrashingBash() const {
    json::object step = Bash("touch started; setsid sleep 300 & sleep 300");
    step["crash_when"] = Path("work/started");
    return step;
  }

  // Told to the test's own observer, unless another one is given.
  StepResult Run(RunObserver* observer = nullptr) {
    auto folder = process::PrivateFolder::OpenIn({}, top_ / "private");
    EXPECT_TRUE(folder);
    std::vector<std::string> environment = {"PATH=" + Path("bin") + ":/usr/bin:/bin", "HOME=" + Path("home"),
                                            "AWF_SECRET=1", "FAKE_CLAUDE_SCENARIO=" + Path("scenario.json"),
                                            "FAKE_CLAUDE_RECORD=" + Path("record.json")};
    AgentHost host{std::getenv("AWF_PROGRAM"), *folder, environment, tracing_, programs_};
    host.operations = operations_;
    AgentRunner runner(std::move(host));
    return runner.Run(request_, observer == nullptr ? observer_ : *observer);
  }
  json::object Record() const { return json::parse(FileText(top_ / "record.json")).as_object(); }
  static std::string Code(const StepResult& result) { return result.end.error ? result.end.error->code : ""; }
  static std::string Message(const StepResult& result) { return result.end.error ? result.end.error->message : ""; }

  const TestFolder top_{"/tmp"};
  AgentRequest request_;
  TestObserver observer_;
  Tracing tracing_;
  std::map<std::string, fs::path> programs_;
  OperationProviders* operations_ = nullptr;
};

}  // namespace awf::agents
