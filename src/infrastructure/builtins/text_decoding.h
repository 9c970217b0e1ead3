// Text files as they are found: byte order marks, UTF-16, line ends, binary data. Shared by Read, Edit and Grep.
// Pure functions and small streaming objects; not thread-safe, cheap to make one per file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace awf::builtins {

enum class TextEncoding { kUtf8, kUtf16Le, kUtf16Be };  // kUtf8 stands for every encoding that keeps ASCII

struct EncodingMark {
  TextEncoding encoding = TextEncoding::kUtf8;
  std::size_t length = 0;  // bytes of the byte order mark; UTF-16 is known by nothing else
};

// From the first bytes of a file (4 are enough). UTF-32 counts as kUtf8 and is then binary by its NULs.
EncodingMark DetectEncoding(std::string_view head);

// "UTF-8", "UTF-16LE", "UTF-16BE".
std::string_view ToString(TextEncoding encoding);

// NUL among the bytes; of UTF-16 a NUL character. `head` is what the caller wants looked at, mark included.
bool LooksBinary(std::string_view head);

// Turns UTF-16 into UTF-8 piece by piece; lone surrogates and a lone last byte become U+FFFD.
class Utf16Decoder {
 public:
  explicit Utf16Decoder(TextEncoding encoding) : big_endian_(encoding == TextEncoding::kUtf16Be) {}

  void Decode(std::string_view bytes, std::string& out);
  void Finish(std::string& out);  // at the end of the file

 private:
  void Unit(char16_t unit, std::string& out);

  bool big_endian_;
  bool has_half_ = false;
  char half_ = 0;
  char16_t high_ = 0;  // a high surrogate that waits for its low one
};

// A whole file as UTF-8 or bytes: the mark taken off, UTF-16 decoded, everything else as it is.
std::string DecodeText(std::string_view bytes);

enum class LineEnds { kNone, kLf, kCrLf, kMixed };  // a lone CR ends no line

// Counts line ends piece by piece.
class LineEndCounter {
 public:
  void Add(std::string_view bytes);
  LineEnds Kind() const;
  std::size_t lines() const { return lf_ + crlf_; }

 private:
  std::size_t lf_ = 0, crlf_ = 0;
  bool after_cr_ = false;
};

LineEnds LineEndsOf(std::string_view text);

// Every LF without CR before it becomes CR LF. And every CR LF becomes LF.
std::string WithCrLf(std::string_view text);
std::string WithLf(std::string_view text);

}  // namespace awf::builtins
