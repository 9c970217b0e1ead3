// What a Bash command printed, bounded while it runs and cut into the budget at the end.
//
// Per stream: escape sequences out, bytes to valid UTF-8 (characters that are split between reads included), other
// control characters to U+FFFD, head and tail kept. Passive objects for one thread.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "infrastructure/builtins/escape_filter.h"
#include "infrastructure/process/text_stream.h"

namespace awf::builtins {

// Characters and bytes alike.
struct OutputLimits {
  std::size_t head = 0;
  std::size_t tail = 0;
  std::size_t lines = std::numeric_limits<std::size_t>::max();  // a third of them for the head
  std::size_t total() const { return head + tail; }
};
inline constexpr OutputLimits kOutputLimits{10'000, 20'000};
inline constexpr OutputLimits kErrorOutputLimits{3'000, 6'000};

class OutputText {
 public:
  void Take(std::string_view bytes);
  void Finish();

  std::size_t bytes() const { return kept_.bytes(); }
  std::size_t lines() const { return ended_lines_ + (in_line_ ? 1 : 0); }

  // The text without its final line feed, in at most `limits` plus the line that tells how much was cut.
  std::string Show(const OutputLimits& limits) const;

 private:
  void Keep(std::string text);

  EscapeFilter escapes_;
  process::Utf8Stream utf8_;
  process::HeadTail kept_{kOutputLimits.total(), kOutputLimits.tail};
  std::size_t ended_lines_ = 0;
  bool in_line_ = false;
};

struct ShownOutput {
  std::string out, err;
  bool cut = false;
};

// Both streams within `limits`: stderr gets at most a third, unless stdout needs less.
ShownOutput ShowOutput(const OutputText& out, const OutputText& err, const OutputLimits& limits);

}  // namespace awf::builtins
