// The values that are known to be secret, with the ways in which programs write them: as they are, as base64 (both
// alphabets, all three alignments, also with line ends inside), percent-encoded, escaped for JSON, C and shells.
//
// Finding is linear in the text but for values that begin alike: each place is tried against those that begin with its
// two bytes.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/escaped_match.h"

namespace awf {

// Pairs of bytes that something may begin with; a filter in front of what costs more.
class StartFilter {
 public:
  void AddPair(char first, char second) { pairs_.set(Pair(first, second)), firsts_.set(Byte(first)); }
  void AddFirst(char first);  // whatever follows
  bool May(std::string_view text, std::size_t at) const {
    return at + 1 < text.size() ? pairs_[Pair(text[at], text[at + 1])] : firsts_[Byte(text[at])];
  }

 private:
  static std::size_t Byte(char c) { return static_cast<unsigned char>(c); }
  static std::size_t Pair(char first, char second) { return Byte(first) << 8U | Byte(second); }

  std::bitset<65536> pairs_;
  std::bitset<256> firsts_;
};

class SecretValues {
 public:
  // Constant after the last Add; thread-safe then.
  void Add(std::string_view value);
  // What a match may begin with.
  void AddStarts(StartFilter& filter) const;

  // The longest match that begins there. `final`: nothing follows the text; else a match that the end of the text cuts
  // is undecided.
  ValueMatch MatchAt(std::string_view text, std::size_t at, bool final) const;
  // How long an end of a value the text begins with, 0: none that tells. For texts whose beginning was cut off.
  // `least`: bytes that tell, at least 4; 0: as many as tell where nobody says that it was.
  std::size_t EndAtBegin(std::string_view text, std::size_t least = 0) const;

 private:
  struct Pattern {
    std::string bytes;
    bool base64 = false;
    std::size_t special = std::string::npos;  // where the first of % + \ ' stands; npos: nowhere
    std::size_t telling = std::string::npos;  // how much of it is taken for it where a text was cut; npos: nothing less
  };
  void AddPattern(std::string bytes, bool base64);
  static ValueMatch Compare(const Pattern& pattern, std::string_view whole, std::size_t at, bool final);
  static ValueMatch CompareEscaped(const Pattern& pattern, std::string_view text, bool final);

  std::vector<Pattern> patterns_;                           // no two equal
  std::array<std::vector<std::uint32_t>, 256> by_first_{};  // positions in patterns_
  std::vector<std::uint32_t> escaped_first_;                // of values whose first byte some encoding escapes
  std::bitset<65536> inner_;                                // hashes of four bytes inside values
};

}  // namespace awf
