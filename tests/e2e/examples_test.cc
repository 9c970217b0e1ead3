// The example workflows do what they say: each is run from beginning to end, agents played by the fake CLI, git by a
// script.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/e2e/process_world.h"

namespace awf::e2e {
namespace {

namespace fs = std::filesystem;

class ExamplesTest : public testing::Test {
 protected:
  void SetUp() override { world_.PutPrograms(); }

  void Agent(const std::string& scenario) {
    world_.Write("scenario.json", scenario);
    world_.environment()["FAKE_CLAUDE_SCENARIO"] = world_.Path("scenario.json").string();
  }
  void Git(const std::string& script) { world_.Write("bin/git", "#!/bin/sh\n" + script, true); }

  // Runs the example; returns the exit code. The last lines on stdout are the message and the run's own line. Whatever
  // became of it, its audit holds.
  int Run(const std::string& name, const std::string& arguments) {
    const fs::path examples = fs::path(std::getenv("AWF_SOURCE_DIR")) / "examples/workflows";
    const std::string run = "awf run '" + (examples / name).string() + "' --quiet " + arguments;
    world_.environment()["AWF_STORAGE"] = world_.Path("storage").string();
    return world_.Shell(run +
                        "; code=$?\nrun=$(awf history -n 1 -f quiet)\n"
                        "[ -z \"$run\" ] || awf audit verify \"$run\" >verdict || exit 99\nexit $code");
  }
  std::string Out() const { return world_.Read("stdout"); }
  std::string Err() const { return world_.Read("stderr"); }

  World world_;
};

TEST_F(ExamplesTest, ReviewApproves) {
  Git("[ \"$2\" = --stat ] && echo ' a.c | 2 +-' || echo '+int main(void) { return 0; }'\n");
  Agent(R"({"steps": [{"call": "Bash", "arguments": {"command": "cat a.c"}}],
            "result": "```json\n{\"summary\": \"small and right\", \"blockers\": []}\n```"})");
  world_.Write("ws/a.c", "int main(void) { return 0; }\n");
  EXPECT_EQ(Run("review-changes.yaml", ""), 0) << Err();
  EXPECT_NE(Out().find("Approved: small and right\n"), std::string::npos) << Out();
}

TEST_F(ExamplesTest, ReviewFindsABlocker) {
  Git("echo '+int main(void) { return 1; }'\n");
  Agent(R"({"result": "{\"summary\": \"returns the wrong code\", \"blockers\": [\"a.c:1: returns 1\"]}"})");
  EXPECT_EQ(Run("review-changes.yaml", ""), 3) << Err();
  EXPECT_NE(Err().find("returns the wrong code\n- a.c:1: returns 1 ("), std::string::npos) << Err();
}

TEST_F(ExamplesTest, ReviewWithoutChangesAsksNoAgent) {
  Git("exit 0\n");
  EXPECT_EQ(Run("review-changes.yaml", ""), 0) << Err();
  EXPECT_NE(Out().find("There are no changes to review.\n"), std::string::npos) << Out();
}

TEST_F(ExamplesTest, ParallelChecksReportEach) {
  EXPECT_EQ(Run("parallel-checks.yaml", ""), 0) << Err();
  EXPECT_NE(Out().find("All checks passed.\n"), std::string::npos) << Out();
  EXPECT_EQ(Run("parallel-checks.yaml", "-i lint=false"), 3);
  EXPECT_NE(Err().find("Not all checks passed:\nbuild: success\nlint: failure\ntest: success ("), std::string::npos)
      << Err();
}

TEST_F(ExamplesTest, FixFilesRepairsWhatDoesNotPass) {
  world_.Write("ws/good.txt", "fine\n");
  world_.Write("ws/bad.txt", "broken\n");
  Agent(R"({"steps": [{"call": "Write", "arguments": {"path": "bad.txt", "content": "fine\n"}}]})");
  EXPECT_EQ(Run("fix-files.yaml", "-i files=good.txt,bad.txt -i 'check=grep -q fine'"), 0) << Err();
  EXPECT_EQ(world_.Read("ws/bad.txt"), "fine\n");
  EXPECT_NE(Out().find("2 files are in order.\n"), std::string::npos) << Out();
}

TEST_F(ExamplesTest, FixFilesGivesUp) {
  world_.Write("ws/bad.txt", "broken\n");
  Agent("{}");
  EXPECT_EQ(Run("fix-files.yaml", "-i files=bad.txt -i 'check=grep -q fine'"), 3);
  EXPECT_NE(Err().find("A file could not be repaired: "), std::string::npos) << Err();
}

TEST_F(ExamplesTest, ImplementUntilGreenGoesRound) {
  world_.Write("ws/tries", "");
  Agent(R"({"steps": [{"call": "Bash", "arguments": {"command": "echo x >> tries"}}]})");
  EXPECT_EQ(Run("implement-until-green.yaml", "-i task='write x' -i 'test_command=test $(wc -l < tries) -ge 3'"), 0)
      << Err();
  EXPECT_EQ(world_.Read("ws/tries"), "x\nx\nx\n");
  EXPECT_NE(Out().find("The tests pass.\n"), std::string::npos) << Out();
}

TEST_F(ExamplesTest, PlanAndCarryOutIsOneConversation) {
  world_.Write("ws/tries", "");
  Agent(R"({"sessions": true, "steps": [{"call": "Bash", "arguments": {"command": "echo x >> tries"}}]})");
  EXPECT_EQ(Run("plan-and-carry-out.yaml", "-i task='write x' -i 'test_command=test $(wc -l < tries) -ge 3'"), 0)
      << Err();
  EXPECT_EQ(world_.Read("ws/tries"), "x\nx\nx\n");
  EXPECT_NE(Out().find("Planned: write x "), std::string::npos) << Out();
  ASSERT_EQ(world_.Shell("cat ~/sessions/*"), 0);
  EXPECT_NE(Out().find("Change nothing yet.\n | Carry out your plan. | The tests fail:\n"), std::string::npos) << Out();
}

TEST_F(ExamplesTest, ReleaseNotesRunTheScriptBesideThem) {
  Git("case $1 in describe) echo v1.3.0 ;; log) echo \"abc1234 $*\" ;; esac\n");
  Agent(R"({"result": "Notes."})");
  EXPECT_EQ(Run("release-notes.yaml", "-i version=1.4.0 -i limit=7"), 0) << Err();
  EXPECT_NE(Out().find("abc1234 log --no-merges --format=%h %s -n 7 v1.3.0..HEAD\n"), std::string::npos) << Out();
  EXPECT_NE(Out().find("The notes for 1.4.0 are written.\n"), std::string::npos) << Out();
  EXPECT_EQ(Run("release-notes.yaml", "-i version=next"), 1);
}

}  // namespace
}  // namespace awf::e2e
