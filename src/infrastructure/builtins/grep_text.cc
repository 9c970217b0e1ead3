#include "infrastructure/builtins/grep_text.h"

#include <string_view>
#include <utility>

#include "domain/utf8.h"
#include "infrastructure/builtins/result_text.h"

namespace awf::builtins {
namespace {

// A text that grows up to a limit.
class LimitedText {
 public:
  explicit LimitedText(const GrepTextLimits& limits) : limits_(limits) {}

  bool Append(std::string_view text) {
    const std::size_t characters = CountCharacters(text);
    const std::size_t lines = CountLines(text);
    if (characters_ + characters > limits_.characters || text_.size() + text.size() > limits_.bytes ||
        lines > limits_.text_lines - lines_) {
      return false;
    }
    characters_ += characters;
    lines_ += lines;
    text_ += text;
    return true;
  }
  std::size_t size() const { return text_.size(); }
  bool empty() const { return text_.empty(); }
  // Without the final line feed, cut to `size` before.
  std::string Take(std::size_t size) {
    text_.resize(size);
    if (text_.ends_with('\n')) text_.pop_back();
    return std::move(text_);
  }

 private:
  const GrepTextLimits& limits_;
  std::string text_;
  std::size_t characters_ = 0, lines_ = 0;
};

class ContentText {
 public:
  ContentText(const GrepTextLimits& limits, GrepText& out) : limits_(limits), out_(out), text_(limits) {}

  // False when nothing more fits.
  bool AddFile(const std::string& path, const FileMatches& matches) {
    const std::string gap = text_.empty() ? "" : "\n";
    if (matches.binary) {
      if (!text_.Append(gap + path + " is a binary file and matches.\n")) return false;
      ++out_.shown;
      out_.matches.push_back(json::object{{"file", path}});
      kept_ = text_.size();
      return true;
    }
    head_ = gap + path + "\n";
    previous_ = last_match_ = 0;
    for (const FoundLine& line : matches.lines) {
      if (!AddLine(path, line)) return false;
    }
    return true;
  }

  // Context that was put out for a match that did not fit any more is taken back.
  void Finish() { out_.body = text_.Take(kept_); }

 private:
  bool AddLine(const std::string& path, const FoundLine& line) {
    const bool is_match = line.kind != FoundLine::Kind::kContext;
    if (is_match && lines_ == limits_.lines) return false;
    std::string text = std::exchange(head_, {});
    if (limits_.context && previous_ != 0 && line.number != previous_ + 1) text += "--\n";
    text += std::to_string(line.number) + (is_match ? ":" : "-") + line.text + "\n";
    if (!text_.Append(text)) return false;
    previous_ = line.number;
    if (is_match) {
      ++lines_;
      if (line.kind == FoundLine::Kind::kMatch) ++out_.shown;
      last_match_ = line.number;
      out_.matches.push_back(json::object{{"file", path}, {"line", line.number}, {"text", line.text}});
    }
    if (last_match_ != 0 && line.number <= last_match_ + limits_.after) kept_ = text_.size();
    return true;
  }

  const GrepTextLimits& limits_;
  GrepText& out_;
  LimitedText text_;
  std::string head_;  // of a file of which no line is out yet
  std::uint64_t previous_ = 0, last_match_ = 0;
  std::size_t lines_ = 0;
  std::size_t kept_ = 0;
};

}  // namespace

GrepText RenderContent(const GrepReport& report, const GrepTextLimits& limits, const ShownPath& shown_path) {
  GrepText out;
  ContentText text(limits, out);
  for (const GrepFile& file : report.files) {
    if (!text.AddFile(shown_path(file.index), file.matches)) break;
  }
  text.Finish();
  return out;
}

GrepText RenderFiles(const GrepReport& report, const GrepTextLimits& limits, const ShownPath& shown_path) {
  GrepText out;
  LimitedText text(limits);
  for (const GrepFile& file : report.files) {
    const std::string path = shown_path(file.index);
    if (out.shown == limits.lines || !text.Append(path + "\n")) break;
    ++out.shown;
    out.matches.push_back(json::object{{"file", path}});
  }
  out.body = text.Take(text.size());
  return out;
}

GrepText RenderCounts(const GrepReport& report, const GrepTextLimits& limits, const ShownPath& shown_path) {
  GrepText out;
  LimitedText text(limits);
  for (const GrepFile& file : report.files) {
    const std::string path = shown_path(file.index);
    const std::string line = file.matches.binary ? path + " is a binary file and matches.\n"
                                                 : path + ":" + std::to_string(file.matches.count) + "\n";
    if (out.shown == limits.lines || !text.Append(line)) break;
    ++out.shown;
    out.matches.push_back(json::object{{"file", path}, {"count", file.matches.count}});
  }
  out.body = text.Take(text.size()) + "\n" + Counted(report.matches, "match", "matches") + " in " +
             Counted(report.matched_files, "file", "files");
  return out;
}

}  // namespace awf::builtins
