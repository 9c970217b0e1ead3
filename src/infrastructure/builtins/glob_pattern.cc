#include "infrastructure/builtins/glob_pattern.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "domain/utf8.h"

namespace awf::builtins {
namespace {

constexpr std::size_t kMaxPattern = 8192;       // bytes
constexpr std::size_t kMaxAlternatives = 1024;  // of all braces together
constexpr std::size_t kMaxSegments = 63;        // positions of a pattern fit into 64 bits

// A byte that is not UTF-8 becomes a value that no character has.
constexpr char32_t kBadByte = 0x110000;

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kNamedSets = {{
    {"alnum", "azAZ09"},
    {"alpha", "azAZ"},
    {"blank", "  \t\t"},
    {"cntrl", "\x01\x1f\x7f\x7f"},
    {"digit", "09"},
    {"graph", "!~"},
    {"lower", "az"},
    {"print", " ~"},
    {"punct", "!/:@[`{~"},
    {"space", "  \t\r"},
    {"upper", "AZ"},
    {"xdigit", "09afAF"},
}};

char32_t NextCharacter(std::string_view text, std::size_t& position) {
  const Utf8Step step = StepUtf8(text, position);
  const auto byte = static_cast<unsigned char>(text[position]);
  position += step.valid ? step.length : 1;
  return step.valid ? step.code : kBadByte + byte;
}

char32_t Folded(char32_t c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }
char32_t Unfolded(char32_t c) { return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c; }

bool SameText(std::string_view a, std::string_view b, bool ignore_case) {
  if (a.size() != b.size()) return false;
  if (!ignore_case) return a == b;
  return std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
    return Folded(static_cast<unsigned char>(x)) == Folded(static_cast<unsigned char>(y));
  });
}

// The index behind the "]" of the set that begins at `begin`, or npos when there is none.
std::size_t EndOfSet(std::string_view pattern, std::size_t begin) {
  std::size_t i = begin + 1;
  if (i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^')) ++i;
  bool first = true;
  while (i < pattern.size()) {
    if (pattern[i] == ']' && !first) return i + 1;
    first = false;
    if (pattern[i] == '\\') {
      i += 2;
    } else if (pattern[i] == '[' && i + 1 < pattern.size() && pattern[i + 1] == ':') {
      const std::size_t end = pattern.find(":]", i + 2);
      i = end == std::string_view::npos ? i + 1 : end + 2;
    } else {
      ++i;
    }
  }
  return std::string_view::npos;
}

// The next index at which the text is neither escaped nor inside a set.
std::size_t SkipOne(std::string_view pattern, std::size_t i) {
  if (pattern[i] == '\\') return std::min(i + 2, pattern.size());
  if (pattern[i] == '[') {
    const std::size_t end = EndOfSet(pattern, i);
    return end == std::string_view::npos ? i + 1 : end;
  }
  return i + 1;
}

struct Braces {
  std::size_t begin = 0, end = 0;  // of "{…}"
  std::vector<std::string_view> choices;
};

// The first pair of braces, or nothing. `unbalanced` is set when a "{" has no "}".
std::optional<Braces> FirstBraces(std::string_view pattern, bool& unbalanced) {
  std::size_t i = 0;
  while (i < pattern.size() && pattern[i] != '{') i = SkipOne(pattern, i);
  if (i >= pattern.size()) return std::nullopt;
  Braces braces;
  braces.begin = i;
  std::size_t depth = 0, choice = i + 1;
  while (i < pattern.size()) {
    const char c = pattern[i];
    if (c == '{') ++depth;
    if (c == ',' && depth == 1) {
      braces.choices.push_back(pattern.substr(choice, i - choice));
      choice = i + 1;
    }
    if (c == '}' && --depth == 0) {
      braces.choices.push_back(pattern.substr(choice, i - choice));
      braces.end = i + 1;
      return braces;
    }
    i = SkipOne(pattern, i);
  }
  unbalanced = true;
  return std::nullopt;
}

std::expected<std::vector<std::string>, std::string> ExpandBraces(std::string_view pattern) {
  std::vector<std::string> expanded;
  std::vector<std::string> pending{std::string(pattern)};  // a stack; the next one is at the end
  while (!pending.empty()) {
    std::string current = std::move(pending.back());
    pending.pop_back();
    bool unbalanced = false;
    const std::optional<Braces> braces = FirstBraces(current, unbalanced);
    if (unbalanced) return std::unexpected("\"{\" without \"}\"");
    if (!braces) {
      expanded.push_back(std::move(current));
      continue;
    }
    if (expanded.size() + pending.size() + braces->choices.size() > kMaxAlternatives)
      return std::unexpected("more than " + std::to_string(kMaxAlternatives) + " alternatives");
    const std::string_view text = current;
    for (auto choice = braces->choices.rbegin(); choice != braces->choices.rend(); ++choice) {
      std::string one(text.substr(0, braces->begin));
      one.append(*choice).append(text.substr(braces->end));
      pending.push_back(std::move(one));
    }
  }
  return expanded;
}

}  // namespace

