// LineBuffer: bytes in, lines out. Knows nothing of descriptors or JSON.
//
// A line ends with a line feed; one carriage return before it is dropped, blank lines are skipped. A line over the
// limit, or one that does not fit into memory, is given out once with only its head, and its rest is skipped in
// constant memory. Takes any chunks: byte by byte or many lines at once; Next is called until there is nothing after
// each. Not thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mcp {

class LineBuffer {
 public:
  enum class Outcome { kLine, kOversized, kNothing };
  static constexpr std::size_t kHead = std::size_t{64} << 10;  // of an oversized line

  explicit LineBuffer(std::size_t max_line) : max_line_(max_line) {}

  void Append(std::string_view bytes);
  // The next line, if it is complete.
  Outcome Next(std::string& line);
  // The last line, which the end of input ended.
  Outcome Last(std::string& line);

 private:
  bool Grow(std::string_view bytes);
  void Lose();
  bool GiveLine(std::size_t end, std::size_t next, std::string& line);

  std::size_t max_line_;
  std::string bytes_;
  std::size_t begin_ = 0;    // of the first line that has not been given out
  std::size_t scanned_ = 0;  // no line feed from begin_ up to here
  bool skipping_ = false;    // the bytes that come belong to a lost line
  bool lost_ = false;        // a lost line is to be given out
  std::string lost_head_;
};

}  // namespace mcp
