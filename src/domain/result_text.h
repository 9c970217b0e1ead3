// The text of results: valid UTF-8, budgets, notes. The built-in tools and the operations of plugins build their
// answers with this. Pure functions, thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "domain/tool.h"
#include "domain/tool_settings.h"

namespace awf {

// Bad UTF-8, NUL and C0 characters but TAB and LF become U+FFFD. Escape sequences are left alone (Bash strips its own).
std::string CleanText(std::string_view bytes);

// The longest prefix with at most that many characters and bytes, cut between characters.
std::string_view PrefixWithin(std::string_view utf8, std::size_t characters, std::size_t bytes);

// The first `count` lines of a text, with their line feeds; a last one without line feed counts.
std::string_view FirstLines(std::string_view text, std::size_t count);

// How many lines of a result are left when `reserved` are kept free for what stands around them: at least a quarter of
// the budget and one. As good as endless without a limit.
std::size_t LinesLeft(const ResultBudget& budget, std::size_t reserved);

// Notes at the end of a text: an empty line, then each in square brackets on a line of its own.
class Notes {
 public:
  void Add(std::string note) { notes_.push_back(std::move(note)); }  // without brackets
  bool empty() const { return notes_.empty(); }
  std::string Render() const;  // "" when empty, else "\n\n[…]\n[…]" (for a body without final line feed)

 private:
  std::vector<std::string> notes_;
};

// body + notes as a result within the budget; the tool has already cut the body with advice of its own, this is the
// last guard. Never empty: an empty body becomes "(no output)".
ToolResult MakeResult(std::string_view body, const Notes& notes, const ResultBudget& budget, bool is_error = false);

}  // namespace awf
