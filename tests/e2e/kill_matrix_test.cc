// The kill matrix: SIGKILL of every process of a run, and of pairs, at random moments while a Bash call runs
// `setsid sleep & sleep`. Afterwards no process and no private file may be left, and the records must be complete.
//
// The agent is a fake CLI, or with AWF_KILL_CLI (the path of a real `claude`) the real one. KillRounds() are the
// moments per victim.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/e2e/process_world.h"

namespace awf::e2e {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using std::chrono::milliseconds;

// DESIGN says one second. The test allows more, since the machine may be busy with other tests; what it proves is that
// nothing stays.
constexpr milliseconds kGone{15'000};
constexpr milliseconds kStarts{60'000};

constexpr char kWorkflow[] = R"(
name: kill
states:
  initial: work
  work:
    type: agent
    provider: claude
    prompt: Run the command.
    timeout: 5m
    mcp_proxy:
      enable: true
    on_success: done
  done:
    type: terminal
)";

constexpr char kCommand[] = "setsid sleep 300 & touch started; sleep 300";

const std::vector<std::vector<std::string>>& Victims() {
  static const std::vector<std::vector<std::string>> victims = [] {
    const std::vector<std::string> roles = {"awf", "launcher", "cli", "mcp-serve", "keeper", "command-child"};
    std::vector<std::vector<std::string>> all;
    for (std::size_t i = 0; i < roles.size(); ++i) {
      all.push_back({roles[i]});
      for (std::size_t j = i + 1; j < roles.size(); ++j) {
        // Both dead at once leave nobody; the next start sweeps the folder.
        if (!(roles[i] == "awf" && roles[j] == "keeper")) all.push_back({roles[i], roles[j]});
      }
    }
    return all;
  }();
  return victims;
}

// Who is who below awf, by parentage: awf → keeper → launcher → CLI → mcp-serve → command child.
std::map<std::string, pid_t> Roles(pid_t awf) {
  std::map<std::string, pid_t> roles = {{"awf", awf}};
  const std::vector<ProcessInfo> below = Descendants(awf);
  const auto child_of = [&](pid_t parent, auto&& matches) -> pid_t {
    for (const ProcessInfo& info : below) {
      if (info.parent == parent && matches(info)) return info.pid;
    }
    return 0;
  };
  const auto any = [](const ProcessInfo&) { return true; };
  const auto is_server = [](const ProcessInfo& info) { return info.words.size() > 1 && info.words[1] == "mcp-serve"; };
  roles["keeper"] =
      child_of(awf, [](const ProcessInfo& info) { return info.words.size() > 1 && info.words[1] == "keeper"; });
  roles["launcher"] = child_of(roles["keeper"], any);
  roles["cli"] = child_of(roles["launcher"], any);
  roles["mcp-serve"] = child_of(roles["cli"], is_server);
  roles["command-child"] = child_of(roles["mcp-serve"], any);
  return roles;
}

std::vector<json::object> Lines(const fs::path& file, bool allow_cut_tail) {
  std::ifstream in(file);
  std::vector<json::object> lines;
  for (std::string line; std::getline(in, line);) {
    boost::system::error_code error;
    json::value value = json::parse(line, error);
    if (error) {
      EXPECT_TRUE(allow_cut_tail && in.peek() == EOF) << "unreadable line in " << file << ": " << line;
      break;
    }
    lines.push_back(value.as_object());
  }
  return lines;
}

class KillMatrix : public testing::TestWithParam<std::vector<std::string>> {
 protected:
  // The launcher stands between keeper and CLI, as the Node launchers of other agents do.
  static void PutAgent(World& world) {
    const char* real = std::getenv("AWF_KILL_CLI");
    const char* fake = std::getenv("AWF_FAKE_CLAUDE");
    ASSERT_TRUE(real || fake);
    world.Write("bin/claude", std::string("#!/bin/sh\n\"") + (real ? real : fake) + "\" \"$@\"\nexit $?\n", true);
    world.Write("workflow.yaml", kWorkflow);
    if (real) {
      for (const char* name : {"ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"})
        world.environment()[name] = std::getenv(name);
    } else {
      world.Write("scenario.json",
                  json::serialize(json::value{
                      {"steps", json::array{json::object{{"call", "Bash"},
                                                         {"arguments", json::object{{"command", kCommand}}}}}}}));
      world.environment()["FAKE_CLAUDE_SCENARIO"] = world.Path("scenario.json").string();
    }
  }

  static void OneRound(const std::vector<std::string>& victims, std::mt19937& random) {
    World world;
    PutAgent(world);
    const pid_t awf =
        world.StartAwf({"run", world.Path("workflow.yaml").string(), "--storage", world.Path("storage").string()});
    ASSERT_GT(awf, 0);
    const bool started =
        WaitFor(kStarts, [&] { return fs::exists(world.Path("ws/started")) || ::waitpid(awf, nullptr, WNOHANG) != 0; });
    ASSERT_TRUE(started && fs::exists(world.Path("ws/started"))) << world.Read("stderr");
    SleepMs(static_cast<int>(random() % 40));

    std::map<std::string, pid_t> roles = Roles(awf);
    for (const auto& [role, pid] : roles) ASSERT_GT(pid, 0) << role << " was not found";
    // The second may have ended already: cleaning up takes a few milliseconds.
    for (const std::string& victim : victims)
      ASSERT_TRUE(::kill(roles[victim], SIGKILL) == 0 || errno == ESRCH) << victim;

    std::string left;
    std::map<pid_t, int> statuses;
    const auto took = WaitUntilNoChildIsLeft(kGone, &left, &statuses);
    ASSERT_TRUE(took) << "still running:\n" << left << world.Read("stderr");
    EXPECT_EQ(world.PrivateFolders(), std::vector<std::string>{});

    const bool awf_killed = victims[0] == "awf";
    const std::vector<json::object> audit = Lines(world.RunFolder() / "audit.jsonl", awf_killed);
    ASSERT_FALSE(audit.empty());
    EXPECT_EQ(
        world.Shell(std::string(std::getenv("AWF_PROGRAM")) + " audit verify '" + world.RunFolder().string() + "'"),
        awf_killed ? 3 : 0)
        << world.Read("stdout");
    if (awf_killed) return;
    ASSERT_TRUE(WIFEXITED(statuses[awf])) << "awf died: " << statuses[awf];
    // A server that lost only its command child told the agent so and went on: the agent decided, and the step holds.
    const bool step_holds = victims == std::vector<std::string>{"command-child"};
    EXPECT_EQ(WEXITSTATUS(statuses[awf]), step_holds ? 0 : 3) << world.Read("stderr");
    int calls = 0;
    for (const json::object& record : audit) {
      if (record.at("type") != "tool.call") continue;
      ++calls;
      const std::string outcome(record.at("outcome").as_string());
      EXPECT_TRUE(outcome == "lost" || outcome == "cancelled") << json::serialize(record);
    }
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(audit.back().at("type"), "run.completed");
    EXPECT_EQ(audit.back().at("status"), step_holds ? "completed" : "failed");
  }
};

TEST_P(KillMatrix, LeavesNothingAndKeepsItsRecords) {
  std::mt19937 random(static_cast<unsigned>(::getpid()));
  for (int round = 0; round < KillRounds(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    OneRound(GetParam(), random);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Sigkill, KillMatrix, testing::ValuesIn(Victims()), [](const auto& test) {
  std::string name;
  for (const std::string& role : test.param) name += (name.empty() ? "" : "_and_") + role;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace awf::e2e
