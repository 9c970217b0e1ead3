// SseReader: the data of server-sent events (text/event-stream), from bytes that come in pieces of any size.
//
// Lines end with LF, CR or CR LF; several data lines of an event are joined with LF; comments and the fields id and
// retry are passed over, as is a byte order mark at the start. An error is an event of that name, or, as llama.cpp
// writes it, a field of that name. Bytes are not checked to be UTF-8. An event above
// the limit ends the reading. Each byte is looked at once. Not thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace awf::agents {

class SseReader {
 public:
  using OnData = std::function<void(std::string_view)>;  // the data of one event

  explicit SseReader(OnData on_data, std::size_t limit = std::size_t{64} << 20)
      : on_data_(std::move(on_data)), limit_(limit) {}

  void Append(std::string_view bytes);
  // The stream is over. An event that lacks its empty line, or its line end, is handed out all the same.
  void Finish();

  // While the data of an event is handed out: whether it tells of an error.
  bool is_error() const { return is_error_; }
  bool too_large() const { return too_large_; }
  // A line was seen that no event stream has.
  bool foreign() const { return foreign_; }

 private:
  void Line(std::string_view line);
  void AddData(std::string_view value);
  void Dispatch();

  OnData on_data_;
  std::size_t limit_;
  std::string line_;  // the beginning of one that is not whole
  std::string data_;  // of the event so far
  bool has_data_ = false;
  bool is_error_ = false;
  bool first_line_ = true;
  bool after_return_ = false;  // a line feed that comes next belongs to the carriage return before it
  bool too_large_ = false;
  bool foreign_ = false;
};

}  // namespace awf::agents
