// LinePage: picks a page of numbered lines out of a text that comes in pieces, and counts what stands around it.
//
// Memory stays bounded whatever the text is: one line is kept up to its shown width, the page up to its budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "infrastructure/builtins/text_decoding.h"

namespace awf::builtins {

struct PageLimits {
  std::int64_t first = 1;           // number of the first line wanted
  std::int64_t count = 2000;        // lines wanted
  std::size_t line_width = 2000;    // characters of a line
  std::size_t characters = 40'000;  // of the page
  std::size_t bytes = 40'000;
};

// Feed the text, then Finish. Not thread-safe.
class LinePage {
 public:
  explicit LinePage(const PageLimits& limits) : limits_(limits) {}

  void Feed(std::string_view text);
  void Finish();

  // True once no more lines will be shown: what is fed from then on is only counted.
  bool complete() const { return complete_; }

  // True within a line of which no more will be shown.
  bool in_overlong_line() const { return overlong_; }

  const std::string& text() const { return text_; }  // "N<TAB>line", separated by LF
  std::int64_t first_shown() const { return limits_.first; }
  std::int64_t last_shown() const { return last_shown_; }  // 0: none
  std::int64_t lines() const { return lines_; }            // fed so far, a last one without LF included after Finish
  bool empty() const { return !fed_; }
  LineEnds line_ends() const { return ends_.Kind(); }

  const std::vector<std::int64_t>& cut_lines() const { return cut_lines_; }
  std::size_t bad_bytes() const { return bad_bytes_; }  // not UTF-8, shown as U+FFFD
  std::size_t controls() const { return controls_; }    // control characters shown as U+FFFD

 private:
  void EndLine(bool with_line_feed);
  void Keep(std::string_view piece);
  void Show(bool with_line_feed);
  std::string_view Cleaned(std::string_view line, bool& cut);

  PageLimits limits_;
  std::string line_;  // start of the line being read
  std::string cleaned_;
  bool in_line_ = false;
  bool overlong_ = false;
  std::string text_;
  std::size_t text_characters_ = 0;
  std::int64_t lines_ = 0;
  std::int64_t last_shown_ = 0;
  bool complete_ = false;
  bool fed_ = false;
  LineEndCounter ends_;
  std::vector<std::int64_t> cut_lines_;
  std::size_t bad_bytes_ = 0, controls_ = 0;
};

}  // namespace awf::builtins
