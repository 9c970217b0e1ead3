#include "infrastructure/builtins/file_search.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "domain/utf8.h"
#include "infrastructure/builtins/result_text.h"

namespace awf::builtins {
namespace {

constexpr std::size_t kBlock = 64 * 1024;            // read at once; where NUL is looked for
constexpr std::size_t kBuffer = 2 * kBlock;          // kept from file to file
constexpr std::size_t kLargeBuffer = 4U << 20;       // from here on one thread at a time
constexpr std::size_t kOverlap = 4096;               // of the pieces of a very long line
constexpr std::size_t kMaxContextTail = 256 * 1024;  // bytes kept for context before
constexpr std::size_t kLead = 200;                   // bytes shown before the match in a window
constexpr std::size_t kWindow = kShownLine * 4 + 8;  // bytes that hold more than kShownLine characters

std::size_t LastLineFeed(std::string_view text) {
  const void* place = ::memrchr(text.data(), '\n', text.size());
  return place == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(place) - text.data());
}

}  // namespace

std::string ShownLine(std::string_view line, RegexGroup match) {
  line = WithoutCr(line);
  if (line.size() <= kShownLine) return CleanText(line);
  std::size_t begin = 0;
  const bool fits = line.size() <= kWindow && CountCharacters(CleanText(line)) <= kShownLine;
  if (!fits && match.begin != std::string_view::npos && match.end > kShownLine && match.begin > kLead)
    begin = std::min(match.begin, line.size()) - kLead;
  while (begin > 0 && begin < line.size() && IsUtf8Continuation(line[begin])) --begin;
  const std::string window = CleanText(line.substr(begin, kWindow));
  const std::string_view shown = PrefixWithin(window, kShownLine, window.size());
  std::string text = begin > 0 ? "..." : "";
  text += shown;
  if (shown.size() < window.size() || begin + kWindow < line.size()) text += "...";
  return text;
}

FileSearch::FileSearch(const GrepPattern& pattern, const FileSearchOptions& options, std::function<bool(bool)> stop,
                       std::mutex& large)
    : pattern_(pattern),
      options_(options),
      stop_(std::move(stop)),
      large_(large),
      matcher_(pattern),
      buffer_(new char[kBuffer]),
      capacity_(kBuffer) {}

FileMatches FileSearch::Search(int fd, bool collect) {
  Reset(fd, collect);
  if (ReadHead()) {
    if (pattern_.multiline()) {
      SearchWhole();
    } else {
      SearchStream();
    }
  }
  if (capacity_ > kLargeBuffer) {
    buffer_.reset(new char[kBuffer]);
    capacity_ = kBuffer;
  }
  if (large_lock_.owns_lock()) large_lock_.unlock();
  return std::move(matches_);
}

void FileSearch::Reset(int fd, bool collect) {
  fd_ = fd;
  collect_ = collect && options_.max_lines > 0;
  decoder_.reset();
  matches_ = {};
  at_end_ = in_long_line_ = long_line_matched_ = false;
  size_ = next_ = emitted_ = counted_at_ = after_left_ = 0;
  counted_ = 0;
}

void FileSearch::MakeRoom(std::size_t bytes) {
  if (size_ + bytes <= capacity_) return;
  std::size_t capacity = capacity_;
  while (capacity < size_ + bytes) capacity *= 2;
  if (capacity > kLargeBuffer && !large_lock_.owns_lock()) large_lock_ = std::unique_lock(large_);
  std::unique_ptr<char[]> larger(new char[capacity]);
  std::memcpy(larger.get(), buffer_.get(), size_);
  buffer_ = std::move(larger);
  capacity_ = capacity;
}

bool FileSearch::ReadMore(std::size_t room) {
  if (at_end_) return false;
  MakeRoom(room);
  char* into = buffer_.get() + size_;
  if (decoder_) {
    raw_.resize(room / 2);  // two bytes become at most three
    into = raw_.data();
    room = raw_.size();
  }
  ssize_t got = -1;
  do {
    got = ::read(fd_, into, room);
  } while (got < 0 && errno == EINTR);
  if (got < 0) matches_.error = errno;
  if (got <= 0) at_end_ = true;
  if (!decoder_) {
    size_ += got > 0 ? static_cast<std::size_t>(got) : 0;
    return got > 0;
  }
  decoded_.clear();
  if (got > 0) {
    decoder_->Decode({raw_.data(), static_cast<std::size_t>(got)}, decoded_);
  } else {
    decoder_->Finish(decoded_);
  }
  MakeRoom(decoded_.size());
  std::memcpy(buffer_.get() + size_, decoded_.data(), decoded_.size());
  size_ += decoded_.size();
  return got > 0 || !decoded_.empty();
}

