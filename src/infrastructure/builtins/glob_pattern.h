// GlobPattern: a compiled file name pattern, for Glob, for Grep's file filter and for ignore rules.
//
// `*` and `?` match within one component of a path, `[a-z]`, `[!a]`, `[[:digit:]]` one character of a set, `{a,b}`
// either text (which may hold slashes), `\x` the character x itself; `**` as a whole component stands for zero or more
// folders, at the end of a pattern for one or more components. A character is a code point, or one byte that is not
// UTF-8. Matching is case-sensitive unless asked otherwise (ASCII letters only), and never exponential.
//
// Paths are relative, without leading, trailing or double slash. Constant after Compile, so thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace awf::builtins {

struct GlobOptions {
  bool braces = true;             // {a,b}; ignore files do not have them
  bool literal_brackets = false;  // [ ] { } mean themselves
  bool ignore_case = false;
};

// One component of a pattern.
class GlobSegment {
 public:
  static GlobSegment AnyFolders();  // "**"

  bool any_folders() const { return kind_ == Kind::kAnyFolders; }
  // A segment without any wildcard.
  bool literal() const { return kind_ == Kind::kLiteral; }
  // "*": every name.
  bool everything() const { return kind_ == Kind::kSuffix && text_.empty(); }
  // The text of a literal; of "*.go" the ".go"; else empty.
  const std::string& text() const { return text_; }
  bool is_suffix() const { return kind_ == Kind::kSuffix; }

  bool Matches(std::string_view name) const;

 private:
  friend class GlobCompiler;
  enum class Kind : std::uint8_t { kAnyFolders, kLiteral, kSuffix, kGeneral };
  struct CharacterSet {
    bool negated = false;
    std::vector<std::pair<char32_t, char32_t>> ranges;
  };
  struct Token {
    enum class Kind : std::uint8_t { kCharacter, kAnyCharacter, kAnyText, kSet };
    Kind kind = Kind::kCharacter;
    char32_t value = 0;  // the character, or the index of the set
  };

  bool MatchesGeneral(std::string_view name) const;
  bool MatchesOne(const Token& token, char32_t c) const;

  Kind kind_ = Kind::kLiteral;
  bool ignore_case_ = false;
  std::string text_;
  std::vector<Token> tokens_;
  std::vector<CharacterSet> sets_;
};

// What a pattern has to do with a folder.
enum class GlobReach : std::uint8_t {
  kNone,   // nothing below it can match
  kBelow,  // something below it may match
  kNamed,  // the same, and a literal segment of the pattern names this folder
};

// A pattern without alternatives: what one choice from every {a,b} leaves.
class GlobPath {
 public:
  const std::vector<GlobSegment>& segments() const { return segments_; }
  bool absolute() const { return absolute_; }
  bool folders_only() const { return folders_only_; }  // ends with a slash

  bool Matches(std::string_view path) const;
  GlobReach ReachOf(std::string_view folder) const;
  // A match is named when the last segment is literal.
  bool NamesFile() const { return !segments_.empty() && segments_.back().literal(); }

  // The number of leading literal segments, the last segment not counted.
  std::size_t LiteralLead() const;
  // The pattern without its first `count` segments, to be matched relative to the folder that those name.
  GlobPath WithoutLead(std::size_t count) const;

 private:
  friend class GlobCompiler;
  std::uint64_t Advance(std::uint64_t positions, std::string_view name, bool* named) const;
  std::uint64_t Close(std::uint64_t positions) const;

  std::vector<GlobSegment> segments_;  // no two "**" in a row, none at the end; at most 63
  bool absolute_ = false;
  bool folders_only_ = false;
};

class GlobPattern {
 public:
  // The error is the reason alone: `"[" without "]"`.
  static std::expected<GlobPattern, std::string> Compile(std::string_view pattern, const GlobOptions& options = {});

  // Matches what any of them matches.
  explicit GlobPattern(std::vector<GlobPath> alternatives) : alternatives_(std::move(alternatives)) {}
  GlobPattern() = default;  // matches nothing

  const std::vector<GlobPath>& alternatives() const { return alternatives_; }
  bool Matches(std::string_view path) const;
  GlobReach ReachOf(std::string_view folder) const;

 private:
  std::vector<GlobPath> alternatives_;
};

}  // namespace awf::builtins
