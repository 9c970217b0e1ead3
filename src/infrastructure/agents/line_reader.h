// LineReader: cuts the bytes of a CLI's stream into lines, with bounded memory.
//
// A line above the limit (64 MiB) is dropped whole and counted, whatever its length; the next line is read as usual.
// Each byte is looked at once. Not thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace awf::agents {

class LineReader {
 public:
  using OnLine = std::function<void(std::string_view)>;  // without line feed and a carriage return before it

  explicit LineReader(OnLine on_line, std::size_t limit = std::size_t{64} << 20)
      : on_line_(std::move(on_line)), limit_(limit) {}

  void Append(std::string_view bytes);
  // The stream is over: hands out a last line that had no line feed.
  void Finish();
  std::size_t dropped() const { return dropped_; }

 private:
  void Take(std::string_view end_of_line);

  OnLine on_line_;
  std::size_t limit_;
  std::string partial_;
  bool dropping_ = false;
  std::size_t dropped_ = 0;
};

}  // namespace awf::agents
