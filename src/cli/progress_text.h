// The lines of the live progress, as text. Pure functions: what they show is filtered and masked by the caller.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/run_observer.h"

namespace awf::cli {

struct LineStyle {
  bool color = false;
  int columns = 0;  // lines are cut to one column less; 0: as long as they are
};

std::string FormatDuration(std::chrono::microseconds duration);  // 0.4 ms, 7 ms, 5.1 s, 2m05s, 1h02m
std::string FormatCount(std::int64_t count);                     // 910, 1.2k, 3.4M

std::string StepStartedLine(std::string_view step, StepKind kind, std::string_view provider, const LineStyle& style);
std::string CallLine(std::string_view tool, std::string_view source, const CallEnd& end, std::string_view error,
                     const LineStyle& style);
std::string StepEndedLine(std::string_view step, StepKind kind, const StepEnd& end, std::string_view error,
                          const LineStyle& style);

// What goes on at this moment.
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
  std::size_t frame = 0;  // of the spinner
};
std::string LiveLine(const LiveState& state, const LineStyle& style);

}  // namespace awf::cli
