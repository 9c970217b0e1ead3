// `awf run` in surroundings that are not what a program expects.
#include <gtest/gtest.h>
#include <signal.h>

#include <boost/json.hpp>
#include <fstream>

#include "tests/e2e/process_world.h"

namespace awf::e2e {
namespace {

constexpr char kWorkflow[] = R"(name: hello
states:
  initial: greet
  greet: {type: step, command: "echo hello; echo warning >&2", on_success: done}
  done: {type: terminal, message: fine}
)";

// Every line of that file is a JSON object; how many.
int JsonLines(const std::filesystem::path& path) {
  std::ifstream in(path);
  int count = 0;
  for (std::string line; std::getline(in, line); ++count) {
    boost::system::error_code fault;
    const boost::json::value value = boost::json::parse(line, fault);
    EXPECT_TRUE(!fault && value.is_object()) << path << ": " << line;
  }
  return count;
}

TEST(Run, ClosedStreamsDoNotEndInTheRecords) {
  for (const char* closed : {"<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"}) {
    World world;
    world.PutPrograms();
    world.Write("ws/w.yaml", kWorkflow);
    EXPECT_EQ(world.Shell("awf run w.yaml --storage '" + world.Path("storage").string() + "' " + closed), 0) << closed;
    EXPECT_EQ(JsonLines(world.RunFolder() / "log.jsonl"), 6) << closed;
    EXPECT_EQ(JsonLines(world.RunFolder() / "audit.jsonl"), 6) << closed;
  }
}

TEST(Run, TellsOnceWhatTheProjectsConfigurationSets) {
  World world;
  world.PutPrograms();
  world.Write("ws/w.yaml", kWorkflow);
  world.Write("ws/.awf/config.yaml",
              "telemetry: {exporter: 'http://127.0.0.1:9/x'}\n"
              "providers: {copilot: {options: {extraArgs: [-x], env: {A: b}, model: m}}}\n");
  const std::string run = "awf run w.yaml --otel-exporter none --storage '" + world.Path("storage").string() + "' ";
  const std::string line = "the project's configuration " + world.Path("ws/.awf/config.yaml").string() +
                           " sets providers.github_copilot.options.env, providers.github_copilot.options.extra_args, "
                           "telemetry.exporter";
  for (const char* flags : {"", "-q", "--verbose", "--log-format json"}) {
    ASSERT_EQ(world.Shell(run + flags), 0) << world.Read("stderr");
    const std::string told = world.Read("stderr");
    const std::size_t at = told.find(line);
    ASSERT_NE(at, std::string::npos) << flags << told;
    EXPECT_EQ(told.find("project's configuration", at + line.size()), std::string::npos) << flags << told;
  }
  ASSERT_EQ(world.Shell(run + "--config .awf/config.yaml"), 0);
  EXPECT_EQ(world.Read("stderr").find("project's configuration"), std::string::npos);
  world.Write("ws/.awf/config.yaml", "telemetry: {exporter: file}\nproviders: {claude: {options: {model: m}}}\n");
  ASSERT_EQ(world.Shell(run), 0);
  EXPECT_EQ(world.Read("stderr").find("project's configuration"), std::string::npos);
}

TEST(Run, EndsWhenItsOutputIsNotRead) {
  World world;
  world.PutPrograms();
  world.Write("ws/w.yaml", R"(name: w
states:
  initial: flood
  flood: {type: step, command: "touch started; head -c 10000000 /dev/zero", on_success: done}
  done: {type: terminal}
)");
  EXPECT_EQ(world.Shell("mkfifo unread; exec 3<>unread\nawf run w.yaml --storage '" + world.Path("storage").string() +
                        "' >unread &\nwhile [ ! -e started ]; do sleep 0.05; done; kill -TERM $!; wait $!"),
            128 + SIGTERM);
  EXPECT_NE(world.Read("stderr").find("EXECUTION.RUN.CANCELLED"), std::string::npos) << world.Read("stderr");
}

// A command takes four descriptors of awf's. None of these ends before all have begun.
TEST(Run, ManyBranchesAreNotHeldUpByTheSoftLimitOfDescriptors) {
  constexpr int kBranches = 80;
  World world;
  world.PutPrograms();
  std::string names, states;
  for (int i = 0; i < kBranches; ++i) {
    const std::string name = "b" + std::to_string(i);
    names += (i == 0 ? "" : ", ") + name;
    states += "  " + name + ": {type: step, command: \"ulimit -S -n; echo >> all; while [ $(wc -l < all) -lt " +
              std::to_string(kBranches) + " ]; do sleep 0.2; done\"}\n";
  }
  world.Write("ws/w.yaml", "name: w\nstates:\n  initial: all\n  all: {type: parallel, parallel: [" + names +
                               "], on_success: done}\n" + states + "  done: {type: terminal}\n");
  EXPECT_EQ(world.Shell("ulimit -S -n 100; awf run w.yaml -q --storage '" + world.Path("storage").string() + "'"), 0)
      << world.Read("stderr");
  const std::string out = world.Read("stdout");
  int seen = 0;
  for (std::size_t at = 0; (at = out.find("] 100\n", at)) != std::string::npos; ++at) ++seen;
  EXPECT_EQ(seen, kBranches) << out;
}

TEST(Run, InOneFileAWarningNeverStartsBehindText) {
  World world;
  world.PutPrograms();
  world.Write("scenario.json", R"({"steps": [{"text": "hello"}, {"native": "Bash"}]})");
  world.environment()["FAKE_CLAUDE_SCENARIO"] = world.Path("scenario.json").string();
  world.Write("ws/w.yaml", R"(name: w
states:
  initial: ask
  ask: {type: agent, provider: claude, prompt: hi, mcp_proxy: {enable: true}, on_success: done}
  done: {type: terminal}
)");
  EXPECT_EQ(world.Shell("awf run w.yaml --storage '" + world.Path("storage").string() + "' >both 2>&1"), 0);
  const std::string both = world.Read("ws/both");
  EXPECT_NE(both.find("\nhello\n"), std::string::npos) << both;
  EXPECT_NE(both.find(" WARN mcp proxy bypass "), std::string::npos) << both;
}

}  // namespace
}  // namespace awf::e2e
