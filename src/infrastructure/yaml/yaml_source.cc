#include "infrastructure/yaml/yaml_source.h"

#include <algorithm>
#include <utility>

#include "domain/utf8.h"

namespace awf {
namespace {

constexpr std::size_t kCheckpointEvery = 64;
constexpr std::size_t kMarkEvery = 1024;  // bytes: so that no position needs a walk over a line of megabytes

// A place in the source that knows its line and column.
class Cursor {
 public:
  Cursor(std::string_view text, std::size_t offset, std::size_t line, std::size_t column)
      : text_(text), offset_(offset), line_(line), column_(column) {}

  bool AtEnd() const { return offset_ >= text_.size(); }
  char Peek(std::size_t ahead = 0) const { return offset_ + ahead < text_.size() ? text_[offset_ + ahead] : '\0'; }
  std::size_t offset() const { return offset_; }
  std::size_t line() const { return line_; }
  std::size_t column() const { return column_; }

  std::size_t BreakLength() const {
    const std::string_view rest = text_.substr(std::min(offset_, text_.size()));
    if (rest.starts_with("\r\n") || rest.starts_with("\xC2\x85")) return 2;
    if (rest.starts_with('\n') || rest.starts_with('\r')) return 1;
    if (rest.starts_with("\xE2\x80\xA8") || rest.starts_with("\xE2\x80\xA9")) return 3;
    return 0;
  }
  bool AtBlank() const { return Peek() == ' ' || Peek() == '\t'; }

  // One character, or one line break.
  void Advance() {
    if (const std::size_t length = BreakLength(); length > 0) {
      offset_ += length;
      ++line_;
      column_ = 1;
      return;
    }
    ++offset_;
    while (!AtEnd() && IsUtf8Continuation(text_[offset_])) ++offset_;
    ++column_;
  }
  void Advance(std::size_t characters) {
    for (; characters > 0 && !AtEnd(); --characters) Advance();
  }

  // Past white space, if there is a line break in it; else stays.
  bool SkipFold() {
    Cursor ahead = *this;
    bool broke = false;
    while (!ahead.AtEnd() && (ahead.AtBlank() || ahead.BreakLength() > 0)) {
      broke = broke || ahead.BreakLength() > 0;
      ahead.Advance();
    }
    if (broke) *this = ahead;
    return broke;
  }

 private:
  std::string_view text_;
  std::size_t offset_, line_, column_;
};

std::size_t CharacterLength(std::string_view value, std::size_t at) {
  std::size_t length = 1;
  while (at + length < value.size() && IsUtf8Continuation(value[at + length])) ++length;
  return length;
}

// Characters of source that the escape at the cursor takes ("\n" 2, "\x41" 4, …).
std::size_t EscapeLength(const Cursor& cursor) {
  switch (cursor.Peek(1)) {
    case 'x':
      return 4;
    case 'u':
      return 6;
    case 'U':
      return 10;
    default:
      return 2;
  }
}

// Anchor and tag stand before the scalar, which itself cannot begin with & or !.
void SkipProperties(Cursor& cursor) {
  const auto at_space = [&] { return cursor.AtBlank() || cursor.BreakLength() > 0; };
  while (cursor.Peek() == '&' || cursor.Peek() == '!') {
    while (!cursor.AtEnd() && !at_space()) cursor.Advance();
    while (!cursor.AtEnd() && at_space()) cursor.Advance();
  }
}

// Walks value and source side by side and notes a mark wherever they stop running in parallel.
class MarkWalk {
 public:
  MarkWalk(std::string_view value, Cursor cursor, YamlNode::Style style)
      : value_(value), cursor_(cursor), style_(style) {}

  std::vector<TextMark> Run() {
    Note();
    while (at_ < value_.size() && !cursor_.AtEnd()) {
      if (at_ - marks_.back().offset >= kMarkEvery) Note();
      if (style_ == YamlNode::Style::kDoubleQuoted && cursor_.Peek() == '\\') {
        Escape();
      } else if (IsSpace(value_[at_])) {
        Space();
      } else if (!Character()) {
        break;
      }
    }
    return std::move(marks_);
  }

