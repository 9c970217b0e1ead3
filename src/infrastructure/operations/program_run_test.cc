#include "infrastructure/operations/program_run.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <thread>

#include "infrastructure/operations/test_operations.h"

namespace awf::operations {
namespace {

using Kind = ProgramEnd::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

class ProgramRunTest : public testing::Test {
 protected:
  ProgramRequest Request(const std::string& program, milliseconds patience = kHang) const {
    return {{program, "a b", ""}, ProgramEnvironment(user_.Variables()), user_.folder().path(), patience, {}, {}};
  }

  // Waits for the number in that file of a script.
  pid_t Child() const {
    const Deadline deadline = SteadyClock::now() + kHang;
    for (;;) {
      const std::string text = FileText(user_.folder() / "child");
      if (text.ends_with('\n')) return std::stoi(text);
      if (Passed(deadline)) return -1;
      std::this_thread::sleep_for(milliseconds(2));
    }
  }

  TestUser user_;
};

// Starts a grandchild, tells its number and waits for it.
constexpr const char* kSleeps = "/bin/sleep 300 &\necho $! > \"$HOME/child\"\nwait\n";

TEST_F(ProgramRunTest, ExitCodeAndBothStreams) {
  user_.Install("p", "printf '%s|' \"$#\" \"$@\" \"$PWD\"\necho no >&2\nexit 3\n");
  const ProgramEnd end = RunProgram(Request("p"));
  EXPECT_EQ(end.kind, Kind::kExited);
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_EQ(end.output, "2|a b||" + user_.folder().string() + "|");
  EXPECT_EQ(end.errors, "no\n");
}

TEST_F(ProgramRunTest, OutputIsBoundedAndRepaired) {
  user_.Install("p", "printf 'a\\377'\ni=0; while [ $i -lt 2000 ]; do printf '%0100d' 0; i=$((i+1)); done\n");
  const ProgramEnd end = RunProgram(Request("p"));
  EXPECT_EQ(end.kind, Kind::kExited);
  EXPECT_EQ(end.output.size(), 65536U + 2);  // one byte became three
  EXPECT_TRUE(
      end.output.starts_with("a\xEF\xBF\xBD"
                             "0"));
}

TEST_F(ProgramRunTest, OnlyTheVariablesThatSuchProgramsNeed) {
  user_.Set("AWS_SECRET_ACCESS_KEY", "x");
  user_.Set("PATH", ".:rel/bin::" + (user_.folder() / "bin").string() + ":/also");
  EXPECT_EQ(ProgramEnvironment(user_.Variables()),
            (std::vector<std::string>{"PATH=" + (user_.folder() / "bin").string() + ":/also",
                                      "HOME=" + user_.folder().string()}));
  EXPECT_EQ(ProgramEnvironment(user_.Variables(), {"AWS_SECRET_ACCESS_KEY", "DISPLAY"}).back(),
            "AWS_SECRET_ACCESS_KEY=x");
}

TEST_F(ProgramRunTest, ProgramsOfTheWorkspaceAreNotFound) {
  user_.Install("p", "exit 0\n");
  user_.Set("PATH", "bin:.");
  EXPECT_EQ(RunProgram(Request("p")).kind, Kind::kMissing);
}

TEST_F(ProgramRunTest, MissingAndForbidden) {
  EXPECT_EQ(RunProgram(Request("absent")).kind, Kind::kMissing);
  user_.folder().Put("bin/plain", "no program");
  const ProgramEnd end = RunProgram(Request("plain"));
  EXPECT_EQ(end.kind, Kind::kNotStarted);
  EXPECT_EQ(end.errors, "execve: Permission denied");
  ProgramRequest elsewhere = Request("plain");
  elsewhere.working_dir = user_.folder() / "absent";
  EXPECT_EQ(RunProgram(elsewhere).errors, "chdir: No such file or directory");
}

TEST_F(ProgramRunTest, NothingIsLeftOfWhatTakesTooLong) {
  user_.Install("p", kSleeps);
  ProgramRequest request = Request("p", milliseconds(200));
  EXPECT_EQ(RunProgram(request).kind, Kind::kTooSlow);
  // On a busy machine the time may have been up before it came to that line.
  if (const std::string text = FileText(user_.folder() / "child"); text.ends_with('\n')) {
    EXPECT_NE(::kill(std::stoi(text), 0), 0);
  }
  request.patience = kHang;
  request.deadline = SteadyClock::now() + milliseconds(200);
  EXPECT_EQ(RunProgram(request).kind, Kind::kOutOfTime);
}

TEST_F(ProgramRunTest, CancelEndsIt) {
  user_.Install("p", kSleeps);
  std::stop_source stop;
  ProgramRequest request = Request("p");
  request.cancelled = stop.get_token();
  pid_t child = 0;
  std::jthread canceller([&] {
    child = Child();
    stop.request_stop();
  });
  EXPECT_EQ(RunProgram(request).kind, Kind::kCancelled);
  canceller.join();
  ASSERT_GT(child, 0);
  EXPECT_NE(::kill(child, 0), 0);
}

TEST_F(ProgramRunTest, WhatHoldsThePipeDoesNotHoldTheCall) {
  user_.Install("p", "/bin/sleep 300 &\necho $! > \"$HOME/child\"\necho done\n");
  const ProgramEnd end = RunProgram(Request("p"));
  EXPECT_EQ(end.kind, Kind::kExited);
  EXPECT_EQ(end.output, "done\n");
  EXPECT_NE(::kill(Child(), 0), 0);
}

}  // namespace
}  // namespace awf::operations
