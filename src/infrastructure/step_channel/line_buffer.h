// LineBuffer: bytes as they arrive from a stream socket, cut into lines.
//
// A line is bounded (64 MiB); what exceeds it is the peer's fault and ends the connection. Each byte is looked at once,
// growth is geometric. Not thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace awf::channel {

inline constexpr std::size_t kMaxLine = std::size_t{64} << 20;

class LineBuffer {
 public:
  explicit LineBuffer(std::size_t max_line = kMaxLine) : max_line_(max_line) {}

  void set_max_line(std::size_t max_line) { max_line_ = max_line; }
  void Append(std::string_view bytes);
  // The next complete line without its line feed, or nothing. Valid until the next call.
  std::optional<std::string_view> Next();
  // True when the line at the end is longer than allowed.
  bool TooLong() const { return bytes_.size() - begin_ > max_line_; }

 private:
  void Release();

  std::size_t max_line_;
  std::string bytes_;
  std::size_t begin_ = 0;    // of the first line that was not handed out
  std::size_t scanned_ = 0;  // no line feed in [begin_, scanned_)
};

}  // namespace awf::channel
