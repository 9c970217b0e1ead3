#include "infrastructure/process/text_stream.h"

#include <algorithm>

#include "domain/utf8.h"

namespace awf::process {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Bytes of the sequence that this byte begins; 1 when it begins none.
std::size_t SequenceLength(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
}

// Bytes at the end that may be the beginning of a character.
std::size_t UnfinishedBytes(std::string_view text) {
  constexpr std::size_t kLongest = 3;
  for (std::size_t back = 1; back <= std::min(kLongest, text.size()); ++back) {
    const char c = text[text.size() - back];
    if (!IsContinuation(c)) return SequenceLength(c) > back ? back : 0;
  }
  return 0;
}

bool IsAscii(std::string_view text) {
  unsigned char bits = 0;
  for (const char c : text) bits |= static_cast<unsigned char>(c);
  return bits < 0x80;
}

std::string_view WithoutPartialStart(std::string_view text) {
  const auto whole = std::find_if_not(text.begin(), text.end(), IsContinuation);
  return text.substr(static_cast<std::size_t>(whole - text.begin()));
}

}  // namespace

std::string Utf8Stream::Take(std::string_view bytes) {
  // Most output is ASCII, and a look at all bits at once is ten times as fast as one character after the other.
  if (held_.empty() && IsAscii(bytes)) return std::string(bytes);
  held_ += bytes;
  const std::size_t complete = held_.size() - UnfinishedBytes(held_);
  std::string text = RepairUtf8(std::string_view(held_).substr(0, complete));
  held_.erase(0, complete);
  return text;
}

std::string Utf8Stream::Finish() {
  std::string text = RepairUtf8(held_);
  held_.clear();
  return text;
}

void HeadTail::Append(std::string_view text) {
  bytes_ += text.size();
  characters_ += text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), IsContinuation));
  if (!head_full_) {
    const std::string_view fits = Utf8Prefix(text, head_limit_ - head_.size());
    head_ += fits;
    text.remove_prefix(fits.size());
    head_full_ = !text.empty();
  }
  if (text.size() > tail_limit_) {
    tail_ = text.substr(text.size() - tail_limit_);
    return;
  }
  tail_ += text;
  if (tail_.size() > 2 * tail_limit_) tail_.erase(0, tail_.size() - tail_limit_);
}

std::string_view HeadTail::tail() const {
  std::string_view text = tail_;
  if (text.size() > tail_limit_) text.remove_prefix(text.size() - tail_limit_);
  return WithoutPartialStart(text);
}

}  // namespace awf::process
