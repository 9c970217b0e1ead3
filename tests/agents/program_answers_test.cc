// What CLIs are asked from the shell, with real programs: scripts that answer, break and hang.
#include "infrastructure/agents/program_answers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "domain/test_folder.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

class ProgramAnswersTest : public testing::Test {
 protected:
  fs::path Install(const std::string& script, const std::string& interpreter = "/bin/sh") {
    top_.Put("cli", "#!" + interpreter + "\n" + script + "\n");
    fs::permissions(top_ / "cli", fs::perms::owner_all);
    return top_ / "cli";
  }
  std::string Version(const fs::path& program, const std::vector<std::string>& variables = {}) {
    std::vector<std::string> environment = {"PATH=/usr/bin:/bin"};
    environment.insert(environment.end(), variables.begin(), variables.end());
    const auto version = answers_.Version(program, environment, {});
    return version ? *version : "no: " + version.error();
  }
  // How often the program of Counting was started.
  std::size_t Starts() const { return FileText(top_ / "starts").size(); }
  std::string Counting() const { return "printf x >> " + (top_ / "starts").string() + "; "; }

  const TestFolder top_;
  ProgramAnswers answers_{std::getenv("AWF_PROGRAM")};
};

TEST_F(ProgramAnswersTest, TellWhyThereIsNone) {
  EXPECT_EQ(Version(Install("echo some 1.2.3")), "1.2.3");
  EXPECT_EQ(Version(Install("exit 1")), "no: exit code 1");
  EXPECT_EQ(Version(Install("echo lib.so is missing >&2; exit 127")), "no: exit code 127: lib.so is missing");
  EXPECT_EQ(Version(Install("printf 'a\\nb\\n' >&2; exit 2")), "no: exit code 2");
  EXPECT_EQ(Version(Install("kill -SEGV $$")), "no: signal 11");
  EXPECT_EQ(Version(Install("echo what?")), "no: tells no version");
  EXPECT_EQ(Version(Install("", "/no/such/node")),
            "no: cannot be started: No such file or directory (its interpreter)");
  const auto late = answers_.Ask({Install("sleep 60"), {}, {"PATH=/usr/bin:/bin"}, milliseconds{0}}, {});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error(), "no answer in 0 s");
}

TEST_F(ProgramAnswersTest, AreOfAnEnvironment) {
  const fs::path program = Install(Counting() + "echo $SHIM_VERSION");
  EXPECT_EQ(Version(program, {"SHIM_VERSION=1.0.0", "A=b"}), "1.0.0");
  EXPECT_EQ(Version(program, {"SHIM_VERSION=2.0.0", "A=b"}), "2.0.0");
  EXPECT_EQ(Starts(), 2U);
  EXPECT_EQ(Version(program, {"TRACEPARENT=00-1", "A=b", "TRACESTATE=x", "SHIM_VERSION=1.0.0"}), "1.0.0");
  EXPECT_EQ(Starts(), 2U);
}

TEST_F(ProgramAnswersTest, FailuresAreRememberedAndLackOfTimeIsNot) {
  const fs::path broken = Install(Counting() + "exit 3");
  EXPECT_EQ(Version(broken), "no: exit code 3");
  EXPECT_EQ(Version(broken), "no: exit code 3");
  EXPECT_EQ(Starts(), 1U);

  const std::string gate = (top_ / "gate").string();
  const fs::path slow = Install("[ -e " + gate + " ] || sleep 60; echo 4.5.6");
  const std::vector<std::string> environment = {"PATH=/usr/bin:/bin"};
  const auto begin = SteadyClock::now();
  EXPECT_FALSE(answers_.Version(slow, environment, {}, begin + milliseconds{50}));
  std::stop_source cancelled;
  cancelled.request_stop();
  EXPECT_FALSE(answers_.Version(slow, environment, cancelled.get_token()));
  EXPECT_LT(SteadyClock::now() - begin, std::chrono::seconds(15));  // --version has 20 s
  top_.Put("gate", "");
  EXPECT_EQ(Version(slow), "4.5.6");
}

TEST_F(ProgramAnswersTest, AStepWhoseTimeIsUpDoesNotWaitForAnother) {
  const fs::path slow = Install("sleep 60");
  const std::vector<std::string> environment = {"PATH=/usr/bin:/bin"};
  std::stop_source over;
  std::jthread other([&] { static_cast<void>(answers_.Version(slow, environment, over.get_token())); });
  const auto begin = SteadyClock::now();
  EXPECT_FALSE(answers_.Version(slow, environment, {}, begin + milliseconds{100}));
  EXPECT_LT(SteadyClock::now() - begin, std::chrono::seconds(15));
  over.request_stop();
}

}  // namespace
}  // namespace awf::agents