// Reads the first block and judges it. False: there is nothing to search.
bool FileSearch::ReadHead() {
  while (size_ < kBlock && ReadMore(kBlock - size_)) {
  }
  if (matches_.error != 0 || size_ == 0) return false;
  const EncodingMark mark = DetectEncoding(Text(0, size_));
  if (mark.encoding != TextEncoding::kUtf8) {
    decoder_.emplace(mark.encoding);
    const std::string head(Text(mark.length, size_));
    decoded_.clear();
    decoder_->Decode(head, decoded_);
    if (at_end_) decoder_->Finish(decoded_);
    size_ = 0;
    MakeRoom(decoded_.size());
    std::memcpy(buffer_.get(), decoded_.data(), decoded_.size());
    size_ = decoded_.size();
  } else {
    next_ = emitted_ = counted_at_ = mark.length;
  }
  matches_.binary = std::memchr(buffer_.get(), '\0', std::min(size_, kBlock)) != nullptr;
  if (matches_.binary) collect_ = false;
  return next_ < size_ && !(matches_.binary && options_.skip_binary);
}

void FileSearch::SearchStream() {
  for (std::size_t looked = next_;;) {  // no line feed stands between next_ and looked
    if (Stopped()) {
      matches_.stopped = true;
      return;
    }
    std::size_t end = size_;
    if (!at_end_) {
      const std::size_t line_feed = LastLineFeed(Text(looked, size_));
      end = line_feed == std::string_view::npos ? next_ : looked + line_feed + 1;
    }
    if (end > next_) {
      SearchBlock(end);
      if (in_long_line_) in_long_line_ = long_line_matched_ = false;  // the block took its end in
      KeepTail(end);
    } else if (size_ - next_ >= kMaxLine) {
      SearchBlock(size_);
      in_long_line_ = true;
      next_ = size_ - kOverlap;
      KeepTail(next_);
      after_left_ = 0;
      emitted_ = next_;
    }
    if (Done() || matches_.error != 0) return;
    looked = size_;
    if (at_end_) {
      if (next_ >= size_) return;
      continue;  // the last line has no line feed
    }
    ReadMore(kBlock);
    if (at_end_ && next_ >= size_) return;
  }
}

// Searches [next_, end), complete lines or the piece of a long one.
void FileSearch::SearchBlock(std::size_t end) {
  if (in_long_line_ && long_line_matched_) SkipPieceOfKnownLine(end);
  const std::size_t begin = next_;
  if (begin >= end) return;
  std::string_view lines = Text(begin, end);
  const bool complete = lines.ends_with('\n');
  if (complete) lines.remove_suffix(1);
  matcher_.Start(lines);
  for (std::size_t from = 0;;) {
    const std::optional<LineSpan> line = matcher_.Next(from);
    if (!line) break;
    ++matches_.count;
    if (!complete && line->end == lines.size()) long_line_matched_ = true;
    if (Done()) return;
    if (Collecting()) CollectLine({begin + line->begin, begin + line->end}, {std::string_view::npos, 0});
    from = line->end + 1;
  }
  CollectContextAfter(end);
  next_ = end;
}

void FileSearch::SkipPieceOfKnownLine(std::size_t end) {
  const std::string_view text = Text(next_, end);
  next_ += std::min(text.find('\n'), text.size() - 1) + 1;
  if (collect_) NumberAt(next_);
  emitted_ = std::max(emitted_, next_);
}

// Moves what was not searched yet to the front, and before it the lines that may be needed as context.
void FileSearch::KeepTail(std::size_t begin) {
  std::size_t keep = begin;
  if (Collecting() || after_left_ > 0) NumberAt(begin);
  if (Collecting()) {
    for (std::size_t lines = 0; lines < options_.before && keep > emitted_ && begin - keep < kMaxContextTail; ++lines) {
      const std::size_t line_feed = LastLineFeed(Text(0, keep - 1));
      keep = line_feed == std::string_view::npos ? 0 : line_feed + 1;
    }
    if (begin - keep > kMaxContextTail) keep = begin;
  }
  std::memmove(buffer_.get(), buffer_.get() + keep, size_ - keep);
  size_ -= keep;
  next_ = begin - keep;
  emitted_ -= std::min(emitted_, keep);
  counted_at_ -= std::min(counted_at_, keep);
}

