#include "domain/terminal_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "domain/utf8.h"

namespace awf {
namespace {

constexpr char32_t kEscapeCharacter = 0x1B, kBell = 0x07;
constexpr char32_t kSequenceIntroducer = 0x9B, kStringTerminator = 0x9C;  // C1 forms of ESC [ and ESC backslash

struct Range {
  char32_t first, last;
};

bool In(char32_t character, const Range* begin, const Range* end) {
  const Range* found = std::upper_bound(begin, end, character, [](char32_t c, const Range& r) { return c < r.first; });
  return found != begin && character <= std::prev(found)->last;
}

char32_t Decode(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(bytes[i])); };
  switch (bytes.size()) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3:
      return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    default:
      return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  }
}

// True when `bytes`, no valid character, may become one with more bytes.
bool MayBeCut(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  const std::size_t wanted = first >= 0xF0 && first <= 0xF4 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (first > 0xF4 || bytes.size() >= wanted) return false;
  return std::all_of(bytes.begin() + 1, bytes.end(), IsUtf8Continuation);
}

bool OpensString(char32_t c) {  // OSC, DCS, SOS, PM, APC as C1 characters
  return c == 0x9D || c == 0x90 || c == 0x98 || c == 0x9E || c == 0x9F;
}

bool IsDirectionControl(char32_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F || c == 0x061C;
}

// Non-spacing characters and format characters of the scripts that occur in practice.
constexpr Range kZeroWidth[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},   {0x0610, 0x061A},   {0x064B, 0x065F}, {0x06D6, 0x06DC},
    {0x0900, 0x0902}, {0x093C, 0x093C}, {0x0941, 0x0948},   {0x0E31, 0x0E31},   {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E},
    {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},   {0x2060, 0x2064},   {0x20D0, 0x20FF}, {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0x1F3FB, 0x1F3FF}, {0xE0100, 0xE01EF},
};
// East Asian wide and fullwidth, and emoji presentation.
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x2614, 0x2615},   {0x26A1, 0x26A1},
    {0x26D4, 0x26D4},   {0x2705, 0x2705},   {0x274C, 0x274C},   {0x2753, 0x2755},   {0x2795, 0x2797},
    {0x2B50, 0x2B50},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},
    {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF},
    {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

std::size_t Width(char32_t character) {
  if (In(character, std::begin(kZeroWidth), std::end(kZeroWidth))) return 0;
  return In(character, std::begin(kWide), std::end(kWide)) ? 2 : 1;
}

}  // namespace

std::string TerminalFilter::Feed(std::string_view piece) {
  std::string joined;
  if (!incomplete_.empty()) {
    joined = incomplete_.append(piece);
    incomplete_.clear();
    piece = joined;
  }
  std::string out;
  out.reserve(piece.size());
  while (!piece.empty()) {
    const std::size_t length = Utf8CharacterLength(piece);
    if (length == 0 && MayBeCut(piece)) {
      incomplete_ = piece;
      break;
    }
    const std::string_view bytes = piece.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0) {
      Take(U'\uFFFD', kReplacementCharacter, out);
    } else {
      Take(Decode(bytes), bytes, out);
    }
    piece.remove_prefix(bytes.size());
  }
  return out;
}

std::string TerminalFilter::Flush() {
  std::string out;
  if (!incomplete_.empty()) Take(U'\uFFFD', kReplacementCharacter, out);
  incomplete_.clear();
  state_ = State::kText;
  after_return_ = false;
  return out;
}

void TerminalFilter::Take(char32_t character, std::string_view bytes, std::string& out) {
  // A new line ends whatever was open: an unfinished sequence must not swallow the rest of the output.
  if (character == U'\n' || character == U'\r') state_ = State::kText;
  if (state_ != State::kText && TakeSequence(character)) return;
  TakeText(character, bytes, out);
}

// True when the character belonged to a sequence.
bool TerminalFilter::TakeSequence(char32_t character) {
  switch (state_) {
    case State::kEscape:
      if (character == U'[') {
        state_ = State::kSequence;
      } else if (character == U']' || character == U'P' || character == U'X' || character == U'^' ||
                 character == U'_') {
        state_ = State::kString;
      } else if (character < 0x20 || character > 0x2F) {  // not an intermediate: the last one
        state_ = State::kText;
        return character >= 0x30 && character <= 0x7E;
      }
      return true;
    case State::kSequence:
      if (character >= 0x20 && character <= 0x3F) return true;
      state_ = State::kText;
      return character >= 0x40 && character <= 0x7E;
    case State::kString:
      if (character == kBell || character == kStringTerminator) state_ = State::kText;
      if (character == kEscapeCharacter) state_ = State::kStringEscape;
      return true;
    case State::kStringEscape:
      state_ = character == U'\\' ? State::kText : State::kString;
      return true;
    case State::kText:
      return false;
  }
  return false;
}

void TerminalFilter::TakeText(char32_t character, std::string_view bytes, std::string& out) {
  const bool after_return = std::exchange(after_return_, character == U'\r');
  if (character == U'\n' && after_return) return;  // its line feed is out already
  if (character == U'\n' || character == U'\r') {
    out.push_back('\n');
  } else if (character == kEscapeCharacter) {
    state_ = State::kEscape;
  } else if (character == kSequenceIntroducer) {
    state_ = State::kSequence;
  } else if (OpensString(character)) {
    state_ = State::kString;
  } else if (character == U'\t') {
    out.push_back('\t');
  } else if (character >= 0x20 && (character < 0x7F || character > 0x9F) && !IsDirectionControl(character)) {
    out.append(bytes);
  }
}

std::string PrintableLine(std::string_view text) {
  TerminalFilter filter;
  std::string line = filter.Feed(text);
  line += filter.Flush();
  std::replace_if(line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_last_not_of(' ') - begin + 1);
}

std::size_t DisplayWidth(std::string_view utf8) {
  std::size_t columns = 0;
  while (!utf8.empty()) {
    const std::size_t length = std::max<std::size_t>(Utf8CharacterLength(utf8), 1);
    columns += Width(Decode(utf8.substr(0, length)));
    utf8.remove_prefix(length);
  }
  return columns;
}

std::string_view ColumnsPrefix(std::string_view utf8, std::size_t columns) {
  std::size_t used = 0, end = 0;
  while (end < utf8.size()) {
    const std::size_t length = std::max<std::size_t>(Utf8CharacterLength(utf8.substr(end)), 1);
    used += Width(Decode(utf8.substr(end, length)));
    if (used > columns) break;
    end += length;
  }
  return utf8.substr(0, end);
}

std::string FitColumns(std::string_view utf8, std::size_t columns) {
  if (DisplayWidth(utf8) <= columns) return std::string(utf8);
  if (columns == 0) return {};
  return std::string(ColumnsPrefix(utf8, columns - 1)).append("…");
}

}  // namespace awf
