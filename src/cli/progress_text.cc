#include "cli/progress_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include "domain/terminal_text.h"

namespace awf::cli {
namespace {

using std::chrono::duration_cast;

constexpr std::string_view kPlain, kBold = "1", kDim = "2", kRed = "31", kGreen = "32", kYellow = "33", kCyan = "36";

constexpr int kLeastPath = 12;  // columns that the path of a state gets however narrow the terminal is

struct Piece {
  std::string text;
  std::string_view look;  // SGR parameters
};

std::string Colored(std::string_view text, std::string_view look, bool color) {
  if (!color || look.empty() || text.empty()) return std::string(text);
  return std::string("\x1b[").append(look).append("m").append(text).append("\x1b[0m");
}

std::size_t WidthOf(const std::vector<Piece>& pieces) {
  std::size_t width = 0;
  for (const Piece& piece : pieces) width += DisplayWidth(piece.text);
  return width;
}

// Joins the pieces, cut to the width of the terminal: one column stays free, so that no terminal wraps the line.
std::string Join(const std::vector<Piece>& pieces, const LineStyle& style) {
  const std::size_t width = WidthOf(pieces);
  const bool fits = style.columns <= 0 || width < static_cast<std::size_t>(style.columns);
  std::size_t room = fits ? width : static_cast<std::size_t>(std::max(style.columns - 2, 0));
  std::string line;
  for (const Piece& piece : pieces) {
    const std::string_view shown = ColumnsPrefix(piece.text, room);
    line += Colored(shown, piece.look, style.color);
    room -= DisplayWidth(shown);
    if (shown.size() < piece.text.size()) break;
  }
  return fits ? line : line + "…";
}

std::string Decimal(double value, const char* unit) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f%s", value, unit);
  return text.data();
}

std::string Times(int count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

std::string Tokens(const TokenUsage& usage) {
  return (usage.estimated ? "≈" : "") + FormatCount(usage.input) + " in, " + FormatCount(usage.output) + " out";
}

}  // namespace

std::string FormatCount(std::int64_t count) {
  if (count < 1000) return std::to_string(count);
  if (count < 999'950) return Decimal(static_cast<double>(count) / 1000, "k");
  return Decimal(static_cast<double>(count) / 1'000'000, "M");
}

std::string LocalTime(WallClock::time_point time, const char* format) {
  const std::time_t seconds = WallClock::to_time_t(time);
  std::tm calendar{};
  ::localtime_r(&seconds, &calendar);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &calendar)};
}

std::string ShortPath(std::string_view path, const LineStyle& style) {
  const auto room = static_cast<std::size_t>(std::max(style.columns / 2, kLeastPath));
  const bool ascii = std::ranges::all_of(path, [](char c) { return c >= ' ' && c <= '~'; });
  if (style.columns <= 0 || path.size() <= room || !ascii) return std::string(path);
  return "…" + std::string(path.substr(path.size() - room + 1));
}

std::string StepStartedLine(std::string_view step, StepKind kind, std::string_view who, const LineStyle& style) {
  std::vector<Piece> pieces{{"→ ", kCyan}, {ShortPath(step, style), kBold}};
  if (kind != StepKind::kCommand) {
    pieces.push_back({" (" + std::string(ToString(kind)) + (who.empty() ? "" : ", " + std::string(who)) + ")", kDim});
  }
  return Join(pieces, style);
}

std::string CallLine(std::string_view whose, std::string_view tool, std::string_view source, const CallEnd& end,
                     std::string_view error, const LineStyle& style) {
  const bool ok = end.outcome == CallOutcome::kOk;
  const bool mild = end.outcome == CallOutcome::kCancelled || end.outcome == CallOutcome::kDenied;
  const std::string_view look = ok ? kGreen : mild ? kYellow : kRed;
  std::vector<Piece> pieces{{ok ? "  ✓ " : "  ✗ ", look}};
  if (!whose.empty()) pieces.push_back({"[" + ShortPath(whose, style) + "] ", kDim});
  pieces.push_back({std::string(tool), kPlain});
  if (source != kBuiltinSource) pieces.push_back({" [" + std::string(source) + "]", kDim});
  pieces.push_back({" " + DurationText(end.duration), kDim});
  if (!ok) pieces.push_back({"  " + std::string(error.empty() ? ToString(end.outcome) : error), look});
  return Join(pieces, style);
}

std::string RetryLine(std::string_view step, const StepRetry& retry, int of, std::string_view error,
                      const LineStyle& style) {
  std::string text = ": attempt " + std::to_string(retry.attempt);
  if (of > 0) text += " of " + std::to_string(of);
  if (retry.delay.count() > 0) text += " in " + DurationText(retry.delay);
  return Join({{"↻ ", kYellow}, {ShortPath(step, style), kBold}, {text, kPlain}, {": " + std::string(error), kDim}},
              style);
}

