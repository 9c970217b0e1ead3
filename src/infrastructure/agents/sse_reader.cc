#include "infrastructure/agents/sse_reader.h"

namespace awf::agents {

void SseReader::Append(std::string_view bytes) {
  while (!bytes.empty() && !too_large_) {
    if (std::exchange(after_return_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view piece = bytes.substr(0, end);
    if (piece.size() > limit_ - line_.size()) {
      too_large_ = true;
      return;
    }
    if (end == std::string_view::npos) {
      line_.append(piece);
      return;
    }
    after_return_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    // Most lines arrive whole: they are read where they lie.
    if (line_.empty()) {
      Line(piece);
    } else {
      line_.append(piece);
      const std::string line = std::exchange(line_, {});
      Line(line);
    }
  }
}

void SseReader::Finish() {
  if (too_large_) return;
  if (!line_.empty()) {
    const std::string line = std::exchange(line_, {});
    Line(line);
  }
  Dispatch();
}

void SseReader::Line(std::string_view line) {
  if (std::exchange(first_line_, false) && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (line.empty()) return Dispatch();
  if (line.front() == ':') return;
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") return AddData(value);
  if (field == "error") {
    is_error_ = true;
    return AddData(value);
  }
  if (field == "event") is_error_ = value == "error";
  if (field != "event" && field != "id" && field != "retry") foreign_ = true;
}

void SseReader::AddData(std::string_view value) {
  // One byte of the limit is for the line feed between two lines.
  if (data_.size() >= limit_ || value.size() > limit_ - data_.size() - 1) {
    too_large_ = true;
    return;
  }
  if (has_data_) data_ += '\n';
  data_ += value;
  has_data_ = true;
}

void SseReader::Dispatch() {
  if (std::exchange(has_data_, false)) {
    on_data_(data_);
    data_.clear();
  }
  is_error_ = false;
}

}  // namespace awf::agents
