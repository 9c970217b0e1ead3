#include "domain/secret_shapes.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace awf {
namespace {

constexpr std::size_t kJudged = 64;        // bytes of a key that tell whether it is one
constexpr std::size_t kLongestLabel = 60;  // of a PEM line
constexpr std::size_t kLongestUser = 128;  // of a URL
constexpr std::size_t kLongestPassword = 256;
constexpr std::size_t kLongestHeader = 1024;  // of a JSON web token
constexpr std::size_t kLeastPart = 8;         // of its parts
constexpr std::string_view kPemBegin = "-----BEGIN ", kPemEnd = "-----END ", kPemDashes = "-----";

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsAlnum(char c) { return IsDigit(c) || IsUpper(c) || IsLower(c); }
constexpr bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
constexpr bool IsOneOf(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

constexpr bool BelongsTo(Tail tail, char c) {
  switch (tail) {
    case Tail::kWord:
      return IsAlnum(c) || c == '_';
    case Tail::kDashed:
      return IsAlnum(c) || IsOneOf(c, "_-");
    case Tail::kDotted:
      return IsAlnum(c) || IsOneOf(c, "_-.");
    case Tail::kToken68:
      return IsAlnum(c) || IsOneOf(c, "_-.~+/=");
    case Tail::kCapitals:
      return IsUpper(c) || IsDigit(c);
    case Tail::kNone:
    case Tail::kPem:
      return false;
  }
  return false;
}

constexpr std::array<std::uint8_t, 256> MakeTails() {
  std::array<std::uint8_t, 256> tails{};
  for (std::size_t byte = 0; byte < tails.size(); ++byte) {
    for (const Tail tail : {Tail::kWord, Tail::kDashed, Tail::kDotted, Tail::kToken68, Tail::kCapitals}) {
      if (BelongsTo(tail, static_cast<char>(byte)))
        tails[byte] |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(tail));
    }
  }
  return tails;
}

// For each byte the tails that it belongs to, as bits.
constexpr std::array<std::uint8_t, 256> kTails = MakeTails();

bool InTail(Tail tail, char c) {
  return (kTails[static_cast<unsigned char>(c)] >> static_cast<unsigned>(tail) & 1U) != 0;
}

// A word may begin here. "\n" and "%3D" of an escape end none.
bool AtWordBegin(std::string_view text, std::size_t at) {
  if (at == 0 || !IsAlnum(text[at - 1])) return true;
  if (at >= 2 && text[at - 2] == '\\' && IsOneOf(text[at - 1], "nrt")) return true;
  return at >= 3 && text[at - 3] == '%' && IsHex(text[at - 2]) && IsHex(text[at - 1]);
}

// How much of a key must be seen.
struct Evidence {
  std::size_t with_digit;  // characters, one of them a digit
  std::size_t in_a_row;    // letters and digits without anything between
};

struct Key {
  std::string_view prefix;  // '?' is any small letter
  Tail tail;
  Evidence evidence;
};

constexpr Evidence kUsual{16, 20}, kLong{30, 30};
constexpr std::array kKeys = {Key{"sk-", Tail::kDashed, kUsual},       Key{"ghp_", Tail::kWord, kUsual},
                              Key{"gho_", Tail::kWord, kUsual},        Key{"ghu_", Tail::kWord, kUsual},
                              Key{"ghs_", Tail::kDotted, kUsual},      Key{"ghr_", Tail::kWord, kUsual},
                              Key{"github_pat_", Tail::kWord, kUsual}, Key{"glpat-", Tail::kDashed, kUsual},
                              Key{"xox?-", Tail::kDashed, {10, 20}},   Key{"xapp-", Tail::kDashed, {10, 20}},
                              Key{"AKIA", Tail::kCapitals, {16, 16}},  Key{"ASIA", Tail::kCapitals, {16, 16}},
                              Key{"AIza", Tail::kDashed, kLong},       Key{"npm_", Tail::kWord, kLong},
                              Key{"hf_", Tail::kWord, kLong}};

// Reads the text from `at` on as the tail of a key until that is known to be one, at most kJudged bytes.
ShapeFound Judge(std::string_view text, std::size_t at, Tail tail, const Evidence& needed, bool final, Shape& shape) {
  bool digit = false;
  std::size_t row = 0;
  const std::size_t begin = at, limit = at + kJudged;
  for (; at < text.size() && at < limit && InTail(tail, text[at]); ++at) {
    digit = digit || IsDigit(text[at]);
    row = IsAlnum(text[at]) ? row + 1 : 0;
    if (row < needed.in_a_row && (!digit || at + 1 - begin < needed.with_digit)) continue;
    shape.end = at + 1;
    shape.tail = tail;
    return ShapeFound::kYes;
  }
  return at == text.size() && at < limit && !final ? ShapeFound::kUndecided : ShapeFound::kNo;
}

ShapeFound MatchKey(const Key& key, std::string_view text, std::size_t at, bool final, Shape& shape) {
  const std::string_view rest = text.substr(at);
  const std::size_t length = std::min(rest.size(), key.prefix.size());
  for (std::size_t i = 0; i < length; ++i) {
    if (key.prefix[i] == '?' ? !IsLower(rest[i]) : key.prefix[i] != rest[i]) return ShapeFound::kNo;
  }
  if (length < key.prefix.size()) return final ? ShapeFound::kNo : ShapeFound::kUndecided;
  shape.begin = at;
  return Judge(text, at + length, key.tail, key.evidence, final, shape);
}

ShapeFound MatchKeys(std::string_view text, std::size_t at, bool final, Shape& shape) {
  ShapeFound found = ShapeFound::kNo;
  for (const Key& key : kKeys) {
    if (key.prefix[0] != text[at]) continue;
    found = std::max(found, MatchKey(key, text, at, final, shape));
    if (found == ShapeFound::kYes) return found;
  }
  return found;
}

ShapeFound MatchBearer(std::string_view text, std::size_t at, bool final, Shape& shape) {
  static constexpr std::string_view kWord = "bearer";
  constexpr std::size_t kMostBlanks = 8;
  std::size_t next = at;
  for (; next < text.size() && next < at + kWord.size(); ++next) {
    const char lower = IsUpper(text[next]) ? static_cast<char>(text[next] - 'A' + 'a') : text[next];
    if (lower != kWord[next - at]) return ShapeFound::kNo;
  }
  const std::size_t word_end = next;
  while (next < text.size() && next < word_end + kMostBlanks && text[next] == ' ') ++next;
  if (next == text.size()) return final ? ShapeFound::kNo : ShapeFound::kUndecided;
  if (next == word_end) return ShapeFound::kNo;
  shape.begin = next;
  return Judge(text, next, Tail::kToken68, {8, 20}, final, shape);
}

ShapeFound MatchPem(std::string_view text, std::size_t at, bool final, Shape& shape) {
  const auto more = final ? ShapeFound::kNo : ShapeFound::kUndecided;
  const std::string_view rest = text.substr(at);
  if (!rest.starts_with(kPemBegin)) return kPemBegin.starts_with(rest) ? more : ShapeFound::kNo;
  std::size_t end = kPemBegin.size();
  const std::size_t limit = end + kLongestLabel;
  while (end < rest.size() && end < limit && (IsUpper(rest[end]) || IsDigit(rest[end]) || rest[end] == ' ')) ++end;
  const std::string_view label = rest.substr(0, end), dashes = rest.substr(end, kPemDashes.size());
  if (!dashes.empty() && !label.ends_with("PRIVATE KEY") && !label.ends_with("PRIVATE KEY BLOCK"))
    return ShapeFound::kNo;
  if (end == limit || !kPemDashes.starts_with(dashes)) return ShapeFound::kNo;
  if (dashes.size() < kPemDashes.size()) return more;
  shape = {at, at + end + dashes.size(), Tail::kPem};
  return ShapeFound::kYes;
}

// Whether "scheme://user" stands before.
bool BehindUser(std::string_view text, std::size_t at) {
  static constexpr std::string_view kBegin = "://";
  std::size_t begin = at;
  while (begin > 0 && at - begin < kLongestUser &&
         (IsAlnum(text[begin - 1]) || IsOneOf(text[begin - 1], "-._~%!$&'()*+,;=")))
    --begin;
  const std::string_view before = text.substr(0, begin);
  return before.ends_with(kBegin) && before.size() > kBegin.size() &&
         IsAlnum(before[before.size() - kBegin.size() - 1]);
}

// The password behind the colon at that place, up to the last @ before the host.
ShapeFound MatchPassword(std::string_view text, std::size_t at, bool final, Shape& shape) {
  if (!BehindUser(text, at)) return ShapeFound::kNo;
  const std::size_t begin = at + 1, limit = begin + kLongestPassword;
  std::size_t end = begin, last_at = begin;
  for (; end < text.size() && end < limit; ++end) {
    const char c = text[end];
    if (static_cast<unsigned char>(c) <= ' ' || IsOneOf(c, "/?#\"'<>`\\")) break;
    if (c == '@') last_at = end;
  }
  if (end == text.size() && end < limit && !final) return ShapeFound::kUndecided;
  shape = {begin, last_at, Tail::kNone};
  return last_at > begin ? ShapeFound::kYes : ShapeFound::kNo;
}

ShapeFound MatchWebToken(std::string_view text, std::size_t at, bool final, Shape& shape) {
  static constexpr std::string_view kBegin = "eyJ";
  const auto more = final ? ShapeFound::kNo : ShapeFound::kUndecided;
  const std::string_view rest = text.substr(at);
  if (!rest.starts_with(kBegin)) return kBegin.starts_with(rest) ? more : ShapeFound::kNo;
  std::size_t end = kBegin.size();
  while (end < rest.size() && end < kLongestHeader && InTail(Tail::kDashed, rest[end])) ++end;
  if (end == rest.size()) return more;
  if (end == kLongestHeader || rest[end] != '.' || end < kBegin.size() + kLeastPart) return ShapeFound::kNo;
  const std::size_t payload = ++end;
  while (end < rest.size() && end < payload + kLeastPart && InTail(Tail::kDashed, rest[end])) ++end;
  if (end < payload + kLeastPart) return end == rest.size() ? more : ShapeFound::kNo;
  shape = {at, at + end, Tail::kDotted};
  return ShapeFound::kYes;
}

// Whether the END line of a private key ends there.
bool BehindPemEnd(std::string_view text, std::size_t at) {
  if (at == 0 || text[at - 1] != '-') return false;
  const std::string_view before = text.substr(0, at);
  if (!before.ends_with(kPemDashes)) return false;
  const std::size_t label_end = at - kPemDashes.size();
  const std::string_view label = before.substr(0, label_end);
  if (!label.ends_with("PRIVATE KEY") && !label.ends_with("PRIVATE KEY BLOCK")) return false;
  const std::size_t window = kPemEnd.size() + kLongestLabel;
  const std::string_view line = label.substr(label.size() - std::min(label.size(), window));
  const std::size_t begin = line.rfind(kPemEnd);
  return begin != std::string_view::npos && std::ranges::all_of(line.substr(begin + kPemEnd.size()), [](char c) {
           return IsUpper(c) || IsDigit(c) || c == ' ';
         });
}

// Of the body of a PEM block; `may_be_short`: the last one, or one whose beginning is missing.
bool IsKeyLine(std::string_view line, bool may_be_short) {
  constexpr std::size_t kLeast = 16;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return (may_be_short || line.size() >= kLeast) &&
         std::ranges::all_of(line, [](char c) { return IsAlnum(c) || IsOneOf(c, "+/="); });
}

}  // namespace

