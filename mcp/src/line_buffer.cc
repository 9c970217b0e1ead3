#include "line_buffer.h"

#include <algorithm>
#include <new>
#include <utility>

namespace mcp {
namespace {

bool IsBlank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

}  // namespace

void LineBuffer::Append(std::string_view bytes) {
  if (skipping_) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return;
    skipping_ = false;
    bytes.remove_prefix(end + 1);
  }
  if (bytes.empty() || Grow(bytes)) return;
  Lose();
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return;
  skipping_ = false;
  bytes_.assign(bytes.substr(end + 1));
}

// False when the memory does not suffice. Geometric growth: anything else would copy a long line again and again.
bool LineBuffer::Grow(std::string_view bytes) {
  if (begin_ > 0) {
    bytes_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
  }
  try {
    if (bytes_.capacity() - bytes_.size() < bytes.size()) {
      bytes_.reserve(std::max(bytes_.size() + bytes.size(), bytes_.capacity() + bytes_.capacity() / 2));
    }
    bytes_.append(bytes);
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

// Gives up the unfinished line but for its head.
void LineBuffer::Lose() {
  lost_ = skipping_ = true;
  lost_head_.assign(bytes_, begin_, kHead);
  std::string().swap(bytes_);  // an assignment would keep the memory
  begin_ = scanned_ = 0;
}

// False when the line is blank and nothing is given.
bool LineBuffer::GiveLine(std::size_t end, std::size_t next, std::string& line) {
  const std::size_t begin = std::exchange(begin_, next);
  scanned_ = next;
  if (end > begin && bytes_[end - 1] == '\r') --end;
  if (IsBlank(std::string_view(bytes_).substr(begin, end - begin))) return false;
  if (end - begin <= kHead) {
    line.assign(bytes_, begin, end - begin);
    return true;
  }
  // A long line takes the buffer with it instead of being copied, and leaves a small one.
  std::string rest = bytes_.substr(next);
  bytes_.resize(end);
  bytes_.erase(0, begin);
  line.swap(bytes_);
  rest.swap(bytes_);
  begin_ = scanned_ = 0;
  return true;
}

LineBuffer::Outcome LineBuffer::Next(std::string& line) {
  for (;;) {
    if (lost_) {
      lost_ = false;
      line = std::move(lost_head_);
      lost_head_.clear();
      return Outcome::kOversized;
    }
    const std::size_t end = bytes_.find('\n', scanned_);
    if (end == std::string::npos) {
      scanned_ = bytes_.size();
      if (bytes_.size() - begin_ <= max_line_) return Outcome::kNothing;
      Lose();
    } else if (end - begin_ > max_line_) {
      line.assign(bytes_, begin_, kHead);
      begin_ = scanned_ = end + 1;
      return Outcome::kOversized;
    } else if (GiveLine(end, end + 1, line)) {
      return Outcome::kLine;
    }
  }
}

LineBuffer::Outcome LineBuffer::Last(std::string& line) {
  if (begin_ == bytes_.size()) return Outcome::kNothing;
  return GiveLine(bytes_.size(), bytes_.size(), line) ? Outcome::kLine : Outcome::kNothing;
}

}  // namespace mcp
