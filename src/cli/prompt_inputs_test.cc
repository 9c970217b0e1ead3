#include "cli/prompt_inputs.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "cli/test_screen.h"
#include "infrastructure/process/fd.h"

namespace awf::cli {
namespace {

WorkflowInput Input(const std::string& name, const std::string& type = "string") {
  WorkflowInput input;
  input.name = name;
  input.type = type;
  input.required = true;
  return input;
}

// Answers come from a pipe, questions go to a file in memory.
class InputPromptTest : public testing::Test {
 protected:
  // The answer's text, or the error's message.
  std::string Ask(const WorkflowInput& input, const std::string& typed) {
    const auto answer = Prompt(typed).Ask(input, {});
    if (!answer) return "ERROR " + answer.error().message;
    EXPECT_EQ(answer->name, input.name);
    EXPECT_EQ(answer->source, InputSource::kAnswer);
    return answer->text;
  }
  InputPrompt Prompt(const std::string& typed) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    in_ = Fd(ends[0]);
    const Fd write_end(ends[1]);
    EXPECT_EQ(WriteAll(write_end.get(), typed), 0);
    return {in_.get(), screen_->fd()};
  }
  std::string Shown() {
    const std::string text = screen_->Text();
    screen_.emplace();
    return text;
  }

  std::optional<Screen> screen_{std::in_place};
  Fd in_;
};

TEST_F(InputPromptTest, ShowsWhatIsAskedAndTakesTheLine) {
  WorkflowInput target = Input("target");
  target.description = "Where to deploy\x1b[31m to.\n";
  EXPECT_EQ(Ask(target, " with blanks \nrest"), " with blanks ");
  EXPECT_EQ(Shown(), "\ntarget (string): Where to deploy to.\ntarget: ");
  char rest[8];
  EXPECT_EQ(::read(in_.get(), rest, sizeof rest), 4);  // only its own line was taken
  EXPECT_EQ(Ask(target, "no line feed"), "no line feed");
  EXPECT_FALSE(Prompt("").CanAsk());
}

TEST_F(InputPromptTest, EnumsAreAnsweredByNumberOrValue) {
  WorkflowInput level = Input("level");
  level.validation.values = {"low", "high"};
  EXPECT_EQ(Ask(level, " 2 \n"), "high");
  EXPECT_EQ(Shown(), "\nlevel (string)\n  1) low\n  2) high\nlevel (1-2): ");
  EXPECT_EQ(Ask(level, "low\n"), "low");
  EXPECT_EQ(Ask(level, "0\n3\nhihg\n"), "ERROR input 'level' 'hihg' is none of low, high (did you mean 'high'?)");
  WorkflowInput count = Input("count", "integer");
  count.validation.values = {"30", "1"};
  EXPECT_EQ(Ask(count, "1\n"), "1");  // the value before the number
  EXPECT_EQ(Ask(count, "2\n"), "1");
}

TEST_F(InputPromptTest, BooleansAreAnsweredWithYAndN) {
  const WorkflowInput flag = Input("flag", "boolean");
  for (const char* yes : {"y\n", "Y\n"}) EXPECT_EQ(Ask(flag, yes), "true");
  for (const char* no : {"n\n", "N\n"}) EXPECT_EQ(Ask(flag, no), "false");
  EXPECT_EQ(Ask(flag, "Yes\n"), "Yes");
  Shown();
  EXPECT_EQ(Ask(flag, "maybe\ny\n"), "true");
  EXPECT_EQ(Shown(),
            "\nflag (boolean)\nflag (y/n): input 'flag' 'maybe' is no boolean: write true or false; try again\n"
            "flag (y/n): ");
}

TEST_F(InputPromptTest, EnterAloneTakesTheDefault) {
  WorkflowInput count = Input("count", "integer");
  count.validation.min = 1;
  count.validation.max = 9;
  count.default_value = "3";
  EXPECT_EQ(Ask(count, "\n"), "3");
  EXPECT_EQ(Shown(), "\ncount (integer, 1 to 9)\ncount [3]: ");
  WorkflowInput key = Input("key");
  key.secret = true;
  key.default_value = "hunter2";
  EXPECT_EQ(Ask(key, "\n"), "hunter2");
  EXPECT_EQ(Shown(), "\nkey (string, typed unseen)\nkey [***]: ");
}

TEST_F(InputPromptTest, ThreeAnswersAreRefusedWithTheirReasons) {
  WorkflowInput count = Input("count", "integer");
  count.validation.min = 5;
  const auto answer = Prompt("x\n\n4\n5\n").Ask(count, {});
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, "USER.INPUT.VALIDATION_FAILED");
  EXPECT_EQ(answer.error().message, "input 'count' '4' is less than 5");
  EXPECT_EQ(answer.error().hint, "give it on the command line: -i count=…");
  EXPECT_EQ(Shown(),
            "\ncount (integer, at least 5)\n"
            "count: input 'count' 'x' is no integer; try again\n"
            "count: input 'count' must not be empty; one try left\n"
            "count: ");
}

