// Text from models, commands and clients, made safe for a terminal.
//
// Such text is hostile: escape sequences can hide what was written, rename the window or answer as if typed by the
// user. Sequences are removed with all that belongs to them, single control characters too, direction overrides too;
// bad UTF-8 becomes U+FFFD. Line feeds and tabs stay; a carriage return becomes a line feed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace awf {

// For a stream that comes in pieces. Used by one thread.
class TerminalFilter {
 public:
  std::string Feed(std::string_view piece);
  std::string Flush();  // an incomplete character at the end

 private:
  enum class State { kText, kEscape, kSequence, kString, kStringEscape };
  void Take(char32_t character, std::string_view bytes, std::string& out);
  void TakeText(char32_t character, std::string_view bytes, std::string& out);
  bool TakeSequence(char32_t character);

  State state_ = State::kText;
  bool after_return_ = false;
  std::string incomplete_;
};

// The text as one line: filtered, with line feeds and tabs as spaces, without those at the ends.
std::string PrintableLine(std::string_view text);

// Columns that valid, filtered UTF-8 takes on a terminal: wide characters two, combining ones none.
std::size_t DisplayWidth(std::string_view utf8);

// The longest prefix of at most `columns` columns.
std::string_view ColumnsPrefix(std::string_view utf8, std::size_t columns);

// The text itself, or what fits into `columns` with "…" at the end.
std::string FitColumns(std::string_view utf8, std::size_t columns);

}  // namespace awf
