#include "infrastructure/builtins/text_decoding.h"

#include <algorithm>
#include <cstring>

#include "domain/utf8.h"

namespace awf::builtins {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kLeMark = "\xFF\xFE";
constexpr std::string_view kBeMark = "\xFE\xFF";

bool IsHighSurrogate(char16_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool IsLowSurrogate(char16_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

}  // namespace

EncodingMark DetectEncoding(std::string_view head) {
  if (head.starts_with(kUtf8Mark)) return {TextEncoding::kUtf8, kUtf8Mark.size()};
  if (head.starts_with(kBeMark)) return {TextEncoding::kUtf16Be, kBeMark.size()};
  // FF FE 00 00 is the mark of UTF-32.
  if (head.starts_with(kLeMark) && head.substr(2, 2) != std::string_view("\0\0", 2))
    return {TextEncoding::kUtf16Le, kLeMark.size()};
  return {};
}

std::string_view ToString(TextEncoding encoding) {
  switch (encoding) {
    case TextEncoding::kUtf16Le:
      return "UTF-16LE";
    case TextEncoding::kUtf16Be:
      return "UTF-16BE";
    case TextEncoding::kUtf8:
      break;
  }
  return "UTF-8";
}

bool LooksBinary(std::string_view head) {
  const EncodingMark mark = DetectEncoding(head);
  if (mark.encoding == TextEncoding::kUtf8) return head.find('\0') != std::string_view::npos;
  for (std::size_t at = mark.length; at + 1 < head.size(); at += 2) {
    if (head[at] == '\0' && head[at + 1] == '\0') return true;
  }
  return false;
}

void Utf16Decoder::Decode(std::string_view bytes, std::string& out) {
  for (const char byte : bytes) {
    if (!has_half_) {
      half_ = byte;
      has_half_ = true;
      continue;
    }
    has_half_ = false;
    const auto first = static_cast<unsigned char>(half_);
    const auto second = static_cast<unsigned char>(byte);
    Unit(static_cast<char16_t>(big_endian_ ? first << 8 | second : second << 8 | first), out);
  }
}

void Utf16Decoder::Unit(char16_t unit, std::string& out) {
  if (high_ != 0 && IsLowSurrogate(unit)) {
    AppendUtf8(out, 0x10000U + ((high_ - 0xD800U) << 10) + (unit - 0xDC00U));
    high_ = 0;
    return;
  }
  if (high_ != 0) out.append(kReplacementCharacter);
  high_ = IsHighSurrogate(unit) ? unit : u'\0';
  if (high_ == 0) AppendUtf8(out, unit);
}

void Utf16Decoder::Finish(std::string& out) {
  if (high_ != 0 || has_half_) out.append(kReplacementCharacter);
  high_ = 0;
  has_half_ = false;
}

std::string DecodeText(std::string_view bytes) {
  const EncodingMark mark = DetectEncoding(bytes);
  bytes.remove_prefix(mark.length);
  if (mark.encoding == TextEncoding::kUtf8) return std::string(bytes);
  std::string out;
  out.reserve(bytes.size());
  Utf16Decoder decoder(mark.encoding);
  decoder.Decode(bytes, out);
  decoder.Finish(out);
  return out;
}

void LineEndCounter::Add(std::string_view bytes) {
  if (bytes.empty()) return;
  const char* const begin = bytes.data();
  const char* const end = begin + bytes.size();
  for (const char* at = begin;;) {
    at = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (at == nullptr) break;
    const bool crlf = at == begin ? after_cr_ : at[-1] == '\r';
    ++(crlf ? crlf_ : lf_);
    if (++at == end) break;
  }
  after_cr_ = bytes.back() == '\r';
}

LineEnds LineEndCounter::Kind() const {
  if (lf_ == 0 && crlf_ == 0) return LineEnds::kNone;
  if (crlf_ == 0) return LineEnds::kLf;
  return lf_ == 0 ? LineEnds::kCrLf : LineEnds::kMixed;
}

LineEnds LineEndsOf(std::string_view text) {
  LineEndCounter counter;
  counter.Add(text);
  return counter.Kind();
}

std::string WithCrLf(std::string_view text) {
  std::string out;
  out.reserve(text.size() + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && (i == 0 || text[i - 1] != '\r')) out.push_back('\r');
    out.push_back(text[i]);
  }
  return out;
}

std::string WithLf(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') out.push_back(text[i]);
  }
  return out;
}

}  // namespace awf::builtins