void FileSearch::SearchWhole() {
  while (size_ <= kMaxMultilineFile && ReadMore(std::max(kBlock, std::min(size_, capacity_ - size_)))) {
    if (Stopped()) {
      matches_.stopped = true;
      return;
    }
  }
  if (matches_.error != 0) return;
  if (size_ > kMaxMultilineFile) {
    matches_.too_large = true;
    return;
  }
  if (!pattern_.mentions_cr()) DropCarriageReturns();
  const std::size_t begin = next_;
  const std::string_view text = Text(begin, size_);
  if (!pattern_.literal().empty() && pattern_.literal().Find(text, 0) == std::string_view::npos) return;
  const Regex& regex = pattern_.RegexFor(IsValidUtf8(text));
  std::vector<RegexGroup> groups;
  std::size_t counted_line = std::string_view::npos;
  for (std::size_t from = 0; regex.Find(text, from, groups);) {
    if (Stopped()) {
      matches_.stopped = true;
      break;
    }
    const auto [match_begin, match_end] = groups[0];
    if (match_begin == text.size() && text.ends_with('\n')) break;  // no line stands there
    const std::size_t before = LastLineFeed(text.substr(0, match_begin));
    const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
    const std::size_t last = match_end > match_begin ? match_end - 1 : match_begin;
    const std::size_t end = std::min(text.find('\n', last), text.size());
    if (first != counted_line) ++matches_.count;
    counted_line = first;
    if (Done()) return;
    if (Collecting()) CollectLine({begin + first, begin + end}, {match_begin - first, match_end - first});
    from = match_end > match_begin ? match_end : match_end + 1;
  }
  CollectContextAfter(size_);
}

void FileSearch::DropCarriageReturns() {
  char* const begin = buffer_.get() + next_;
  char* const end = buffer_.get() + size_;
  char* out = std::find(begin, end, '\r');
  for (const char* in = out; in != end; ++in) {
    if (*in == '\r' && in + 1 != end && in[1] == '\n') continue;
    *out++ = *in;
  }
  size_ = static_cast<std::size_t>(out - buffer_.get());
}

bool FileSearch::Collecting() const {
  return collect_ && matches_.match_lines < options_.max_lines && matches_.text_bytes < options_.max_text;
}

// `line` may be several lines, of a multi-line match. A match of npos is looked for only if the line is too long.
void FileSearch::CollectLine(LineSpan line, RegexGroup match) {
  CollectContextAfter(line.begin);
  CollectContextBefore(line.begin);
  FoundLine::Kind kind = FoundLine::Kind::kMatch;
  for (std::size_t begin = line.begin; begin <= line.end && Collecting();) {
    const std::size_t end = begin + std::min(Text(begin, line.end).find('\n'), line.end - begin);
    if (begin >= emitted_) {
      Add(NumberAt(begin), kind, Text(begin, end), match);
      ++matches_.match_lines;
    }
    kind = FoundLine::Kind::kContinued;
    match = {0, 0};
    begin = end + 1;
    emitted_ = std::max(emitted_, begin);
  }
  after_left_ = options_.after;
}

void FileSearch::CollectContextBefore(std::size_t line_begin) {
  if (line_begin <= emitted_) return;
  std::size_t begin = line_begin, lines = 0;
  while (lines < options_.before && begin > emitted_) {
    const std::size_t line_feed = LastLineFeed(Text(emitted_, begin - 1));
    begin = line_feed == std::string_view::npos ? emitted_ : emitted_ + line_feed + 1;
    ++lines;
  }
  std::uint64_t number = NumberAt(line_begin) - lines;
  while (begin < line_begin) {
    const std::size_t end = begin + Text(begin, line_begin).find('\n');
    Add(number++, FoundLine::Kind::kContext, Text(begin, end), {0, 0});
    begin = end + 1;
  }
  emitted_ = line_begin;
}

void FileSearch::CollectContextAfter(std::size_t end) {
  while (after_left_ > 0 && emitted_ < end) {
    const std::size_t line_end = emitted_ + std::min(Text(emitted_, end).find('\n'), end - emitted_);
    Add(NumberAt(emitted_), FoundLine::Kind::kContext, Text(emitted_, line_end), {0, 0});
    emitted_ = line_end + 1;
    --after_left_;
  }
}

void FileSearch::Add(std::uint64_t number, FoundLine::Kind kind, std::string_view line, RegexGroup match) {
  if (match.begin == std::string_view::npos && line.size() > kShownLine) match = matcher_.FirstMatch(line);
  FoundLine found{number, kind, ShownLine(line, match)};
  matches_.text_bytes += found.text.size() + 8;  // number, sign and line feed
  matches_.lines.push_back(std::move(found));
}

std::uint64_t FileSearch::NumberAt(std::size_t place) {
  counted_ += CountLineFeeds(Text(counted_at_, place));
  counted_at_ = place;
  return counted_ + 1;
}

}  // namespace awf::builtins
