#include "infrastructure/builtins/line_page.h"

#include <algorithm>

#include "domain/utf8.h"
#include "infrastructure/builtins/result_text.h"

namespace awf::builtins {
namespace {

bool IsPlain(std::string_view line) {
  return std::all_of(line.begin(), line.end(), [](char c) { return (c >= 0x20 && c < 0x7F) || c == '\t'; });
}

}  // namespace

void LinePage::Feed(std::string_view text) {
  fed_ = fed_ || !text.empty();
  ends_.Add(text);
  while (!text.empty() && !complete_) {
    const std::size_t end = text.find('\n');
    in_line_ = true;
    if (lines_ + 1 >= limits_.first) Keep(text.substr(0, end));
    if (end == std::string_view::npos) return;
    EndLine(true);
    text.remove_prefix(end + 1);
  }
  if (text.empty()) return;
  lines_ += std::count(text.begin(), text.end(), '\n');
  in_line_ = text.back() != '\n';
}

void LinePage::Finish() {
  if (!in_line_) return;
  if (complete_) {
    ++lines_;
  } else {
    EndLine(false);
  }
  in_line_ = false;
}

// Enough bytes for the widest characters, and one more, which tells that the line is longer.
void LinePage::Keep(std::string_view piece) {
  const std::size_t most = limits_.line_width * 4 + 4;
  const std::size_t room = most - line_.size();
  if (piece.size() > room) overlong_ = true;
  line_.append(piece.substr(0, room));
}

void LinePage::EndLine(bool with_line_feed) {
  ++lines_;
  in_line_ = false;
  if (lines_ >= limits_.first) Show(with_line_feed);
  line_.clear();
  overlong_ = false;
  if (lines_ - limits_.first + 1 >= limits_.count) complete_ = true;
}

void LinePage::Show(bool with_line_feed) {
  std::string_view raw = line_;
  if (with_line_feed && !overlong_ && raw.ends_with('\r')) raw.remove_suffix(1);
  const std::size_t bad_before = bad_bytes_;
  const std::size_t controls_before = controls_;
  bool cut = false;
  std::string_view shown = Cleaned(raw, cut);
  const std::string prefix = (text_.empty() ? "" : "\n") + std::to_string(lines_) + "\t";
  const std::size_t used_characters = std::min(limits_.characters, text_characters_ + prefix.size());
  const std::size_t used_bytes = std::min(limits_.bytes, text_.size() + prefix.size());
  const std::string_view fitting =
      PrefixWithin(shown, limits_.characters - used_characters, limits_.bytes - used_bytes);
  if (fitting.size() < shown.size() || used_bytes == limits_.bytes || used_characters == limits_.characters) {
    if (last_shown_ != 0) {  // it comes first on the next page
      bad_bytes_ = bad_before;
      controls_ = controls_before;
      complete_ = true;
      return;
    }
    cut = cut || fitting.size() < shown.size();
    shown = fitting;
  }
  text_ += prefix;
  text_ += shown;
  text_characters_ += prefix.size() + CountCharacters(shown);
  last_shown_ = lines_;
  if (cut) cut_lines_.push_back(lines_);
}

std::string_view LinePage::Cleaned(std::string_view line, bool& cut) {
  if (line.size() <= limits_.line_width && IsPlain(line)) return line;
  cleaned_.clear();
  std::size_t characters = 0;
  for (std::size_t at = 0; at < line.size(); ++characters) {
    if (characters == limits_.line_width) {
      cut = true;
      break;
    }
    const Utf8Step step = StepUtf8(line, at);
    const bool control = step.valid && step.code < 0x20 && step.code != '\t';
    if (step.valid && !control) {
      cleaned_.append(line, at, step.length);
    } else {
      cleaned_.append(kReplacementCharacter);
      control ? ++controls_ : bad_bytes_ += step.length;
    }
    at += step.length;
  }
  return cleaned_;
}

}  // namespace awf::builtins
