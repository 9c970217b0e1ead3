#include "utf8.h"

namespace mcp {
namespace {

bool IsContinuation(unsigned char byte) { return (byte & 0xC0U) == 0x80U; }

// Four hex digits, or nothing.
std::optional<unsigned> Hex4(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  unsigned value = 0;
  for (const char c : text.substr(0, 4)) {
    unsigned digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<unsigned>(c - '0');
    } else if ((c | 32) >= 'a' && (c | 32) <= 'f') {
      digit = static_cast<unsigned>((c | 32) - 'a') + 10;
    } else {
      return std::nullopt;
    }
    value = value * 16 + digit;
  }
  return value;
}

bool IsHighSurrogate(unsigned unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool IsLowSurrogate(unsigned unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// Copies the escape at the start of text, which begins with a backslash; returns its length.
std::size_t CopyEscape(std::string& out, std::string_view text, bool& changed) {
  if (text.size() < 2 || static_cast<unsigned char>(text[1]) >= 0x80) {
    out.push_back('\\');
    return 1;
  }
  const auto unit = text[1] == 'u' ? Hex4(text.substr(2)) : std::nullopt;
  if (!unit) {
    out.append(text.substr(0, 2));
    return 2;
  }
  if (IsHighSurrogate(*unit) && text.substr(6, 2) == "\\u") {
    if (const auto second = Hex4(text.substr(8)); second && IsLowSurrogate(*second)) {
      out.append(text.substr(0, 12));
      return 12;
    }
  }
  if (IsHighSurrogate(*unit) || IsLowSurrogate(*unit)) {
    out.append("\\ufffd");
    changed = true;
  } else {
    out.append(text.substr(0, 6));
  }
  return 6;
}

}  // namespace

Utf8Sequence NextUtf8(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {1, true};
  std::size_t length = 0;
  unsigned char low = 0x80,
                high = 0xBF;  // bounds of the second byte: no overlong form, no surrogate, no more than 10FFFF
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {1, false};
  }
  if (text.size() < 2) return {1, false};
  const auto second = static_cast<unsigned char>(text[1]);
  if (second < low || second > high) return {1, false};
  for (std::size_t i = 2; i < length; ++i) {
    if (i >= text.size() || !IsContinuation(static_cast<unsigned char>(text[i]))) return {i, false};
  }
  return {length, true};
}

void AppendValidUtf8(std::string& out, std::string_view text) {
  std::size_t copied = 0;  // up to where text has been appended
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Sequence sequence = NextUtf8(text.substr(i));
    if (!sequence.valid) {
      out.append(text.substr(copied, i - copied)).append(kReplacement);
      copied = i + sequence.length;
    }
    i += sequence.length;
  }
  out.append(text.substr(copied));
}

std::string_view CutUtf8(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  while (max_bytes > 0 && IsContinuation(static_cast<unsigned char>(text[max_bytes]))) --max_bytes;
  return text.substr(0, max_bytes);
}

std::optional<std::string> RepairJsonText(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  bool changed = false;
  for (std::size_t i = 0; i < json.size();) {
    if (json[i] == '\\') {
      i += CopyEscape(out, json.substr(i), changed);
      continue;
    }
    const Utf8Sequence sequence = NextUtf8(json.substr(i));
    if (sequence.valid) {
      out.append(json.substr(i, sequence.length));
    } else {
      out.append(kReplacement);
      changed = true;
    }
    i += sequence.length;
  }
  if (!changed) return std::nullopt;
  return out;
}

}  // namespace mcp
