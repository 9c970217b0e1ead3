#include "infrastructure/builtins/edit_hint.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "domain/utf8.h"
#include "infrastructure/builtins/find_bytes.h"
#include "infrastructure/builtins/text_decoding.h"

namespace awf::builtins {
namespace {

constexpr auto kNowhere = std::string_view::npos;

std::string AtLine(std::string_view sentence, std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, position);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  return std::string(sentence) + " at line " + std::to_string(line) + ".";
}

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Length of "  12<TAB>" at the start of a line, else 0.
std::size_t LineNumberLength(std::string_view line) {
  std::size_t at = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t digits = at;
  while (at < line.size() && line[at] >= '0' && line[at] <= '9') ++at;
  return at > digits && at < line.size() && line[at] == '\t' ? at + 1 : 0;
}

bool HasLineNumbers(std::string_view text, std::string_view old_string) {
  if (LineNumberLength(old_string) == 0) return false;
  std::string bare;
  bool all_numbered = true;
  for (std::string_view rest = old_string; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::string_view line = rest.substr(0, end);
    const std::size_t prefix = LineNumberLength(line);
    all_numbered = all_numbered && prefix > 0;
    bare += line.substr(prefix);
    rest.remove_prefix(end);
  }
  return all_numbered || FindBytes(text, bare) != kNowhere;
}

std::string WithoutSpace(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) { return !IsSpace(c); });
  return out;
}

std::string WhiteSpaceHint(std::string_view text, std::string_view old_string) {
  const std::string wanted = WithoutSpace(old_string);
  if (wanted.empty()) return {};
  std::size_t before = FindBytes(WithoutSpace(text), wanted);
  if (before == kNowhere) return {};
  std::size_t at = 0;
  for (; before > 0 || IsSpace(text[at]); ++at) {
    if (!IsSpace(text[at])) --before;
  }
  return AtLine("Only white space differs", text, at);
}

std::string WithPlainQuotes(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 8> kQuotes = {
      {{"‘", '\''}, {"’", '\''}, {"‚", '\''}, {"‛", '\''}, {"“", '"'}, {"”", '"'}, {"„", '"'}, {"‟", '"'}}};
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto quote = std::find_if(kQuotes.begin(), kQuotes.end(),
                                    [&](const auto& q) { return text.substr(at, q.first.size()) == q.first; });
    out.push_back(quote == kQuotes.end() ? text[at] : quote->second);
    at += quote == kQuotes.end() ? 1 : quote->first.size();
  }
  return out;
}

std::string QuotesHint(std::string_view text, std::string_view old_string) {
  if (text.find("\xE2\x80") == kNowhere) return {};
  const std::string plain = WithPlainQuotes(text);
  const std::size_t at = FindBytes(plain, old_string);
  return at == kNowhere ? std::string() : AtLine("The file has typographic quotes", plain, at);
}

bool InRange(char32_t code, char32_t low, char32_t high) { return code >= low && code <= high; }

// What a composed letter is followed by when it is taken apart.
bool IsMark(char32_t code) {
  return InRange(code, 0x0300, 0x036F) || InRange(code, 0x1161, 0x11C2) || code == 0x3099 || code == 0x309A;
}

// Letters that can be taken apart: Latin, Greek, Cyrillic, kana, Hangul.
bool MayBeComposed(char32_t code) {
  return InRange(code, 0x00C0, 0x024F) || InRange(code, 0x0370, 0x04FF) || InRange(code, 0x1E00, 0x1FFF) ||
         InRange(code, 0x3040, 0x30FF) || InRange(code, 0xAC00, 0xD7A3);
}

struct Skeleton {
  std::string text;
  bool has_marks = false;
};

// The text with one and the same sign for every letter that is composed or followed by marks: composed and decomposed
// spellings of a word have the same skeleton.
Skeleton SkeletonOf(std::string_view text) {
  constexpr char kLetter = '\x01';
  Skeleton skeleton;
  skeleton.text.reserve(text.size());
  std::size_t last = 0;  // where the last letter begins in the skeleton
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = StepUtf8(text, at);
    if (step.valid && IsMark(step.code) && !skeleton.text.empty()) {
      skeleton.text.resize(last);
      skeleton.text.push_back(kLetter);
      skeleton.has_marks = true;
    } else {
      last = skeleton.text.size();
      if (step.valid && MayBeComposed(step.code)) {
        skeleton.text.push_back(kLetter);
      } else {
        skeleton.text += text.substr(at, step.length);
      }
    }
    at += step.length;
  }
  return skeleton;
}

std::string NormalisationHint(std::string_view text, std::string_view old_string) {
  if (IsAscii(old_string)) return {};
  const Skeleton wanted = SkeletonOf(old_string);
  const Skeleton whole = SkeletonOf(text);
  if (!wanted.has_marks && !whole.has_marks) return {};
  const std::size_t at = FindBytes(whole.text, wanted.text);
  return at == kNowhere ? std::string() : AtLine("The file uses another Unicode normalisation", whole.text, at);
}

bool HasLiteralLineFeeds(std::string_view text, std::string_view old_string) {
  std::string real;
  for (std::size_t at = 0; at < old_string.size(); ++at) {
    const bool escape = old_string.substr(at).starts_with("\\n");
    real.push_back(escape ? '\n' : old_string[at]);
    if (escape) ++at;
  }
  return real != old_string && FindBytes(text, real) != kNowhere;
}

}  // namespace

std::string HintForMissing(std::string_view bytes, std::string_view old_bytes) {
  const std::string text = WithLf(bytes);
  const std::string old_string = WithLf(old_bytes);
  if (HasLineNumbers(text, old_string)) return "It begins with a line number of Read; leave that out.";
  for (const auto hint : {WhiteSpaceHint, QuotesHint, NormalisationHint}) {
    std::string sentence = hint(text, old_string);
    if (!sentence.empty()) return sentence;
  }
  if (HasLiteralLineFeeds(text, old_string)) return "It has a literal \\n where the file has a line break.";
  return {};
}

}  // namespace awf::builtins