void AddShapeStarts(StartFilter& filter) {
  for (const Key& key : kKeys) filter.AddPair(key.prefix[0], key.prefix[1]);
  for (const std::string_view pair : {"--", "be", "bE", "Be", "BE", "ey"}) filter.AddPair(pair[0], pair[1]);
  filter.AddFirst(':');
}

ShapeFound MatchShape(std::string_view text, std::size_t at, bool final, Shape& shape) {
  switch (text[at]) {
    case '-':
      return MatchPem(text, at, final, shape);
    case ':':
      return MatchPassword(text, at, final, shape);
    case 'e':
      return AtWordBegin(text, at) ? MatchWebToken(text, at, final, shape) : ShapeFound::kNo;
    case 'b':
    case 'B':
      return AtWordBegin(text, at) ? MatchBearer(text, at, final, shape) : ShapeFound::kNo;
    default:
      return AtWordBegin(text, at) ? MatchKeys(text, at, final, shape) : ShapeFound::kNo;
  }
}

bool TailGoesOn(Tail tail, std::string_view text, std::size_t at) {
  return tail == Tail::kPem ? !BehindPemEnd(text, at) : InTail(tail, text[at]);
}

Shape OrphanedKey(std::string_view text) {
  const std::size_t end = text.find(kPemEnd);
  if (end == std::string_view::npos || text.find(kPemBegin) < end) return {};
  const std::size_t line_end = std::min(text.find(kPemDashes, end + kPemEnd.size()), text.size());
  if (!BehindPemEnd(text, std::min(line_end + kPemDashes.size(), text.size()))) return {};
  std::size_t begin = end;
  while (begin > 0) {
    std::size_t feed = begin - 1;  // that ends the line before
    if (text[feed] != '\n' && begin != end) break;
    if (text[feed] != '\n') feed = begin;
    const std::size_t line_begin = feed == 0 ? 0 : text.rfind('\n', feed - 1) + 1;
    const bool partial = line_begin == 0, last = begin == end;
    if (!IsKeyLine(text.substr(line_begin, feed - line_begin), partial || last)) break;
    begin = line_begin;
  }
  return {begin, end, Tail::kNone};
}

Shape KeyEndAtBegin(std::string_view text) {
  Shape shape;
  return Judge(text, 0, Tail::kToken68, kUsual, true, shape) == ShapeFound::kYes ? shape : Shape();
}

}  // namespace awf