// Turns the text of one alternative into segments.
class GlobCompiler {
 public:
  GlobCompiler(std::string_view pattern, const GlobOptions& options) : pattern_(pattern), options_(options) {}

  std::expected<GlobPath, std::string> Compile() {
    if (pattern_.starts_with('/')) path_.absolute_ = true;
    while (position_ < pattern_.size() && error_.empty()) Step();
    EndSegment();
    if (!error_.empty()) return std::unexpected(error_);
    path_.folders_only_ = pattern_.ends_with('/') && !path_.segments_.empty();
    if (!path_.segments_.empty() && path_.segments_.back().any_folders()) {
      source_ = "*";
      Push(Token::Kind::kAnyText, 0);
      EndSegment();
    }
    if (path_.segments_.size() > kMaxSegments) return std::unexpected("more than 63 folders");
    return std::move(path_);
  }

 private:
  using Token = GlobSegment::Token;

  void Step() {
    const std::size_t begin = position_;
    const char c = pattern_[position_];
    if (c == '/') {
      ++position_;
      EndSegment();
      return;
    }
    if (c == '\\') {
      ++position_;
      if (position_ == pattern_.size()) {
        error_ = "\"\\\" at the end";
        return;
      }
      if (pattern_[position_] == '/') return;  // a slash stays a slash
      Push(Token::Kind::kCharacter, NextCharacter(pattern_, position_));
      escaped_ = true;
    } else if (c == '*') {
      ++position_;
      if (segment_.tokens_.empty() || segment_.tokens_.back().kind != Token::Kind::kAnyText)
        Push(Token::Kind::kAnyText, 0);
    } else if (c == '?') {
      ++position_;
      Push(Token::Kind::kAnyCharacter, 0);
    } else if (c == '[' && !options_.literal_brackets) {
      ReadSet();
    } else {
      Push(Token::Kind::kCharacter, NextCharacter(pattern_, position_));
    }
    source_.append(pattern_.substr(begin, position_ - begin));
  }

  void Push(Token::Kind kind, char32_t value) { segment_.tokens_.push_back({kind, value}); }

  char32_t SetCharacter() {
    if (pattern_[position_] == '\\' && position_ + 1 < pattern_.size()) ++position_;
    return NextCharacter(pattern_, position_);
  }

  bool ReadNamedSet(GlobSegment::CharacterSet& set) {
    if (pattern_.substr(position_, 2) != "[:") return false;
    const std::size_t end = pattern_.find(":]", position_ + 2);
    if (end == std::string_view::npos) return false;
    const std::string_view name = pattern_.substr(position_ + 2, end - position_ - 2);
    const auto* found = std::ranges::find(kNamedSets, name, &std::pair<std::string_view, std::string_view>::first);
    if (found == kNamedSets.end()) {
      error_ = "unknown set [:" + std::string(name) + ":]";
      return true;
    }
    for (std::size_t i = 0; i + 1 < found->second.size(); i += 2) {
      set.ranges.emplace_back(static_cast<unsigned char>(found->second[i]),
                              static_cast<unsigned char>(found->second[i + 1]));
    }
    position_ = end + 2;
    return true;
  }

