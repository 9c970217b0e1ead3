#include "infrastructure/builtins/grep_pattern.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "domain/utf8.h"

namespace awf::builtins {
namespace {

// One byte is too frequent to be worth leaving the block at every place.
constexpr std::size_t kShortestLiteral = 2;

bool IsValidText(std::string_view text) { return AllAscii(text) || IsValidUtf8(text); }

// The longest part of a literal of which the case can be folded byte by byte. Not k and s: U+212A (Kelvin) and U+017F
// (long s) are their other cases, too.
std::string FoldablePart(std::string_view literal) {
  constexpr std::string_view kNotFoldable = "kKsS";
  std::string_view best;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= literal.size(); ++i) {
    const bool foldable = i < literal.size() && static_cast<unsigned char>(literal[i]) < 0x80 &&
                          kNotFoldable.find(literal[i]) == std::string_view::npos;
    if (foldable) continue;
    if (i - begin > best.size()) best = literal.substr(begin, i - begin);
    begin = i + 1;
  }
  return std::string(best);
}

// A flag group like (?-m) or (?s-m:…).
bool SwitchesFlagsOff(std::string_view pattern) {
  for (std::size_t i = pattern.find("(?"); i != std::string_view::npos; i = pattern.find("(?", i + 2)) {
    const std::size_t end = pattern.find_first_not_of("imsU", i + 2);
    if (end != std::string_view::npos && pattern[end] == '-') return true;
  }
  return false;
}

bool Mentions(std::string_view pattern, std::string_view text) { return pattern.find(text) != std::string_view::npos; }

}  // namespace

std::string_view WithoutCr(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::expected<GrepPattern, RegexFault> GrepPattern::Compile(const RegexCompiler& compiler, std::string_view pattern,
                                                            const GrepPatternOptions& options) {
  RegexOptions regex{.case_insensitive = options.case_insensitive};
  auto utf8 = compiler.Compile(pattern, regex);
  if (!utf8) return std::unexpected(std::move(utf8.error()));
  GrepPattern compiled;
  compiled.utf8_ = std::move(*utf8);
  regex.latin1 = true;
  if (auto bytes = compiler.Compile(pattern, regex)) compiled.bytes_ = std::move(*bytes);

  std::string literal = compiled.utf8_->RequiredLiteral();
  if (options.case_insensitive) {
    const auto sensitive = compiler.Compile(pattern, {});
    literal = sensitive ? FoldablePart((*sensitive)->RequiredLiteral()) : std::string();
  }
  compiled.only_literal_ = literal == pattern && compiler.Quote(pattern) == pattern;
  compiled.literal_ = LiteralSearch(std::move(literal), options.case_insensitive);
  compiled.multiline_ = options.multiline;
  compiled.mentions_cr_ = Mentions(pattern, "\r") || Mentions(pattern, "\\r");
  compiled.has_end_anchor_ = Mentions(pattern, "$");
  compiled.has_text_anchor_ = Mentions(pattern, "\\A") || Mentions(pattern, "\\z") || SwitchesFlagsOff(pattern);
  return compiled;
}

void LineMatcher::Start(std::string_view lines) {
  lines_ = lines;
  const GrepPattern& p = pattern_;
  if (p.only_literal_ || p.literal_.literal().size() >= kShortestLiteral) {
    mode_ = Mode::kLiteral;
  } else if (p.has_text_anchor_ || (p.has_end_anchor_ && lines.find('\r') != std::string_view::npos) ||
             !IsValidText(lines)) {
    mode_ = Mode::kLine;
  } else {
    mode_ = Mode::kBlock;
  }
}

std::optional<LineSpan> LineMatcher::Next(std::size_t from) {
  if (from > lines_.size()) return std::nullopt;
  switch (mode_) {
    case Mode::kLiteral:
      return NextByLiteral(from);
    case Mode::kBlock:
      return NextByBlock(from);
    case Mode::kLine:
      return NextByLine(from);
  }
  return std::nullopt;
}

std::optional<LineSpan> LineMatcher::NextByLiteral(std::size_t from) {
  while (from <= lines_.size()) {
    const std::size_t place = pattern_.literal_.Find(lines_, from);
    if (place == std::string_view::npos) return std::nullopt;
    const LineSpan line = LineAround(place);
    if (pattern_.only_literal_ || Matches(lines_.substr(line.begin, line.end - line.begin))) return line;
    from = line.end + 1;
  }
  return std::nullopt;
}

// The leftmost match in the block cannot begin behind the first line that matches by itself: a match within a line is
// one within the block, too. One that takes the end of its line in has to be tried again on the line alone.
std::optional<LineSpan> LineMatcher::NextByBlock(std::size_t from) {
  const Regex& regex = pattern_.RegexFor(true);
  while (from <= lines_.size() && regex.Find(lines_, from, groups_)) {
    const LineSpan line = LineAround(groups_[0].begin);
    const std::string_view text = lines_.substr(line.begin, line.end - line.begin);
    if (groups_[0].end <= line.begin + WithoutCr(text).size() || Matches(text)) return line;
    from = line.end + 1;
  }
  return std::nullopt;
}

std::optional<LineSpan> LineMatcher::NextByLine(std::size_t from) {
  while (from <= lines_.size()) {
    const LineSpan line{from, std::min(lines_.find('\n', from), lines_.size())};
    if (Matches(lines_.substr(line.begin, line.end - line.begin))) return line;
    from = line.end + 1;
  }
  return std::nullopt;
}

LineSpan LineMatcher::LineAround(std::size_t place) const {
  const void* before = ::memrchr(lines_.data(), '\n', place);
  const std::size_t begin =
      before == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(before) - lines_.data()) + 1;
  return {begin, std::min(lines_.find('\n', place), lines_.size())};
}

bool LineMatcher::Matches(std::string_view line) const {
  line = WithoutCr(line);
  return pattern_.RegexFor(IsValidText(line)).Contains(line);
}

RegexGroup LineMatcher::FirstMatch(std::string_view line) {
  line = WithoutCr(line);
  if (!pattern_.RegexFor(IsValidText(line)).Find(line, 0, groups_)) return {0, 0};
  return groups_[0];
}

}  // namespace awf::builtins
