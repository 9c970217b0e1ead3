// EscapeFilter: takes terminal escape sequences (colours, titles, cursor moves) out of bytes that come in pieces.
// A passive object for one thread.
#pragma once

#include <string>
#include <string_view>

namespace awf::builtins {

class EscapeFilter {
 public:
  // Appends what is no part of a sequence to `out`. A line feed ends a sequence that was never finished, so that one
  // stray byte does not swallow the rest of the output.
  void Take(std::string_view bytes, std::string& out);

 private:
  enum class State { kText, kEscape, kIntermediate, kControl, kString, kStringEscape };

  void TakeByte(char c, std::string& out);

  State state_ = State::kText;
};

}  // namespace awf::builtins