std::string StepEndedLine(std::string_view step, StepKind kind, const StepEnd& end, int passes, std::string_view error,
                          const LineStyle& style) {
  const bool ok = end.status == StepStatus::kSuccess;
  const bool mild = end.status == StepStatus::kCancelled || end.status == StepStatus::kSkipped;
  std::vector<Piece> pieces{{ok ? "✓ " : "✗ ", ok ? kGreen : mild ? kYellow : kRed}, {ShortPath(step, style), kBold}};
  if (kind != StepKind::kTerminal) {
    const bool told = ok || end.status == StepStatus::kFailure;
    pieces.push_back(
        {" (" + (told ? "" : std::string(ToString(end.status)) + ", ") + DurationText(end.duration) + ")", kDim});
  }
  if (passes > 0) pieces.push_back({" · " + std::to_string(passes) + (passes == 1 ? " pass" : " passes"), kDim});
  if (end.attempts > 1) pieces.push_back({" · " + Times(end.attempts, "attempt"), kDim});
  if (end.tool_calls > 0) pieces.push_back({" · " + Times(end.tool_calls, "call"), kDim});
  if (end.usage.input > 0 || end.usage.output > 0) pieces.push_back({" · " + Tokens(end.usage), kDim});
  if (end.isolation) {
    const bool proven = *end.isolation == IsolationLevel::kProven;
    pieces.push_back({" · isolation: " + std::string(ToString(*end.isolation)), proven ? kDim : kYellow});
  }
  if (end.sandbox == "degraded") pieces.push_back({" · sandbox: degraded", kYellow});
  // How isolated the step was is never cut, the terminal may wrap it. Its error is: the records have all of it.
  LineStyle wide = style;
  if (style.columns > 0) wide.columns = std::max(style.columns, static_cast<int>(WidthOf(pieces)) + 2);
  if (!error.empty()) pieces.push_back({"  " + std::string(error), mild ? kDim : kRed});
  return Join(pieces, wide);
}

std::string NoteLine(std::string_view text, const LineStyle& style) {
  return Join({{"… " + std::string(text), kDim}}, style);
}

namespace {

// Whole seconds: a display that changes ten times a second cannot be read.
std::string Whole(std::chrono::milliseconds elapsed) {
  const auto seconds = duration_cast<std::chrono::seconds>(elapsed);
  return seconds.count() < 60 ? std::to_string(seconds.count()) + " s" : DurationText(seconds);
}

std::string Spinner(std::size_t frame) {
  static constexpr std::array<const char*, 10> kFrames = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
  return std::string(kFrames[frame % kFrames.size()]) + " ";
}

std::vector<Piece> OneState(const LiveState& state, const LineStyle& style) {
  std::vector<Piece> pieces{{ShortPath(state.step, style), kBold}, {" " + Whole(state.elapsed), kDim}};
  if (state.wait) {
    pieces.push_back({" · attempt " + std::to_string(state.attempt) + " in " + Whole(*state.wait), kYellow});
    return pieces;
  }
  if (state.attempt > 1) pieces.push_back({" · attempt " + std::to_string(state.attempt), kYellow});
  if (!state.calls.empty()) {
    const LiveState::Call& oldest = state.calls.front();
    std::string text = " · " + oldest.tool + " " + Whole(oldest.elapsed);
    if (state.calls.size() > 1) text += " +" + std::to_string(state.calls.size() - 1);
    pieces.push_back({std::move(text), kPlain});
  }
  if (state.calls_ended > 0) pieces.push_back({" · " + Times(state.calls_ended, "call"), kDim});
  if (state.tokens.input > 0 || state.tokens.output > 0) pieces.push_back({" · " + Tokens(state.tokens), kDim});
  return pieces;
}

// "3 running: lint, test, build · 12 s": how many and how long always stays, the names get what is left.
std::vector<Piece> SeveralStates(const std::vector<LiveState>& running, const LineStyle& style) {
  std::string names;
  for (const LiveState& state : running) names += (names.empty() ? "" : ", ") + state.step;
  const std::string head = std::to_string(running.size()) + " running: ";
  const std::string tail = " · " + Whole(running.front().elapsed);
  if (style.columns > 0) {
    const auto taken = static_cast<int>(DisplayWidth(head) + DisplayWidth(tail)) + 3;  // spinner, one column free
    names = FitColumns(names, static_cast<std::size_t>(std::max(style.columns - taken, 1)));
  }
  return {{head, kPlain}, {names, kBold}, {tail, kDim}};
}

}  // namespace

std::string LiveLine(const std::vector<LiveState>& running, std::size_t frame, const LineStyle& style) {
  std::vector<Piece> pieces = running.size() == 1 ? OneState(running.front(), style) : SeveralStates(running, style);
  pieces.insert(pieces.begin(), {Spinner(frame), kCyan});
  return Join(pieces, style);
}

}  // namespace awf::cli
