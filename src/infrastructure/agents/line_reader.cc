#include "infrastructure/agents/line_reader.h"

namespace awf::agents {

void LineReader::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t feed = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, feed);
    if (feed != std::string_view::npos) {
      Take(piece);
      bytes.remove_prefix(feed + 1);
      continue;
    }
    if (dropping_) return;
    if (piece.size() > limit_ - partial_.size()) {
      dropping_ = true;
      std::string().swap(partial_);
      return;
    }
    partial_.append(piece);
    return;
  }
}

void LineReader::Finish() {
  if (!partial_.empty() || dropping_) Take({});
}

void LineReader::Take(std::string_view end_of_line) {
  const bool too_long = dropping_ || end_of_line.size() > limit_ - partial_.size();
  dropping_ = false;
  if (too_long) {
    ++dropped_;
    std::string().swap(partial_);
    return;
  }
  // Most lines arrive whole: they are handed out where they lie.
  std::string joined;
  std::string_view line = end_of_line;
  if (!partial_.empty()) {
    joined = std::move(partial_);
    partial_.clear();
    joined.append(end_of_line);
    line = joined;
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  on_line_(line);
}

}  // namespace awf::agents
