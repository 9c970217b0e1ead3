// What a program prints, as text within bounds: bytes come in pieces, valid UTF-8 comes out, head and tail are kept.
//
// Passive objects for one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace awf::process {

// Turns pieces of bytes into valid UTF-8. A character that is split between pieces is held back until it is complete;
// bytes that belong to none become U+FFFD.
class Utf8Stream {
 public:
  // The text that is complete now.
  std::string Take(std::string_view bytes);
  // What was held back, at the end.
  std::string Finish();

 private:
  std::string held_;
};

// Where a text may be cut: kCharacters is for valid UTF-8, kBytes for anything.
enum class CutAt { kCharacters, kBytes };

// Keeps the first and the last bytes of a text and counts all. Takes memory for what came, not for the limits.
class HeadTail {
 public:
  HeadTail(std::size_t head_bytes, std::size_t tail_bytes, CutAt cut = CutAt::kCharacters)
      : head_limit_(head_bytes), tail_limit_(tail_bytes), cut_(cut) {}

  // With kCharacters: whole characters of valid UTF-8.
  void Append(std::string_view text);

  std::size_t bytes() const { return bytes_; }
  std::size_t characters() const { return characters_; }  // with kBytes the same as bytes

  // head() and then tail() is the whole text when nothing was dropped.
  bool whole() const { return bytes_ == head_.size() + tail().size(); }
  std::string_view head() const { return head_; }
  std::string_view tail() const;

 private:
  std::size_t head_limit_;
  std::size_t tail_limit_;
  CutAt cut_;
  std::string head_;
  bool head_full_ = false;
  std::string tail_;  // somewhat above its limit, so that it is moved rarely
  std::size_t bytes_ = 0;
  std::size_t characters_ = 0;
};

}  // namespace awf::process
