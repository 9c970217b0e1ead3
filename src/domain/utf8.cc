#include "domain/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace awf {
namespace {

unsigned char ByteAt(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

// What a lead byte promises: length of the sequence, and the range of the second byte (no overlong forms, no
// surrogates, nothing above U+10FFFF).
struct Lead {
  std::size_t length;
  unsigned char low, high;
};

Lead LeadOf(unsigned char byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

// The first place at or after `at` that is not ASCII; eight bytes at a time, since most text is ASCII.
std::size_t SkipAscii(std::string_view text, std::size_t at) {
  while (at + 8 <= text.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    if ((word & 0x8080808080808080ULL) != 0) break;
    at += 8;
  }
  while (at < text.size() && ByteAt(text, at) < 0x80) ++at;
  return at;
}

}  // namespace

Utf8Step StepUtf8(std::string_view text, std::size_t at) {
  const unsigned char first = ByteAt(text, at);
  const Lead lead = LeadOf(first);
  if (lead.length == 1) return {1, first, true};
  if (lead.length == 0) return {1, 0, false};
  char32_t code = first & (0x7FU >> lead.length);
  for (std::size_t i = 1; i < lead.length; ++i) {
    const unsigned char low = i == 1 ? lead.low : 0x80;
    const unsigned char high = i == 1 ? lead.high : 0xBF;
    if (at + i >= text.size() || ByteAt(text, at + i) < low || ByteAt(text, at + i) > high) return {i, 0, false};
    code = (code << 6) | (ByteAt(text, at + i) & 0x3FU);
  }
  return {lead.length, code, true};
}

std::size_t Utf8CharacterLength(std::string_view text) {
  if (text.empty()) return 0;
  const Utf8Step step = StepUtf8(text, 0);
  return step.valid ? step.length : 0;
}

bool IsValidUtf8(std::string_view text) {
  for (std::size_t at = SkipAscii(text, 0); at < text.size(); at = SkipAscii(text, at)) {
    const Utf8Step step = StepUtf8(text, at);
    if (!step.valid) return false;
    at += step.length;
  }
  return true;
}

bool IsAscii(std::string_view text) { return SkipAscii(text, 0) == text.size(); }

std::size_t UnfinishedUtf8(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const std::size_t at = text.size() - back;
    if (IsUtf8Continuation(text[at])) continue;  // a continuation: its lead stands before it
    const Utf8Step step = StepUtf8(text, at);
    return !step.valid && step.length == back && LeadOf(ByteAt(text, at)).length > back ? back : 0;
  }
  return 0;
}

std::string RepairUtf8(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t ascii = SkipAscii(text, at);
    repaired += text.substr(at, ascii - at);
    at = ascii;
    const std::size_t length = Utf8CharacterLength(text.substr(at));
    if (length > 0) {
      repaired += text.substr(at, length);
      at += length;
    } else if (at < text.size()) {
      repaired += kReplacementCharacter;
      ++at;
    }
  }
  return repaired;
}

void AppendUtf8(std::string& out, char32_t code) {
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if ((code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) {
    out.append(kReplacementCharacter);
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

std::size_t CountCharacters(std::string_view utf8) {
  return utf8.size() - static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), IsUtf8Continuation));
}

std::string_view Utf8Prefix(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t end = bytes;
  while (end > 0 && IsUtf8Continuation(text[end])) --end;
  return text.substr(0, end);
}

std::string_view FirstCharacters(std::string_view utf8, std::size_t characters) {
  if (utf8.size() <= characters) return utf8;  // a character has at least one byte
  std::size_t end = 0;
  for (std::size_t count = 0; end < utf8.size() && count < characters; ++count) {
    ++end;
    while (end < utf8.size() && IsUtf8Continuation(utf8[end])) ++end;
  }
  return utf8.substr(0, end);
}

}  // namespace awf
