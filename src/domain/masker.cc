#include "domain/masker.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "domain/tool_observer.h"
#include "domain/utf8.h"

namespace awf {
namespace {

constexpr std::size_t kShortestSecret = 8;
constexpr std::size_t kShortestLine = 16;
constexpr std::size_t kTellingAtCut = 4;  // of a secret, beside a place that is known to be cut

std::string_view WithoutSpace(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}

// The line that stands for what was left out of the middle of an output; empty when there is none.
std::string_view MarkOfMissing(std::string_view text) {
  static constexpr std::string_view kBegin = "\n[... ", kEnd = " cut ...]\n";
  for (std::size_t at = text.find(kBegin); at != std::string_view::npos; at = text.find(kBegin, at + 1)) {
    const std::size_t end = text.find('\n', at + 1);
    if (end == std::string_view::npos) return {};
    const std::string_view line = text.substr(at, end + 1 - at);
    if (line.ends_with(kEnd)) return line;
  }
  return {};
}

}  // namespace

Masker::Masker() { AddShapeStarts(starts_); }

void Masker::AddSecret(std::string_view value) {
  value = WithoutSpace(value);
  Learn(value);
  if (value.find('\n') != std::string_view::npos) {
    while (!value.empty()) {
      const std::size_t end = std::min(value.find('\n'), value.size());
      const std::string_view line = WithoutSpace(value.substr(0, end));
      if (line.size() >= kShortestLine) Learn(line);
      value.remove_prefix(std::min(end + 1, value.size()));
    }
  }
  values_.AddStarts(starts_);
}

void Masker::Learn(std::string_view value) {
  if (value.size() < kShortestSecret) return;
  values_.Add(value);
  // What it is after the repair that texts go through on their way.
  if (!IsValidUtf8(value)) values_.Add(RepairUtf8(value));
}

void Masker::AddEnvironment(char** environment) {
  for (char** entry = environment; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    if (names_.Covers(text.substr(0, equals))) AddSecret(text.substr(equals + 1));
    AddUrlPasswords(text.substr(equals + 1));
  }
}

void Masker::AddUrlPasswords(std::string_view text) {
  Shape shape;
  for (std::size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1)) {
    if (MatchShape(text, at, true, shape) == ShapeFound::kYes)
      AddSecret(text.substr(shape.begin, shape.end - shape.begin));
  }
}

void Masker::Progress::Add(const Shape& shape) {
  for (Shape& open : shapes) {
    if (open.tail != shape.tail || open.begin > shape.begin || open.end < shape.begin) continue;
    open.end = std::max(open.end, shape.end);
    return;
  }
  shapes.push_back(shape);
}

bool Masker::Progress::HidesAmongAll(std::string_view text, std::size_t at) {
  const std::size_t place = offset + at;
  bool hidden = place < hidden_until;
  if (!shapes.empty()) {
    std::erase_if(shapes, [&](Shape& shape) {
      if (place < shape.begin) return false;
      if (place >= shape.end) {
        if (!TailGoesOn(shape.tail, text, at)) return true;
        shape.end = place + 1;
      }
      hidden = true;
      return false;
    });
  }
  while (next_mark < marks.size() && marks[next_mark].end <= place) ++next_mark;
  return hidden || (next_mark < marks.size() && marks[next_mark].begin <= place);
}

bool Masker::Open(std::string_view text, std::size_t at, bool final, Progress& progress) const {
  Shape shape;
  const ShapeFound found = MatchShape(text, at, final, shape);
  if (found == ShapeFound::kUndecided) return false;
  const ValueMatch value = values_.MatchAt(text, at, final);
  if (value.undecided) return false;
  if (value.length > 0) progress.hidden_until = std::max(progress.hidden_until, progress.offset + at + value.length);
  if (found == ShapeFound::kYes) progress.Add({progress.offset + shape.begin, progress.offset + shape.end, shape.tail});
  return true;
}

std::size_t Masker::Scan(std::string_view text, std::size_t from, bool final, Progress& progress,
                         std::string& out) const {
  std::size_t at = from, copied = from;  // before `copied` all is in `out`
  for (; at < text.size(); ++at) {
    if (starts_.May(text, at) && !Open(text, at, final, progress)) break;
    if (!progress.Hides(text, at)) {
      progress.in_mask = false;
      continue;
    }
    out.append(text.substr(copied, at - copied));
    copied = at + 1;
    if (!progress.in_mask) out.append(kMask);
    progress.in_mask = true;
  }
  out.append(text.substr(copied, at - copied));
  return at;
}