  void ReadSet() {
    const std::size_t end = EndOfSet(pattern_, position_);
    if (end == std::string_view::npos) {
      error_ = "\"[\" without \"]\"";
      return;
    }
    GlobSegment::CharacterSet set;
    ++position_;
    if (pattern_[position_] == '!' || pattern_[position_] == '^') {
      set.negated = true;
      ++position_;
    }
    while (position_ < end - 1) {
      if (ReadNamedSet(set)) {
        if (!error_.empty()) return;
        continue;
      }
      const char32_t low = SetCharacter();
      char32_t high = low;
      if (position_ + 1 < end - 1 && pattern_[position_] == '-') {
        ++position_;
        high = SetCharacter();
      }
      if (high < low) {
        error_ = "a range that runs backwards";
        return;
      }
      set.ranges.emplace_back(low, high);
    }
    position_ = end;
    segment_.sets_.push_back(std::move(set));
    Push(Token::Kind::kSet, static_cast<char32_t>(segment_.sets_.size() - 1));
  }

  // Empty segments ("a//b") and "." mean nothing.
  void EndSegment() {
    if (!segment_.tokens_.empty() && (source_ != "." || escaped_)) {
      const bool any_folders = source_ == "**";
      if (!any_folders) {
        Classify();
        path_.segments_.push_back(std::move(segment_));
      } else if (path_.segments_.empty() || !path_.segments_.back().any_folders()) {
        path_.segments_.push_back(GlobSegment::AnyFolders());
      }
    }
    segment_ = GlobSegment();
    source_.clear();
    escaped_ = false;
  }

  // Most segments are a plain name or "*.suffix"; those need no tokens.
  void Classify() {
    segment_.ignore_case_ = options_.ignore_case;
    std::vector<Token>& tokens = segment_.tokens_;
    const bool star = tokens.front().kind == Token::Kind::kAnyText;
    const auto rest = tokens.begin() + (star ? 1 : 0);
    const bool plain =
        std::all_of(rest, tokens.end(), [](const Token& t) { return t.kind == Token::Kind::kCharacter; });
    if (!plain) {
      segment_.kind_ = GlobSegment::Kind::kGeneral;
      return;
    }
    std::for_each(rest, tokens.end(), [&](const Token& t) { AppendBytes(t.value); });
    segment_.kind_ = star ? GlobSegment::Kind::kSuffix : GlobSegment::Kind::kLiteral;
    tokens.clear();
  }

  void AppendBytes(char32_t c) {
    if (c >= kBadByte) {
      segment_.text_.push_back(static_cast<char>(static_cast<unsigned char>(c - kBadByte)));
    } else {
      AppendUtf8(segment_.text_, c);
    }
  }

  std::string_view pattern_;
  const GlobOptions& options_;
  std::size_t position_ = 0;
  GlobSegment segment_;
  std::string source_;  // text of the segment so far
  bool escaped_ = false;
  GlobPath path_;
  std::string error_;
};

GlobSegment GlobSegment::AnyFolders() {
  GlobSegment segment;
  segment.kind_ = Kind::kAnyFolders;
  return segment;
}

bool GlobSegment::Matches(std::string_view name) const {
  switch (kind_) {
    case Kind::kAnyFolders:
      return true;
    case Kind::kLiteral:
      return SameText(name, text_, ignore_case_);
    case Kind::kSuffix:
      return name.size() >= text_.size() && SameText(name.substr(name.size() - text_.size()), text_, ignore_case_);
    case Kind::kGeneral:
      return MatchesGeneral(name);
  }
  return false;
}

bool GlobSegment::MatchesOne(const Token& token, char32_t c) const {
  switch (token.kind) {
    case Token::Kind::kCharacter:
      return ignore_case_ ? Folded(token.value) == Folded(c) : token.value == c;
    case Token::Kind::kAnyCharacter:
      return true;
    case Token::Kind::kAnyText:
      return false;
    case Token::Kind::kSet: {
      const CharacterSet& set = sets_[token.value];
      const auto holds = [&](char32_t x) {
        return std::ranges::any_of(set.ranges, [x](const auto& r) { return r.first <= x && x <= r.second; });
      };
      const bool in = holds(c) || (ignore_case_ && (holds(Folded(c)) || holds(Unfolded(c))));
      return in != set.negated;
    }
  }
  return false;
}