 private:
  static bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  void Note() {
    if (!marks_.empty() && marks_.back().offset == at_) marks_.pop_back();
    marks_.push_back({at_, cursor_.line(), cursor_.column()});
  }
  void Escape() {
    const bool line_continues = cursor_.Peek(1) == '\n' || cursor_.Peek(1) == '\r';
    if (line_continues) {
      cursor_.Advance();
      cursor_.SkipFold();
    } else {
      cursor_.Advance(EscapeLength(cursor_));
      at_ += CharacterLength(value_, at_);
    }
    Note();
  }
  // Folding turns a run of white space with line breaks into less; what the source lacks then costs it nothing.
  void Space() {
    if (cursor_.SkipFold()) {
      ++at_;
      Note();
    } else if (cursor_.Peek() == value_[at_]) {
      cursor_.Advance();
      ++at_;
    } else {
      ++at_;
      Note();
    }
  }
  bool Character() {
    if (style_ == YamlNode::Style::kDoubleQuoted || style_ == YamlNode::Style::kSingleQuoted ||
        style_ == YamlNode::Style::kPlain) {
      // A fold of which nothing is left in the value: after a line continuation.
      if (cursor_.Peek() != value_[at_] && cursor_.SkipFold()) Note();
    }
    if (cursor_.Peek() != value_[at_]) return false;
    const bool doubled = style_ == YamlNode::Style::kSingleQuoted && cursor_.Peek() == '\'';
    at_ += CharacterLength(value_, at_);
    cursor_.Advance(doubled ? 2 : 1);
    if (doubled) Note();
    return true;
  }

  std::string_view value_;
  std::size_t at_ = 0;
  Cursor cursor_;
  YamlNode::Style style_;
  std::vector<TextMark> marks_;
};

}  // namespace

YamlSource::YamlSource(std::string text) : text_(std::move(text)) {
  std::size_t character = 0;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (IsUtf8Continuation(text_[i])) continue;
    if (character % kCheckpointEvery == 0) checkpoints_.push_back(i);
    ++character;
  }
}

std::size_t YamlSource::OffsetOf(std::size_t character) const {
  if (checkpoints_.empty()) return 0;
  const std::size_t checkpoint = std::min(character / kCheckpointEvery, checkpoints_.size() - 1);
  std::size_t offset = checkpoints_[checkpoint];
  for (std::size_t left = character - checkpoint * kCheckpointEvery; left > 0 && offset < text_.size(); --left) {
    ++offset;
    while (offset < text_.size() && IsUtf8Continuation(text_[offset])) ++offset;
  }
  return offset;
}

TextMark YamlSource::MarkOf(std::size_t offset) const {
  Cursor cursor(text_, 0, 1, 1);
  while (cursor.offset() < offset && !cursor.AtEnd()) cursor.Advance();
  return {offset, cursor.line(), cursor.column()};
}

std::vector<TextMark> YamlSource::MarksOf(const YamlNode& scalar) const {
  Cursor cursor(std::string_view(text_).substr(0, scalar.end), scalar.begin, scalar.line, scalar.column);
  SkipProperties(cursor);
  switch (scalar.style) {
    case YamlNode::Style::kPlain:
      break;
    case YamlNode::Style::kSingleQuoted:
    case YamlNode::Style::kDoubleQuoted:
      cursor.Advance();
      break;
    case YamlNode::Style::kLiteral:
    case YamlNode::Style::kFolded:
      while (!cursor.AtEnd() && cursor.BreakLength() == 0) cursor.Advance();
      cursor.Advance();
      // Leading blank lines are part of the value; the indentation of the first line is not.
      while (!cursor.AtEnd() && cursor.AtBlank()) cursor.Advance();
      break;
  }
  return MarkWalk(scalar.text, cursor, scalar.style).Run();
}

}  // namespace awf
