// GrepPattern: what Grep searches for, compiled once per call; and LineMatcher, which finds the lines that match.
//
// Speed comes from looking at few lines: where the pattern requires a literal, only lines that hold it are shown to the
// regex; else the regex runs over a whole block of lines at once. Lines that are not UTF-8 are matched as bytes, and a
// CR before the line feed does not belong to the line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/regex.h"
#include "infrastructure/builtins/literal_search.h"

namespace awf::builtins {

struct GrepPatternOptions {
  bool case_insensitive = false;
  bool multiline = false;
};

// Constant, thread-safe.
class GrepPattern {
 public:
  static std::expected<GrepPattern, RegexFault> Compile(const RegexCompiler& compiler, std::string_view pattern,
                                                        const GrepPatternOptions& options);

  bool multiline() const { return multiline_; }
  // The pattern speaks of CR itself: line ends are left as they are in a multi-line search.
  bool mentions_cr() const { return mentions_cr_; }

  // Text that is UTF-8 or not. Both look at the text as it is, line ends included.
  const Regex& RegexFor(bool is_utf8) const { return is_utf8 || !bytes_ ? *utf8_ : *bytes_; }
  // What every match contains; may be empty.
  const LiteralSearch& literal() const { return literal_; }

 private:
  friend class LineMatcher;
  std::unique_ptr<Regex> utf8_;
  std::unique_ptr<Regex> bytes_;  // Latin-1; absent when the pattern does not compile so
  LiteralSearch literal_;
  bool only_literal_ = false;  // the literal is the whole pattern
  bool multiline_ = false;
  bool mentions_cr_ = false;
  bool has_end_anchor_ = false;   // "$": a CR before the line feed matters
  bool has_text_anchor_ = false;  // \A, \z or switched-off multi-line mode: a block is no substitute for a line
};

struct LineSpan {
  std::size_t begin = 0;
  std::size_t end = 0;  // without the line feed
};

// Used by one thread; the pattern must outlive it.
class LineMatcher {
 public:
  explicit LineMatcher(const GrepPattern& pattern) : pattern_(pattern) {}

  // Complete lines, without the last line feed; at least one line. Must stay valid during the calls of Next.
  void Start(std::string_view lines);
  // The first matching line that begins at or after `from`, the start of a line (or behind the end).
  std::optional<LineSpan> Next(std::size_t from);

  // Where in a matching line the first match stands.
  RegexGroup FirstMatch(std::string_view line);

 private:
  std::optional<LineSpan> NextByLiteral(std::size_t from);
  std::optional<LineSpan> NextByBlock(std::size_t from);
  std::optional<LineSpan> NextByLine(std::size_t from);
  LineSpan LineAround(std::size_t place) const;
  bool Matches(std::string_view line) const;

  enum class Mode : std::uint8_t { kLiteral, kBlock, kLine };
  const GrepPattern& pattern_;
  Mode mode_ = Mode::kLine;
  std::string_view lines_;
  std::vector<RegexGroup> groups_;
};

std::string_view WithoutCr(std::string_view line);

}  // namespace awf::builtins
