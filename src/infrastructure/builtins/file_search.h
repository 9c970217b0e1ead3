// FileSearch: searches one file after the other for a GrepPattern, as a stream: memory stays bounded whatever the size
// of the file.
//
// A line longer than kMaxLine is searched in pieces that overlap a little; a multi-line search holds the file, up to
// kMaxMultilineFile. UTF-16 with a byte order mark is decoded. A file is binary when a NUL stands in its first 64 KiB.
// Used by one thread; make one per thread, its buffer is reused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "infrastructure/builtins/grep_pattern.h"
#include "infrastructure/builtins/text_decoding.h"

namespace awf::builtins {

inline constexpr std::size_t kMaxLine = std::size_t{16} << 20;
inline constexpr std::size_t kMaxMultilineFile = std::size_t{64} << 20;
inline constexpr std::size_t kShownLine = 500;  // characters

struct FoundLine {
  enum class Kind : std::uint8_t {
    kMatch,
    kContinued,  // a further line of a match over several lines
    kContext,
  };
  std::uint64_t number = 0;  // from 1
  Kind kind = Kind::kMatch;
  std::string text;  // as shown: valid UTF-8, at most kShownLine characters and "..."
};

struct FileMatches {
  std::uint64_t count = 0;       // lines that match; multi-line: lines where a match begins
  std::vector<FoundLine> lines;  // as far as they were wanted
  std::size_t text_bytes = 0;    // of these
  std::size_t match_lines = 0;   // of these, without context
  bool binary = false;           // `count` is 0 or 1 then, and there are no lines
  bool too_large = false;        // for a multi-line search: not searched
  bool stopped = false;          // ended early, by `stop`
  int error = 0;                 // errno of a failed read
};

struct FileSearchOptions {
  std::size_t before = 0, after = 0;  // lines of context
  std::size_t max_lines = 0;          // matching lines to collect per file; 0: only count
  std::size_t max_text = 0;           // bytes of text to collect per file
  bool first_only = false;            // one match is enough
  bool skip_binary = false;           // do not even look whether a binary file matches
};

class FileSearch {
 public:
  // `stop` is asked between blocks, and told whether all that was wanted is collected, so that only counting goes on.
  // `large` is shared by all threads: who needs much memory holds it.
  FileSearch(const GrepPattern& pattern, const FileSearchOptions& options, std::function<bool(bool)> stop,
             std::mutex& large);

  // `fd` is open for reading at its beginning. `collect` false: count only.
  FileMatches Search(int fd, bool collect);

 private:
  void Reset(int fd, bool collect);
  // Reads at most `room` bytes behind the end; false at the end of the file or on an error.
  bool ReadMore(std::size_t room);
  void MakeRoom(std::size_t bytes);
  bool ReadHead();
  std::string_view Text(std::size_t begin, std::size_t end) const { return {buffer_.get() + begin, end - begin}; }

  void SearchStream();
  void SearchBlock(std::size_t end);
  void SkipPieceOfKnownLine(std::size_t end);
  void KeepTail(std::size_t begin);
  void SearchWhole();
  void DropCarriageReturns();

  bool Done() const { return matches_.count > 0 && (options_.first_only || matches_.binary); }
  bool Collecting() const;
  bool Stopped() { return stop_(collect_ && !Collecting()); }
  void CollectLine(LineSpan line, RegexGroup match);
  void CollectContextBefore(std::size_t line_begin);
  void CollectContextAfter(std::size_t end);
  void Add(std::uint64_t number, FoundLine::Kind kind, std::string_view line, RegexGroup match);
  std::uint64_t NumberAt(std::size_t place);

  const GrepPattern& pattern_;
  const FileSearchOptions options_;
  const std::function<bool(bool)> stop_;
  std::mutex& large_;
  std::unique_lock<std::mutex> large_lock_;
  LineMatcher matcher_;

  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;

  int fd_ = -1;
  bool collect_ = false;
  std::optional<Utf16Decoder> decoder_;
  std::string raw_, decoded_;
  FileMatches matches_;
  bool at_end_ = false;
  std::size_t size_ = 0;        // bytes in the buffer
  std::size_t next_ = 0;        // the first byte that was not searched yet
  std::size_t emitted_ = 0;     // lines before this one are out already, or are not to come out any more
  std::size_t counted_at_ = 0;  // a place of which the line number is known …
  std::uint64_t counted_ = 0;   // … as line feeds before it
  std::size_t after_left_ = 0;  // lines of context still to come
  bool in_long_line_ = false;   // the buffer begins amid a line of which pieces were searched
  bool long_line_matched_ = false;
};

// The text of a line as shown: a window around the match when it is long.
std::string ShownLine(std::string_view line, RegexGroup match);

}  // namespace awf::builtins
