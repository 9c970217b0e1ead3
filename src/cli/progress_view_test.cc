#include "cli/progress_view.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/test_screen.h"

namespace awf::cli {
namespace {

class ProgressViewTest : public testing::Test {
 protected:
  ProgressViewTest() {
    masker_.AddSecret("hunter2hunter2");
    agent_ = {"r", "review", StepKind::kAgent, 1, "t", "s1"};
    command_ = {"r", "build", StepKind::kCommand, 1, "t", "s2"};
    terminal_ = {"r", "done", StepKind::kTerminal, 1, "t", "s3"};
    call_.call = "c1";
    call_.tool = "Bash";
    call_.source = "builtin";
  }

  ConsoleOptions Pipe() { return {out_.fd(), err_.fd(), false, false, false, false, nullptr, false}; }
  ConsoleOptions Terminal() {
    return {out_.fd(), out_.fd(), true, true, true, true, [] { return 40; }, false};
  }

  void Play(RunObserver& view) {
    RunStart run;
    run.run_id = "20261103-101500-5be01c77";
    run.workflow = "demo";
    view.RunStarted(run);
    StepStart step;
    step.provider = "claude";
    view.StepStarted(agent_, step);
    view.CallStarted(agent_, call_);
    CallEnd end;
    end.outcome = CallOutcome::kError;
    end.duration = std::chrono::milliseconds(31);
    end.error = "bad\x1b[2J\nhunter2hunter2";
    view.CallFinished(agent_, call_, end);
    view.AgentText(agent_, "It is hunter2");
    view.AgentText(agent_, "hunter2.\x1b]0;t\x07 Done");
    StepEnd step_end;
    step_end.duration = std::chrono::milliseconds(5120);
    step_end.tool_calls = 1;
    view.StepEnded(agent_, step_end);
    view.StepStarted(command_, {});
    view.CommandOutput(command_, false, "out\n");
    view.CommandOutput(command_, true, "warning");
    StepEnd failed;
    failed.status = StepStatus::kFailure;
    failed.error = Error{"EXECUTION.COMMAND.FAILED", "exit code 2", "", {}, "", ""};
    view.StepEnded(command_, failed);
    view.StepStarted(terminal_, {});
    view.StepEnded(terminal_, {});
  }

  Masker masker_;
  Screen out_, err_;
  StepContext agent_, command_, terminal_;
  CallRecord call_;
};

TEST_F(ProgressViewTest, PlainLinesInAPipe) {
  Console console(Pipe());
  ProgressView view({}, console, masker_);
  Play(view);
  EXPECT_EQ(err_.Text(),
            "run 20261103-101500-5be01c77 · demo\n"
            "→ review (agent, claude)\n"
            "  ✗ Bash 31 ms  bad ***\n"
            "✓ review (5.1 s) · 1 call\n"
            "→ build\n"
            "warning\n"
            "✗ build (0 ms)  EXECUTION.COMMAND.FAILED: exit code 2\n"
            "✓ done\n");
  // A pipe gets the text as it is, but for secrets.
  EXPECT_EQ(out_.Text(), "It is ***.\x1b]0;t\x07 Done\nout\n");
}

TEST_F(ProgressViewTest, ACallSeparatesTexts) {
  Console console(Pipe());
  ProgressView view({}, console, masker_);
  view.StepStarted(agent_, {});
  view.AgentText(agent_, "before");
  view.CallStarted(agent_, call_);
  view.CallFinished(agent_, call_, {});
  view.AgentText(agent_, "af");
  view.AgentText(agent_, "ter\n");
  view.CallStarted(agent_, call_);
  view.AgentText(agent_, "end");
  view.StepEnded(agent_, {});
  EXPECT_EQ(out_.Text(), "before\nafter\nend\n");
}

TEST_F(ProgressViewTest, QuietShowsResultsOnly) {
  Console console(Pipe());
  ProgressView view({false, true}, console, masker_);
  Play(view);
  EXPECT_EQ(err_.Text(), "warning");
  EXPECT_EQ(out_.Text(), "It is ***.\x1b]0;t\x07 Done\nout\n");
}

TEST_F(ProgressViewTest, JsonFormatKeepsStdoutFree) {
  Console console(Pipe());
  ProgressView view({true, false}, console, masker_);
  Play(view);
  EXPECT_EQ(out_.Text(), "");
  EXPECT_EQ(err_.Text(),
            "run 20261103-101500-5be01c77 · demo\n"
            "→ review (agent, claude)\n"
            "  ✗ Bash 31 ms  bad ***\n"
            "✓ review (5.1 s) · 1 call\n"
            "→ build\n"
            "✗ build (0 ms)  EXECUTION.COMMAND.FAILED: exit code 2\n"
            "✓ done\n");
}

// What a terminal of that many columns shows in the end; fails on sequences that awf does not use.
std::vector<std::string> Emulate(std::string_view bytes, std::size_t columns) {
  std::vector<std::string> lines(1);
  std::size_t widest = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::string_view rest = bytes.substr(i);
    if (rest[0] == '\r' || rest[0] == '\n') widest = std::max(widest, DisplayWidth(lines.back()));
    if (rest.starts_with("\r\x1b[2K")) {
      lines.back().clear();
      i += 4;
    } else if (rest.starts_with("\x1b[?25l") || rest.starts_with("\x1b[?25h")) {
      i += 5;
    } else if (rest[0] == '\n') {
      lines.emplace_back();
    } else {
      EXPECT_NE(rest[0], '\x1b');
      EXPECT_NE(rest[0], '\r');
      lines.back().push_back(rest[0]);
    }
  }
  EXPECT_LT(widest, columns) << "a line would wrap";
  return lines;
}

TEST_F(ProgressViewTest, ANarrowTerminalEndsCleanWithTheCursorShown) {
  {
    Console console(Terminal());
    ProgressView view({}, console, masker_);
    Play(view);
  }
  const std::string bytes = out_.Text();
  EXPECT_EQ(Emulate(bytes, 40), (std::vector<std::string>{
                                    "run 20261103-101500-5be01c77 · demo",
                                    "→ review (agent, claude)",
                                    "  ✗ Bash 31 ms  bad ***",
                                    "It is ***. Done",
                                    "✓ review (5.1 s) · 1 call",
                                    "→ build",
                                    "out",
                                    "warning",
                                    "✗ build (0 ms)  EXECUTION.COMMAND.FAIL…",
                                    "✓ done",
                                    "",
                                }));
  EXPECT_TRUE(bytes.ends_with("\x1b[?25h"));
  EXPECT_NE(bytes.find("⠋ review 0 s · Bash 0 s"), std::string::npos);
}

TEST_F(ProgressViewTest, APauseGivesTheTerminalBack) {
  Console console(Terminal());
  ProgressView view({}, console, masker_);
  view.StepStarted(agent_, {});
  view.Pause();
  const std::string paused = out_.Text();
  EXPECT_TRUE(paused.ends_with("\r\x1b[2K\x1b[?25h"));
  view.TokensUsed(agent_, {910, 10, 920, false, {}});
  EXPECT_EQ(out_.Text(), paused);
  view.Resume();
  EXPECT_NE(out_.Text().find("910 in, 10 out", paused.size()), std::string::npos);
}

}  // namespace
}  // namespace awf::cli
