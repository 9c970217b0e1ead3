// Finding and replacing for Edit: one pass from left to right over bytes, literal or by regular expression.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "domain/regex.h"

namespace awf::builtins {

// What stands in for a match: text, and the groups that it names.
class Replacement {
 public:
  // All of `text` is literal.
  static Replacement Literal(std::string_view text);
  // `\1` to `\9` name groups; every other backslash and `$` is literal.
  static Replacement WithGroups(std::string_view text);

  int HighestGroup() const;
  void Append(std::string_view source, const std::vector<RegexGroup>& groups, std::string& out) const;

 private:
  struct Part {
    std::string text;
    int group = 0;  // after the text; 0: none
  };
  std::vector<Part> parts_;
};

// Says where the next match at or after `from` is; groups[0] is the whole of it.
using MatchFinder = std::function<bool(std::string_view text, std::size_t from, std::vector<RegexGroup>& groups)>;

MatchFinder FindLiteral(std::string needle);
MatchFinder FindRegex(std::shared_ptr<const Regex> regex);

struct MatchCount {
  std::size_t count = 0;
  std::vector<std::size_t> lines;  // distinct line numbers of the first ones, at most kMostLines + 1
  bool empty_match = false;        // the pattern matched an empty string; counting ended there
  static constexpr std::size_t kMostLines = 20;

  std::string Lines() const;  // "line 2", "lines 1, 3", 20 named at most
};

MatchCount CountMatches(std::string_view text, const MatchFinder& find);

// All matches replaced; none when the result would be longer than `limit`. Matches must not be empty.
std::expected<std::string, std::size_t> ReplaceMatches(std::string_view text, const MatchFinder& find,
                                                       const Replacement& replacement, std::size_t limit);

}  // namespace awf::builtins