TEST_F(InputPromptTest, TheEndOfTheInputRefuses) {
  EXPECT_EQ(Ask(Input("target"), ""), "ERROR input 'target' was not given");
  EXPECT_EQ(Ask(Input("target"), "\n"), "ERROR input 'target' was not given");
  EXPECT_EQ(Ask(Input("target"), "\n\n\n"), "ERROR input 'target' must not be empty");
}

TEST_F(InputPromptTest, AsksForAllThatIsMissing) {
  Workflow workflow;
  workflow.inputs = {Input("first"), Input("given"), Input("second", "boolean")};
  workflow.inputs.push_back(Input("optional"));
  workflow.inputs.back().required = false;
  const auto all = Prompt("@x\ny\n").AskMissing(workflow, {{"given", "g"}}, {});
  ASSERT_TRUE(all.has_value());
  ASSERT_EQ(all->size(), 3U);
  const auto resolved = ResolveInputs(workflow, *all, {});
  ASSERT_TRUE(resolved.has_value());
  EXPECT_EQ(json::serialize(resolved->values), R"({"first":"@x","given":"g","second":true,"optional":""})");
  EXPECT_EQ(Shown(),
            "The workflow needs 2 inputs that nobody gave.\n\nfirst (string)\nfirst: \nsecond (boolean)\n"
            "second (y/n): ");
}

TEST_F(InputPromptTest, NothingIsAskedWhenWhatWasGivenIsRefused) {
  Workflow workflow;
  workflow.file = "flow.yaml";
  workflow.inputs = {Input("target"), Input("count", "integer")};
  const auto all = Prompt("answer\n").AskMissing(workflow, {{"count", "x"}}, {});
  ASSERT_FALSE(all.has_value());
  EXPECT_EQ(all.error().message, "input 'target' is required\ninput 'count' 'x' is no integer");
  EXPECT_EQ(Shown(), "");
  const GivenInputs enough = {{"target", "t"}, {"count", "x"}};
  EXPECT_EQ(Prompt("").AskMissing(workflow, enough, {})->size(), 2U);  // the resolver tells what is wrong
}

// A child process whose controlling terminal is a pty; the test is the person.
class Terminal {
 public:
  Terminal() : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    EXPECT_EQ(::grantpt(master_.get()), 0);
    EXPECT_EQ(::unlockpt(master_.get()), 0);
    std::array<char, 64> name{};
    EXPECT_EQ(::ptsname_r(master_.get(), name.data(), name.size()), 0);
    slave_ = Fd(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  }
  ~Terminal() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // Exits with 0 when `expected` was the answer.
  void Ask(const WorkflowInput& input, const std::string& expected) {
    child_ = ::fork();
    if (child_ != 0) return;
    ::setsid();
    ::ioctl(slave_.get(), TIOCSCTTY, 0);
    const InputPrompt prompt(slave_.get(), slave_.get());
    const auto answer = prompt.Ask(input, {});
    ::_exit(!prompt.CanAsk() ? 2 : answer && answer->text == expected ? 0 : 1);
  }