// Going back to the last "*" only is enough, so the time is at most name × pattern.
bool GlobSegment::MatchesGeneral(std::string_view name) const {
  std::size_t at = 0, token = 0;
  std::size_t retry_at = 0, retry_token = std::string_view::npos;
  while (at < name.size()) {
    if (token < tokens_.size() && tokens_[token].kind == Token::Kind::kAnyText) {
      retry_token = ++token;
      retry_at = at;
      continue;
    }
    std::size_t next = at;
    const char32_t c = NextCharacter(name, next);
    if (token < tokens_.size() && MatchesOne(tokens_[token], c)) {
      at = next;
      ++token;
      continue;
    }
    if (retry_token == std::string_view::npos) return false;
    NextCharacter(name, retry_at);
    at = retry_at;
    token = retry_token;
  }
  while (token < tokens_.size() && tokens_[token].kind == Token::Kind::kAnyText) ++token;
  return token == tokens_.size();
}

std::uint64_t GlobPath::Close(std::uint64_t positions) const {
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if ((positions & bit) != 0 && segments_[i].any_folders()) positions |= bit << 1;
  }
  return positions;
}

std::uint64_t GlobPath::Advance(std::uint64_t positions, std::string_view name, bool* named) const {
  std::uint64_t next = 0;
  *named = false;
  for (std::uint64_t left = positions; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    if (i >= segments_.size()) break;
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (segments_[i].any_folders()) {
      next |= bit;
    } else if (segments_[i].Matches(name)) {
      next |= bit << 1;
      if (segments_[i].literal()) *named = true;
    }
  }
  return Close(next);
}

bool GlobPath::Matches(std::string_view path) const {
  if (folders_only_ || segments_.empty()) return false;
  if (segments_.size() == 2 && segments_[0].any_folders()) {  // "**/x": the common case
    const std::size_t slash = path.rfind('/');
    return segments_[1].Matches(slash == std::string_view::npos ? path : path.substr(slash + 1));
  }
  std::uint64_t positions = Close(1);
  bool named = false;
  for (std::size_t begin = 0; begin <= path.size() && positions != 0;) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    positions = Advance(positions, path.substr(begin, end - begin), &named);
    begin = end + 1;
  }
  return (positions >> segments_.size()) != 0;
}

GlobReach GlobPath::ReachOf(std::string_view folder) const {
  if (segments_.empty()) return GlobReach::kNone;
  std::uint64_t positions = Close(1);
  bool named = false;
  for (std::size_t begin = 0; begin <= folder.size() && positions != 0 && !folder.empty();) {
    const std::size_t end = std::min(folder.find('/', begin), folder.size());
    positions = Advance(positions, folder.substr(begin, end - begin), &named);
    begin = end + 1;
  }
  const std::uint64_t complete = std::uint64_t{1} << segments_.size();
  if ((positions & ~complete) == 0) return GlobReach::kNone;
  return named ? GlobReach::kNamed : GlobReach::kBelow;
}

std::size_t GlobPath::LiteralLead() const {
  std::size_t count = 0;
  while (count + 1 < segments_.size() && segments_[count].literal()) ++count;
  return count;
}

GlobPath GlobPath::WithoutLead(std::size_t count) const {
  GlobPath rest = *this;
  rest.segments_.erase(rest.segments_.begin(), rest.segments_.begin() + static_cast<std::ptrdiff_t>(count));
  return rest;
}

std::expected<GlobPattern, std::string> GlobPattern::Compile(std::string_view pattern, const GlobOptions& options) {
  if (pattern.size() > kMaxPattern) return std::unexpected("longer than " + std::to_string(kMaxPattern) + " bytes");
  std::vector<std::string> texts{std::string(pattern)};
  if (options.braces && !options.literal_brackets) {
    auto expanded = ExpandBraces(pattern);
    if (!expanded) return std::unexpected(std::move(expanded.error()));
    texts = std::move(*expanded);
  }
  GlobPattern compiled;
  for (const std::string& text : texts) {
    auto path = GlobCompiler(text, options).Compile();
    if (!path) return std::unexpected(std::move(path.error()));
    compiled.alternatives_.push_back(std::move(*path));
  }
  return compiled;
}

bool GlobPattern::Matches(std::string_view path) const {
  return std::ranges::any_of(alternatives_, [&](const GlobPath& one) { return one.Matches(path); });
}

GlobReach GlobPattern::ReachOf(std::string_view folder) const {
  GlobReach reach = GlobReach::kNone;
  for (const GlobPath& one : alternatives_) {
    reach = std::max(reach, one.ReachOf(folder));
    if (reach == GlobReach::kNamed) break;
  }
  return reach;
}

}  // namespace awf::builtins
