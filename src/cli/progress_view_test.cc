#include "cli/progress_view.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "cli/test_screen.h"
#include "cli/test_steps.h"

namespace awf::cli {
namespace {

class ProgressViewTest : public testing::Test {
 protected:
  ProgressViewTest() {
    masker_.AddSecret("hunter2hunter2");
    agent_ = StepAt("review", StepKind::kAgent);
    command_ = StepAt("build");
    terminal_ = StepAt("done", StepKind::kTerminal);
    call_.call = "c1";
    call_.tool = "Bash";
    call_.source = "builtin";
  }

  ConsoleOptions Pipe() { return {out_.fd(), err_.fd(), false, false, false, false, nullptr, false}; }
  ConsoleOptions Terminal() {
    return {out_.fd(), out_.fd(), true, true, true, true, [] { return 40; }, false};
  }

  static ProgressOptions Options(bool states, bool output, OutputMode mode = OutputMode::kStreaming) {
    return {states, output, mode, false, {}};
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
  ProgressView view(Options(false, true), console, masker_);
  Play(view);
  EXPECT_EQ(err_.Text(), "warning");
  EXPECT_EQ(out_.Text(), "It is ***.\x1b]0;t\x07 Done\nout\n");
}

TEST_F(ProgressViewTest, JsonFormatKeepsStdoutFree) {
  Console console(Pipe());
  ProgressView view(Options(true, false), console, masker_);
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

StepEnd Failed(int exit_code) {
  StepEnd end;
  end.status = StepStatus::kFailure;
  end.exit_code = exit_code;
  end.error = Error{"EXECUTION.COMMAND.FAILED", "exit code " + std::to_string(exit_code), "", {}, "", ""};
  return end;
}

TEST_F(ProgressViewTest, LinesOfBranchesAreWholeAndSayWhoseTheyAre) {
  Console console(Pipe());
  ProgressView view({}, console, masker_);
  const StepContext checks = StepAt("checks", StepKind::kParallel);
  const StepContext lint = StepAt("checks/lint", StepKind::kCommand, "checks");
  const StepContext review = StepAt("checks/review", StepKind::kAgent, "checks");
  view.StepStarted(checks, {});
  view.StepStarted(lint, {});
  view.StepStarted(review, {});
  view.CommandOutput(lint, false, "all ");
  view.AgentText(review, "I read");
  view.CommandOutput(lint, true, "warning\n");
  view.CommandOutput(lint, false, "fine\nnow the ");
  view.CallStarted(review, call_);
  view.CallFinished(review, call_, {});
  view.CommandOutput(lint, false, "rest");
  view.StepEnded(lint, {});
  view.AgentText(review, "good\n");
  view.StepEnded(review, {});
  view.StepEnded(checks, {});
  EXPECT_EQ(out_.Text(), "[lint] all fine\n[review] I read\n[lint] now the rest\n[review] good\n");
  EXPECT_EQ(err_.Text(),
            "→ checks (parallel)\n→ checks/lint\n→ checks/review (agent)\n"
            "[lint] warning\n"
            "  ✓ [review] Bash 0 ms\n"
            "✓ checks/lint (0 ms)\n✓ checks/review (0 ms)\n✓ checks (0 ms)\n");
}

TEST_F(ProgressViewTest, ALoopInABranchIsNamedFromTheParallelStateOn) {
  Console console(Pipe());
  ProgressView view({}, console, masker_);
  const StepContext outer = StepAt("each", StepKind::kForEach);
  const StepContext checks = StepAt("each:4/checks", StepKind::kParallel, outer.path);
  const StepContext loop = StepAt("each:4/checks/loop", StepKind::kForEach, checks.path);
  const StepContext fix = StepAt("each:4/checks/loop:0/fix", StepKind::kCommand, loop.path);
  for (const StepContext& step : {outer, checks, loop, fix}) view.StepStarted(step, {});
  view.CommandOutput(fix, false, "x\n");
  EXPECT_EQ(out_.Text(), "[loop:0/fix] x\n");
}

TEST_F(ProgressViewTest, BufferedOutputComesWhenItsStateHasEnded) {
  Console console(Pipe());
  ProgressView view(Options(true, true, OutputMode::kBuffered), console, masker_);
  view.StepStarted(command_, {});
  view.CommandOutput(command_, false, "one\n");
  view.CommandOutput(command_, true, "two\n");
  EXPECT_EQ(out_.Text() + err_.Text(), "→ build\n");
  view.StepEnded(command_, {});
  EXPECT_EQ(out_.Text(), "one\n");
  EXPECT_EQ(err_.Text(), "→ build\ntwo\n✓ build (0 ms)\n");
}

TEST_F(ProgressViewTest, SilentHidesTheOutputOfCommandsOnly) {
  Console console(Pipe());
  ProgressView view(Options(false, true, OutputMode::kSilent), console, masker_);
  Play(view);
  EXPECT_EQ(err_.Text(), "");
  EXPECT_EQ(out_.Text(), "It is ***.\x1b]0;t\x07 Done\n");
}

TEST_F(ProgressViewTest, ARetryIsTold) {
  Console console(Pipe());
  ProgressOptions options;
  options.attempts = {{"build", 3}};
  ProgressView view(options, console, masker_);
  view.StepStarted(command_, {});
  view.StepRetried(command_, {2, std::chrono::seconds(5), Failed(7).error.value()});
  command_.attempt = 2;
  StepEnd end;
  end.attempts = 2;
  view.StepEnded(command_, end);
  EXPECT_EQ(err_.Text(), "→ build\n↻ build: attempt 2 of 3 in 5.0 s: exit code 7\n✓ build (0 ms) · 2 attempts\n");
}

// A loop of that many passes with one body state, every `bad`th of which fails.
void PlayLoop(RunObserver& view, int passes, int bad) {
  const StepContext loop = StepAt("fix_all", StepKind::kForEach);
  view.StepStarted(loop, {});
  for (int pass = 0; pass < passes; ++pass) {
    const StepContext test = StepAt("fix_all:" + std::to_string(pass) + "/test", StepKind::kCommand, loop.path);
    view.StepStarted(test, {});
    view.StepEnded(test, pass % bad == bad - 1 ? Failed(2) : StepEnd());
  }
  view.StepEnded(loop, {});
}

TEST_F(ProgressViewTest, ALoopHasOneLineForEachCommandOfAPass) {
  Console console(Pipe());
  ProgressView view({}, console, masker_);
  PlayLoop(view, 2, 3);
  EXPECT_EQ(err_.Text(),
            "→ fix_all (for_each)\n✓ fix_all:0/test (0 ms)\n✓ fix_all:1/test (0 ms)\n✓ fix_all (0 ms) · 2 passes\n");
}

TEST_F(ProgressViewTest, ALongLoopIsFoldedButForItsFailures) {
  Console console(Pipe());
  ProgressView view({}, console, masker_);
  PlayLoop(view, 10'000, 50);
  const std::string text = err_.Text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 20 + 1 + Repeats::kFailuresShown + 3 + 1);
  EXPECT_NE(text.find("\n✓ fix_all:19/test (0 ms)\n… fix_all/test has run 20 times, from now on its failures are shown "
                      "(--verbose: all)\n✗ fix_all:49/test (0 ms)  EXECUTION.COMMAND.FAILED: exit code 2\n… "
                      "fix_all/test: 100 times, 1 failed lately\n✗ fix_all:99/test"),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("… fix_all/test: 10000 times, 199 failed lately\n✓ fix_all (0 ms) · 10000 passes\n"))
      << text;
}

TEST_F(ProgressViewTest, VerboseFoldsNothing) {
  Console console(Pipe());
  ProgressOptions options;
  options.verbose = true;
  ProgressView view(options, console, masker_);
  PlayLoop(view, 100, 101);
  const std::string text = err_.Text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 + 200);
}

TEST_F(ProgressViewTest, TheLiveLineCountsBranches) {
  Console console(Terminal());
  ProgressView view({}, console, masker_);
  const StepContext checks = StepAt("checks", StepKind::kParallel);
  view.StepStarted(checks, {});
  for (const char* path : {"checks/lint", "checks/test", "checks/build"})
    view.StepStarted(StepAt(path, StepKind::kCommand, checks.path), {});
  EXPECT_NE(out_.Text().find(" 3 running: lint, test, build · 0 s"), std::string::npos) << out_.Text();
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