  // The same below a shell that takes note when the asking process stops, and lets it go on when the echo is back.
  void AskBelowShell(const WorkflowInput& input, const std::string& expected) {
    child_ = ::fork();
    if (child_ != 0) return;
    ::setsid();
    ::ioctl(slave_.get(), TIOCSCTTY, 0);
    ::signal(SIGTTOU, SIG_IGN);
    const pid_t asking = ::fork();
    if (asking == 0) {
      ::setpgid(0, 0);
      ::tcsetpgrp(slave_.get(), ::getpid());
      const auto answer = InputPrompt(slave_.get(), slave_.get()).Ask(input, {});
      ::_exit(answer && answer->text == expected ? 0 : 1);
    }
    int status = 0;
    ::waitpid(asking, &status, WUNTRACED);
    if (!WIFSTOPPED(status) || !Echoes()) ::_exit(2);
    ::kill(asking, SIGCONT);
    ::waitpid(asking, &status, 0);
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 3);
  }

  // Reads until the screen ends with that text. All that was shown so far.
  std::string Await(const std::string& end) {
    while (!screen_.ends_with(end)) {
      pollfd waiting{master_.get(), POLLIN, 0};
      std::array<char, 256> buffer;
      if (::poll(&waiting, 1, 30'000) <= 0) return screen_ + "<nothing more>";
      const ssize_t got = ::read(master_.get(), buffer.data(), buffer.size());
      if (got <= 0) return screen_ + "<closed>";
      screen_.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return screen_;
  }
  void Type(std::string_view text) const { EXPECT_EQ(WriteAll(master_.get(), text), 0); }
  bool Echoes() const {
    termios mode{};
    EXPECT_EQ(::tcgetattr(slave_.get(), &mode), 0);
    return (mode.c_lflag & ECHO) != 0;
  }
  // The question comes before the echo is off.
  bool HidesEventually() const {
    for (int i = 0; i < 30'000 && Echoes(); ++i) ::poll(nullptr, 0, 1);
    return !Echoes();
  }
  // How the child ended.
  int Wait() {
    int status = 0;
    EXPECT_EQ(::waitpid(child_, &status, 0), child_);
    child_ = 0;
    return status;
  }
  pid_t child() const { return child_; }

 private:
  Fd master_, slave_;
  pid_t child_ = 0;
  std::string screen_;
};

WorkflowInput Secret() {
  WorkflowInput key = Input("key");
  key.secret = true;
  return key;
}

TEST(InputPromptTerminalTest, EchoesWhatIsNoSecret) {
  Terminal terminal;
  terminal.Ask(Input("target"), "prod");
  terminal.Await("target: ");
  terminal.Type("prod\n");
  EXPECT_EQ(terminal.Await("prod\r\n"), "\r\ntarget (string)\r\ntarget: prod\r\n");
  const int status = terminal.Wait();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(InputPromptTerminalTest, SecretsAreNotEchoed) {
  Terminal terminal;
  terminal.Ask(Secret(), "hunter2");
  terminal.Await("key: ");
  EXPECT_TRUE(terminal.HidesEventually());
  terminal.Type("hunter2\n");
  EXPECT_EQ(terminal.Await("key: \r\n"), "\r\nkey (string, typed unseen)\r\nkey: \r\n");
  const int status = terminal.Wait();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(terminal.Echoes());
}

TEST(InputPromptTerminalTest, CtrlDRefuses) {
  Terminal terminal;
  terminal.Ask(Secret(), "");
  terminal.Await("key: ");
  terminal.Type("\x04");
  const int status = terminal.Wait();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
  EXPECT_TRUE(terminal.Echoes());
}

TEST(InputPromptTerminalTest, SignalsEndTheProcessAndTheEchoComesBack) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer delivers signals later, and not again from within a handler";
#endif
  for (const char* key : {"\x03", "\x1c"}) {
    for (const bool secret : {false, true}) {
      Terminal terminal;
      terminal.Ask(secret ? Secret() : Input("key"), "");
      terminal.Await("key: ");
      EXPECT_TRUE(!secret || terminal.HidesEventually());
      terminal.Type("hunt");
      terminal.Type(key);
      const int status = terminal.Wait();
      EXPECT_TRUE(WIFSIGNALED(status)) << status;
      EXPECT_EQ(WTERMSIG(status), *key == '\x03' ? SIGINT : SIGQUIT);
      EXPECT_TRUE(terminal.Echoes());
    }
  }
  Terminal terminal;
  terminal.Ask(Secret(), "");
  EXPECT_TRUE(terminal.HidesEventually());
  ::kill(terminal.child(), SIGTERM);
  EXPECT_EQ(WTERMSIG(terminal.Wait()), SIGTERM);
  EXPECT_TRUE(terminal.Echoes());
}

TEST(InputPromptTerminalTest, CtrlZBringsTheEchoBackUntilItGoesOn) {
  Terminal terminal;
  terminal.AskBelowShell(Secret(), "hunter2");
  terminal.Await("key: ");
  EXPECT_TRUE(terminal.HidesEventually());
  terminal.Type("drop\x1a");  // the terminal forgets what stands before Ctrl-Z
  terminal.Type("hunter2\n");
  const int status = terminal.Wait();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(terminal.Echoes());
}

}  // namespace
}  // namespace awf::cli
