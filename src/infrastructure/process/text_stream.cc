#include "infrastructure/process/text_stream.h"

#include <algorithm>

#include "domain/utf8.h"

namespace awf::process {
namespace {

std::string_view WithoutPartialStart(std::string_view text) {
  const auto whole = std::find_if_not(text.begin(), text.end(), IsUtf8Continuation);
  return text.substr(static_cast<std::size_t>(whole - text.begin()));
}

// What a tail may hold beyond its limit: each byte is moved at most four times, and large limits cost a quarter more.
std::size_t Slack(std::size_t limit) {
  constexpr std::size_t kEnough = 64UL * 1024;
  return std::max(limit / 4, std::min(limit, kEnough));
}

}  // namespace

std::string Utf8Stream::Take(std::string_view bytes) {
  // Most output is ASCII, which needs neither a look at each character nor what was held.
  if (held_.empty() && IsAscii(bytes)) return std::string(bytes);
  held_ += bytes;
  const std::size_t complete = held_.size() - UnfinishedUtf8(held_);
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
  characters_ += cut_ == CutAt::kBytes ? text.size() : CountCharacters(text);
  if (!head_full_) {
    const std::size_t room = head_limit_ - head_.size();
    const std::string_view fits = cut_ == CutAt::kBytes ? text.substr(0, room) : Utf8Prefix(text, room);
    head_ += fits;
    text.remove_prefix(fits.size());
    head_full_ = !text.empty();
  }
  if (text.size() > tail_limit_) {
    tail_ = text.substr(text.size() - tail_limit_);
    return;
  }
  tail_ += text;
  if (tail_.size() > tail_limit_ + Slack(tail_limit_)) tail_.erase(0, tail_.size() - tail_limit_);
}

std::string_view HeadTail::tail() const {
  std::string_view text = tail_;
  if (text.size() > tail_limit_) text.remove_prefix(text.size() - tail_limit_);
  return cut_ == CutAt::kBytes ? text : WithoutPartialStart(text);
}

}  // namespace awf::process
