#include "infrastructure/process/script_program.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "infrastructure/process/command_executor.h"
#include "infrastructure/process/process_test_support.h"

namespace awf::process {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(InterpreterTest, IsReadAsTheKernelDoes) {
  const struct {
    std::string_view script, program, argument;
  } cases[] = {
      {"#!/bin/sh", "/bin/sh", ""},
      {"#!/bin/sh\necho\n", "/bin/sh", ""},
      {"#! \t/usr/bin/env  python3 -u \t\nx", "/usr/bin/env", "python3 -u"},
      {"#!/bin/sh -eu\r\n", "/bin/sh", "-eu\r"},
      {"#!/bin/sh\r\n", "/bin/sh\r", ""},
  };
  for (const auto& [script, program, argument] : cases) {
    const auto interpreter = InterpreterOf(script);
    ASSERT_TRUE(interpreter.has_value()) << script;
    EXPECT_EQ(interpreter->program, program);
    EXPECT_EQ(interpreter->argument, argument);
  }
  for (const char* script : {"", "#", "echo", " #!/bin/sh", "\n#!/bin/sh", "#!", "#!  \n/bin/sh"}) {
    EXPECT_FALSE(InterpreterOf(script).has_value()) << script;
  }
}

class ScriptTest : public ProcessTest {
 protected:
  ScriptTest() {
    ::setenv("XDG_RUNTIME_DIR", runtime_.path().c_str(), 1);
    request_.working_dir = folder_.path();
  }
  ~ScriptTest() override { ::unsetenv("XDG_RUNTIME_DIR"); }

  StepResult Run(std::string script) {
    request_.script = std::move(script);
    RunObserver nobody;
    return KeeperCommandExecutor(PlainEnvironment()).Run(request_, nobody);
  }
  std::ptrdiff_t PrivateFiles() const {
    const fs::path place = runtime_ / "awf";
    return fs::exists(place) ? std::distance(fs::recursive_directory_iterator(place), {}) : 0;
  }

  TestFolder runtime_, folder_;
  CommandRequest request_;
};

TEST_F(ScriptTest, RunsThroughItsInterpreterFromAPrivateFile) {
  const StepResult result =
      Run("#!/bin/sh -e\nstat -c '%a %U' \"$0\"; id -un; stat -c %a \"${0%/*}\"; pwd; false; echo on\n");
  const std::string user = result.output.substr(4, result.output.find('\n') - 4);
  EXPECT_EQ(result.output, "700 " + user + "\n" + user + "\n700\n" + folder_.path().string());
  EXPECT_EQ(result.end.exit_code, 1);
  EXPECT_EQ(PrivateFiles(), 0);
}

TEST_F(ScriptTest, AnyInterpreterTakesTheScriptAsItsFile) {
  EXPECT_EQ(Run("#!/usr/bin/env -S sed -n s/^ignored/taken/p\nignored").output, "taken");
}

TEST_F(ScriptTest, WithoutAnInterpreterTheShellTakesTheText) {
  EXPECT_EQ(Run("echo \"$0\"; cat; echo done\n").output, "/bin/sh\ndone");
  EXPECT_EQ(Run("echo long #" + std::string(300'000, 'x') + "\n").output, "long");
  EXPECT_EQ(Run(std::string("echo a\0b", 8)).end.error->code, "EXECUTION.COMMAND.SPAWN_FAILED");
  EXPECT_FALSE(fs::exists(runtime_ / "awf"));
}

TEST_F(ScriptTest, AMissingInterpreterIsNamed) {
  StepResult result = Run("#!/nonexistent/python3\n");
  EXPECT_EQ(result.end.error->code, "EXECUTION.COMMAND.SPAWN_FAILED");
  EXPECT_EQ(result.end.error->message,
            "the command could not be started: its interpreter '/nonexistent/python3': No such file or directory");
  EXPECT_EQ(result.end.error->hint, "Correct the first line of the script, or install the interpreter.");
  result = Run("#!/bin/sh\r\necho\r\n");
  EXPECT_THAT(result.end.error->hint, StartsWith("The script's lines end with carriage returns"));
  request_.working_dir = folder_ / "missing";
  EXPECT_THAT(Run("#!/bin/sh\n").end.error->message, HasSubstr("chdir: No such file or directory"));
  EXPECT_EQ(PrivateFiles(), 0);
}

TEST_F(ScriptTest, APlaceThatIsRefusedIsTold) {
  fs::create_directory_symlink("/tmp", runtime_ / "awf");
  EXPECT_EQ(Run("#!/bin/sh\n").end.error->code, "SYSTEM.IO.PERMISSION_DENIED");
}

TEST_F(ScriptTest, AKilledKeeperLeavesNoFile) {
  const StepResult result = Run("#!/bin/sh\nkill -9 $PPID; exec sleep 300\n");
  EXPECT_EQ(result.end.error->message, "the process that ran the command was killed");
  EXPECT_EQ(PrivateFiles(), 0);
}

TEST_F(ScriptTest, AKilledOwnerLeavesNoFile) {
  const std::string mark = UniqueSleep();
  const pid_t owner = ::fork();
  if (owner == 0) {
    Run("#!/bin/sh\ntouch running; exec sleep " + mark + "\n");
    ::_exit(0);
  }
  EXPECT_TRUE(Eventually([&] { return fs::exists(folder_ / "running"); }));
  EXPECT_EQ(PrivateFiles(), 2);
  ::kill(owner, SIGKILL);
  EXPECT_EQ(::waitpid(owner, nullptr, 0), owner);
  EXPECT_TRUE(Eventually([&] { return PrivateFiles() == 0 && MarkedProcesses(mark).empty(); }));
  // The keeper became this process's child; it has cleaned up and is about to end.
  EXPECT_TRUE(Eventually([] { return ::waitpid(-1, nullptr, WNOHANG) < 0; }));
}

}  // namespace
}  // namespace awf::process
