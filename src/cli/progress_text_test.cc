#include "cli/progress_text.h"

#include <gtest/gtest.h>

#include "domain/terminal_text.h"

namespace awf::cli {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ProgressText, Counts) {
  EXPECT_EQ(FormatCount(910), "910");
  EXPECT_EQ(FormatCount(1234), "1.2k");
  EXPECT_EQ(FormatCount(999'949), "999.9k");
  EXPECT_EQ(FormatCount(999'950), "1.0M");
}

CallEnd Ended(CallOutcome outcome) {
  CallEnd end;
  end.outcome = outcome;
  end.duration = milliseconds(31);
  return end;
}

TEST(ProgressText, LinesInAPipe) {
  const LineStyle plain;
  EXPECT_EQ(StepStartedLine("review", StepKind::kAgent, "claude", plain), "→ review (agent, claude)");
  EXPECT_EQ(StepStartedLine("build", StepKind::kCommand, "", plain), "→ build");
  EXPECT_EQ(StepStartedLine("tell", StepKind::kOperation, "notify.send", plain), "→ tell (operation, notify.send)");
  EXPECT_EQ(CallLine("", "Grep", "builtin", Ended(CallOutcome::kOk), "", plain), "  ✓ Grep 31 ms");
  EXPECT_EQ(CallLine("", "Bash", "builtin", Ended(CallOutcome::kError), "command exited with code 2", plain),
            "  ✗ Bash 31 ms  command exited with code 2");
  EXPECT_EQ(CallLine("", "x_y", "plugin:x", Ended(CallOutcome::kLost), "", plain), "  ✗ x_y [plugin:x] 31 ms  lost");
  StepEnd end;
  end.duration = milliseconds(5120);
  EXPECT_EQ(StepEndedLine("build", StepKind::kCommand, end, 0, "", plain), "✓ build (5.1 s)");
  EXPECT_EQ(StepEndedLine("done", StepKind::kTerminal, end, 0, "", plain), "✓ done");
  end.tool_calls = 1;
  end.usage = {910, 1210, 2120, true, {}};
  end.isolation = IsolationLevel::kProven;
  end.sandbox = "degraded";
  EXPECT_EQ(StepEndedLine("review", StepKind::kAgent, end, 0, "", plain),
            "✓ review (5.1 s) · 1 call · ≈910 in, 1.2k out · isolation: proven · sandbox: degraded");
  StepEnd failed;
  failed.status = StepStatus::kTimeout;
  EXPECT_EQ(
      StepEndedLine("build", StepKind::kCommand, failed, 0, "EXECUTION.COMMAND.TIMEOUT: timeout after 1 s", plain),
      "✗ build (timeout, 0 ms)  EXECUTION.COMMAND.TIMEOUT: timeout after 1 s");
}

TEST(ProgressText, FitsANarrowTerminal) {
  const LineStyle narrow{false, 40};
  const std::string line =
      CallLine("", "Bash", "builtin", Ended(CallOutcome::kError), "command exited with code 2: make: no rule", narrow);
  EXPECT_EQ(line, "  ✗ Bash 31 ms  command exited with co…");
  EXPECT_EQ(DisplayWidth(line), 39U);
  EXPECT_EQ(CallLine("", "Bash", "builtin", Ended(CallOutcome::kOk), "", {false, 1}), "…");
  EXPECT_EQ(StepStartedLine("漢字漢字漢字", StepKind::kCommand, "", {false, 10}), "→ 漢字漢…");
}

TEST(ProgressText, ANarrowTerminalCutsTheErrorOfAStepButNotItsIsolation) {
  StepEnd end;
  end.isolation = IsolationLevel::kProven;
  end.sandbox = "degraded";
  const std::string facts = "✓ review (0 ms) · isolation: proven · sandbox: degraded";
  EXPECT_EQ(StepEndedLine("review", StepKind::kAgent, end, 0, "", {false, 40}), facts);
  EXPECT_EQ(StepEndedLine("review", StepKind::kAgent, end, 0, "it failed", {false, 40}), facts + "…");
  EXPECT_EQ(StepEndedLine("review", StepKind::kAgent, end, 0, "it failed", {false, 62}), facts + "  it …");
}

TEST(ProgressText, ColorsAreClosedAndCostNoColumns) {
  const LineStyle style{true, 20};
  EXPECT_EQ(CallLine("", "Bash", "builtin", Ended(CallOutcome::kError), "oops", style),
            "\x1b[31m  ✗ \x1b[0mBash\x1b[2m 31 ms\x1b[0m\x1b[31m  oo\x1b[0m…");
  EXPECT_EQ(StepStartedLine("build", StepKind::kCommand, "", style), "\x1b[36m→ \x1b[0m\x1b[1mbuild\x1b[0m");
}

TEST(ProgressText, LoopsBranchesAndRetries) {
  const LineStyle plain;
  EXPECT_EQ(StepStartedLine("checks", StepKind::kParallel, "", plain), "→ checks (parallel)");
  EXPECT_EQ(CallLine("lint", "Grep", "builtin", Ended(CallOutcome::kOk), "", plain), "  ✓ [lint] Grep 31 ms");
  StepRetry retry{2, seconds(5), {}};
  EXPECT_EQ(RetryLine("fetch", retry, 3, "exit code 7", plain), "↻ fetch: attempt 2 of 3 in 5.0 s: exit code 7");
  retry.delay = milliseconds(0);
  EXPECT_EQ(RetryLine("fetch", retry, 0, "exit code 7", plain), "↻ fetch: attempt 2: exit code 7");
  StepEnd end;
  end.duration = seconds(12);
  end.attempts = 3;
  EXPECT_EQ(StepEndedLine("fix_all", StepKind::kForEach, end, 437, "", plain),
            "✓ fix_all (12.0 s) · 437 passes · 3 attempts");
  end.status = StepStatus::kCancelled;
  EXPECT_EQ(StepEndedLine("checks/lint", StepKind::kCommand, end, 0, "", {true, 0}),
            "\x1b[33m✗ \x1b[0m\x1b[1mchecks/lint\x1b[0m\x1b[2m (cancelled, 12.0 s)\x1b[0m\x1b[2m · 3 attempts\x1b[0m");
}

TEST(ProgressText, OfALongPathTheEndStays) {
  EXPECT_EQ(ShortPath("outer:3/inner:12/checks/lint", {false, 40}), "…nner:12/checks/lint");
  EXPECT_EQ(ShortPath("outer:3/inner:12/checks/lint", {false, 10}), "…checks/lint");
  EXPECT_EQ(ShortPath("outer:3/inner:12/checks/lint", {}), "outer:3/inner:12/checks/lint");
  EXPECT_EQ(StepStartedLine("outer:3/inner:12/checks/lint", StepKind::kCommand, "", {false, 40}),
            "→ …nner:12/checks/lint");
}

TEST(ProgressText, TheLiveLineTellsWhatGoesOn) {
  LiveState state;
  state.step = "review";
  state.elapsed = milliseconds(12'900);
  EXPECT_EQ(LiveLine({state}, 0, {}), "⠋ review 12 s");
  state.calls = {{"Bash", milliseconds(61'000)}, {"Read", milliseconds(5)}, {"Grep", milliseconds(0)}};
  state.calls_ended = 4;
  state.tokens = {1234, 56, 1290, false, {}};
  EXPECT_EQ(LiveLine({state}, 12, {}), "⠹ review 12 s · Bash 1m01s +2 · 4 calls · 1.2k in, 56 out");
  EXPECT_EQ(LiveLine({state}, 12, {false, 40}), "⠹ review 12 s · Bash 1m01s +2 · 4 call…");
  state.attempt = 2;
  state.wait = milliseconds(4200);
  EXPECT_EQ(LiveLine({state}, 0, {}), "⠋ review 12 s · attempt 2 in 4 s");
}

TEST(ProgressText, TheLiveLineCountsWhatRunsAtOnce) {
  std::vector<LiveState> running(3);
  running[0].step = "lint";
  running[0].elapsed = milliseconds(12'100);
  running[1].step = "test";
  running[2].step = "build";
  EXPECT_EQ(LiveLine(running, 0, {}), "⠋ 3 running: lint, test, build · 12 s");
  const std::string narrow = LiveLine(running, 0, {false, 30});
  EXPECT_EQ(narrow, "⠋ 3 running: lint, te… · 12 s");
}

}  // namespace
}  // namespace awf::cli