void Masker::Mark(std::string_view text, std::size_t offset, std::vector<Range>& marks) const {
  std::vector<Range> found;
  std::vector<RegexGroup> groups;
  for (const auto& pattern : patterns_) {
    for (std::size_t from = 0; from < text.size() && pattern->Find(text, from, groups);) {
      if (groups[0].end > groups[0].begin) found.push_back({offset + groups[0].begin, offset + groups[0].end});
      from = std::max(groups[0].end, groups[0].begin + 1);
    }
  }
  std::ranges::sort(found, {}, &Range::begin);
  for (const Range& range : found) {
    if (!marks.empty() && marks.back().end >= range.begin) {
      marks.back().end = std::max(marks.back().end, range.end);
    } else {
      marks.push_back(range);
    }
  }
}

std::string Masker::MaskText(std::string_view text, TextBegin begin) const {
  if (const std::string_view mark = MarkOfMissing(text); !mark.empty()) {
    const auto at = static_cast<std::size_t>(mark.data() - text.data());
    std::string masked = MaskPiece(text.substr(0, at), begin, true);
    return masked.append(mark).append(MaskText(text.substr(at + mark.size()), TextBegin::kCut));
  }
  if (!text.ends_with(kCutMark)) return MaskPiece(text, begin, false);
  text.remove_suffix(kCutMark.size());
  return MaskPiece(text, begin, true).append(kCutMark);
}

// `goes_on`: what may be the beginning of a secret at the end is replaced.
std::string Masker::MaskPiece(std::string_view text, TextBegin begin, bool goes_on) const {
  Progress progress;
  if (!patterns_.empty()) Mark(text, 0, progress.marks);
  if (begin != TextBegin::kWhole) {
    progress.hidden_until = values_.EndAtBegin(text, begin == TextBegin::kCut ? kTellingAtCut : 0);
    if (const Shape key = OrphanedKey(text); key.end > key.begin) progress.Add(key);
    if (begin == TextBegin::kCut) progress.Add(KeyEndAtBegin(text));
  }
  std::string masked;
  masked.reserve(text.size());
  const std::size_t end = Scan(text, 0, !goes_on, progress, masked);
  if (end == text.size()) return masked;
  if (text.size() - end < kTellingAtCut) return masked.append(text.substr(end));
  return progress.in_mask ? masked : masked.append(kMask);
}

json::value Masker::MaskJson(const json::value& value) const { return MaskBelow(value, false); }

json::value Masker::MaskBelow(const json::value& value, bool secret_key) const {
  if (const auto* text = value.if_string()) {
    if (secret_key) return json::value(kMask);
    return json::value(MaskText(*text));
  }
  if (const auto* array = value.if_array()) {
    json::array masked;
    masked.reserve(array->size());
    for (const json::value& element : *array) masked.push_back(MaskBelow(element, secret_key));
    return masked;
  }
  if (const auto* object = value.if_object()) {
    json::object masked;
    masked.reserve(object->size());
    for (const auto& [key, member] : *object)
      masked.insert_or_assign(MaskText(key), MaskBelow(member, secret_key || names_.Covers(key)));
    return masked;
  }
  return value;
}

std::string StreamMasker::Feed(std::string_view piece) {
  if (masker_->patterns_.empty()) return Take(piece, false);
  line_ += piece;
  std::size_t ready = line_.rfind('\n') + 1;  // 0 when there is none
  if (line_.size() - ready > kLongestLine) ready = line_.size();
  if (ready == 0) return {};
  MarkLines(std::string_view(line_).substr(0, ready));
  std::string out = Take(std::string_view(line_).substr(0, ready), false);
  line_.erase(0, ready);
  return out;
}

std::string StreamMasker::Flush() {
  MarkLines(line_);
  std::string out = Take(line_, true);
  progress_ = {};
  buffer_.clear();
  line_.clear();
  done_ = 0;
  return out;
}

// Each by itself, so that it does not matter how they came.
void StreamMasker::MarkLines(std::string_view lines) {
  std::size_t place = progress_.offset + buffer_.size();
  while (!lines.empty()) {
    const std::size_t length = std::min(lines.find('\n'), lines.size() - 1) + 1;
    masker_->Mark(lines.substr(0, length), place, progress_.marks);
    place += length;
    lines.remove_prefix(length);
  }
}

std::string StreamMasker::Take(std::string_view text, bool final) {
  std::string out;
  buffer_ += text;
  done_ = masker_->Scan(buffer_, done_, final, progress_, out);
  const std::size_t past = done_ - std::min(done_, kShapeContext);
  buffer_.erase(0, past);
  progress_.offset += past;
  done_ -= past;
  const auto passed = progress_.marks.begin() + static_cast<std::ptrdiff_t>(progress_.next_mark);
  progress_.marks.erase(progress_.marks.begin(), passed);
  progress_.next_mark = 0;
  return out;
}

}  // namespace awf
