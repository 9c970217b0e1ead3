// The lines of the live progress, as text. Pure functions: what they show is filtered and masked by the caller.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/duration_text.h"
#include "domain/run_observer.h"
#include "domain/time.h"

namespace awf::cli {

struct LineStyle {
  bool color = false;
  int columns = 0;  // lines are cut to one column less; 0: as long as they are
};

std::string FormatCount(std::int64_t count);  // 910, 1.2k, 3.4M

// By the calendar of the user; `format` is strftime's, of at most 31 bytes when filled in.
std::string LocalTime(WallClock::time_point time, const char* format);

// What a path of a state becomes where there is little room: "…42/checks/lint". The end is what tells states apart.
std::string ShortPath(std::string_view path, const LineStyle& style);

// `who`: the provider of an agent step, the operation of an operation step.
std::string StepStartedLine(std::string_view step, StepKind kind, std::string_view who, const LineStyle& style);
// `whose`: the state, where several run at once; may be empty.
std::string CallLine(std::string_view whose, std::string_view tool, std::string_view source, const CallEnd& end,
                     std::string_view error, const LineStyle& style);
// `of`: attempts that the state has at most; 0: not known.
std::string RetryLine(std::string_view step, const StepRetry& retry, int of, std::string_view error,
                      const LineStyle& style);
// `passes`: of loops; 0 elsewhere.
std::string StepEndedLine(std::string_view step, StepKind kind, const StepEnd& end, int passes, std::string_view error,
                          const LineStyle& style);
std::string NoteLine(std::string_view text, const LineStyle& style);  // "… text"

// What goes on at this moment in one state.
struct LiveState {
  std::string step;
  std::chrono::milliseconds elapsed{0};
  struct Call {
    std::string tool;
    std::chrono::milliseconds elapsed{0};
  };
  std::vector<Call> calls;  // running, oldest first
  int calls_ended = 0;
  TokenUsage tokens;
  int attempt = 1;
  std::optional<std::chrono::milliseconds> wait;  // until the next attempt
};
// The states that run, oldest first; one at least. `frame` is of the spinner.
std::string LiveLine(const std::vector<LiveState>& running, std::size_t frame, const LineStyle& style);

}  // namespace awf::cli
