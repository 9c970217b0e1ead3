#include "domain/secret_values.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>

namespace awf {
namespace {

constexpr std::string_view kEscapeMarks = "%+\\'";
constexpr std::size_t kHashed = 4;

bool IsAlnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool IsEscapeMark(char c) { return kEscapeMarks.find(c) != std::string_view::npos; }

// Letters, digits and what RFC 3986 leaves alone no encoder touches.
bool IsEverEscaped(char c) { return !IsAlnum(c) && !std::string_view("-._~").contains(c); }

// What an escape begins with tells whose it is.
Escapes EscapesOf(char mark) {
  if (mark == '\\') return Escapes::kBackslash;
  return mark == '\'' ? Escapes::kSingleQuotes : Escapes::kPercent;
}

std::size_t HashOf(std::string_view text) {
  std::uint32_t bits = 0;
  for (const char c : text.substr(0, kHashed)) bits = bits << 8U | static_cast<unsigned char>(c);
  return (bits * 2654435761U) >> 16U;
}

// Base64 digits that depend on `value` alone when `offset` (0…2) other bytes stand before it in the encoded text.
std::string Base64Core(std::string_view value, std::size_t offset, std::string_view alphabet) {
  const std::size_t begin = (offset * 8 + 5) / 6, end = (offset + value.size()) * 8 / 6;
  const auto bit = [&](std::size_t index) -> unsigned {
    const std::size_t byte = index / 8;
    if (byte < offset) return 0;
    return (static_cast<unsigned char>(value[byte - offset]) >> (7 - index % 8)) & 1U;
  };
  std::string digits;
  digits.reserve(end - begin);
  for (std::size_t digit = begin; digit < end; ++digit) {
    unsigned sextet = 0;
    for (std::size_t i = 0; i < 6; ++i) sextet = sextet << 1 | bit(digit * 6 + i);
    digits.push_back(alphabet[sextet]);
  }
  return digits;
}

// How much of a value must be seen where a text was cut. Of paths and URLs the beginning is none of the secret, and
// appears by itself.
std::size_t TellingPart(std::string_view value, bool base64) {
  constexpr std::size_t kLeast = 8, kAlways = 16;
  const bool place = value.find("://") != std::string_view::npos || std::string_view("/.~").contains(value[0]);
  if (place && !base64) return std::string::npos;
  return std::max(kLeast, std::min(value.size() / 2, kAlways));
}

}  // namespace

void StartFilter::AddFirst(char first) {
  for (int second = 0; second <= std::numeric_limits<unsigned char>::max(); ++second)
    AddPair(first, static_cast<char>(static_cast<unsigned char>(second)));
}

void SecretValues::Add(std::string_view value) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  AddPattern(std::string(value), false);
  for (const std::string_view last : {"+/", "-_"}) {
    std::string alphabet(kDigits);
    alphabet += last;
    for (std::size_t offset = 0; offset < 3; ++offset) AddPattern(Base64Core(value, offset, alphabet), true);
  }
  for (std::size_t at = 0; at + kHashed <= value.size(); ++at) inner_.set(HashOf(value.substr(at)));
}

void SecretValues::AddPattern(std::string bytes, bool base64) {
  std::vector<std::uint32_t>& alike = by_first_[static_cast<unsigned char>(bytes[0])];
  const auto same = [&](std::uint32_t position) {
    return patterns_[position].base64 == base64 && patterns_[position].bytes == bytes;
  };
  if (std::ranges::any_of(alike, same)) return;
  const auto position = static_cast<std::uint32_t>(patterns_.size());
  alike.push_back(position);
  if (!base64 && IsEverEscaped(bytes[0])) escaped_first_.push_back(position);
  const std::size_t special = bytes.find_first_of(kEscapeMarks), telling = TellingPart(bytes, base64);
  patterns_.push_back({std::move(bytes), base64, special, telling});
}

void SecretValues::AddStarts(StartFilter& filter) const {
  for (const Pattern& pattern : patterns_) {
    const char first = pattern.bytes[0];
    filter.AddPair(first, pattern.bytes[1]);
    for (const char mark : pattern.base64 ? std::string_view("\r\n") : kEscapeMarks) filter.AddPair(first, mark);
  }
  for (const std::uint32_t position : escaped_first_) {
    const char first = patterns_[position].bytes[0];
    filter.AddFirst('%');
    filter.AddFirst('\\');
    if (first == ' ') filter.AddFirst('+');
  }
}

ValueMatch SecretValues::MatchAt(std::string_view text, std::size_t at, bool final) const {
  ValueMatch best;
  const std::string_view rest = text.substr(at);
  const auto take = [&best](const ValueMatch& match) {
    best.length = std::max(best.length, match.length);
    best.undecided = best.undecided || match.undecided;
  };
  for (const std::uint32_t position : by_first_[static_cast<unsigned char>(rest[0])])
    take(Compare(patterns_[position], text, at, final));
  if (!IsEscapeMark(rest[0])) return best;
  for (const std::uint32_t position : escaped_first_) {
    const Pattern& pattern = patterns_[position];
    if (pattern.bytes[0] != rest[0])
      take(MatchEscaped(pattern.bytes, rest, EscapesOf(rest[0]), {final, pattern.telling}));
  }
  return best;
}

ValueMatch SecretValues::Compare(const Pattern& pattern, std::string_view whole, std::size_t at, bool final) {
  const std::string_view text = whole.substr(at);
  const std::size_t length = std::min(pattern.bytes.size(), text.size());
  std::size_t same = 1;
  while (same < length && pattern.bytes[same] == text[same]) ++same;
  if (same == pattern.bytes.size()) return {same, false};
  if (same == text.size()) {
    if (!final) return {0, true};
    return {same >= pattern.telling ? same : 0, false};
  }
  if (pattern.base64)
    return text[same] == '\n' || text[same] == '\r' ? MatchWrapped(pattern.bytes, whole, at, {final, pattern.telling})
                                                    : ValueMatch{};
  // A mark that the value itself holds may have begun an escape before the difference.
  return IsEscapeMark(text[same]) || pattern.special < same ? CompareEscaped(pattern, text, final) : ValueMatch{};
}

ValueMatch SecretValues::CompareEscaped(const Pattern& pattern, std::string_view text, bool final) {
  ValueMatch best;
  for (const Escapes escapes : {Escapes::kPercent, Escapes::kBackslash, Escapes::kSingleQuotes}) {
    const ValueMatch match = MatchEscaped(pattern.bytes, text, escapes, {final, pattern.telling});
    best.length = std::max(best.length, match.length);
    best.undecided = best.undecided || match.undecided;
  }
  return best;
}

std::size_t SecretValues::EndAtBegin(std::string_view text, std::size_t least) const {
  if (text.size() < kHashed || !inner_[HashOf(text)]) return 0;
  std::size_t longest = 0;
  for (const Pattern& pattern : patterns_) {
    const std::size_t telling = least == 0 ? pattern.telling : least;
    if (pattern.base64 || telling > pattern.bytes.size()) continue;
    const std::string_view value = pattern.bytes;
    for (std::size_t cut = 1; cut + telling <= value.size(); ++cut) {
      if (text.starts_with(value.substr(cut))) {
        longest = std::max(longest, value.size() - cut);
        break;
      }
    }
  }
  return longest;
}

}  // namespace awf
