#include "infrastructure/step_channel/line_buffer.h"

namespace awf::channel {

void LineBuffer::Append(std::string_view bytes) {
  if (begin_ > 0) {
    bytes_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
  }
  bytes_.append(bytes);
}

std::optional<std::string_view> LineBuffer::Next() {
  const std::size_t end = bytes_.find('\n', scanned_);
  if (end == std::string::npos) {
    scanned_ = bytes_.size();
    Release();
    return std::nullopt;
  }
  const std::string_view line(bytes_.data() + begin_, end - begin_);
  begin_ = scanned_ = end + 1;
  return line;
}

// The memory of a large line, once nothing of it is left.
void LineBuffer::Release() {
  constexpr std::size_t kKeep = std::size_t{64} << 10;
  if (begin_ < bytes_.size() || bytes_.capacity() <= kKeep) return;
  std::string().swap(bytes_);
  begin_ = scanned_ = 0;
}

}  // namespace awf::channel
