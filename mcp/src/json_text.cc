#include "json_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "utf8.h"

namespace mcp {
namespace {

static_assert(std::endian::native == std::endian::little, "PlainOfEight counts from the lowest byte");

// Writes the escape of an ASCII character, at most six bytes; returns where it ends.
char* PutEscape(char* to, unsigned char c) {
  *to++ = '\\';
  switch (c) {
    case '"':
    case '\\':
      *to++ = static_cast<char>(c);
      return to;
    case '\n':
      *to++ = 'n';
      return to;
    case '\r':
      *to++ = 'r';
      return to;
    case '\t':
      *to++ = 't';
      return to;
    default: {
      static constexpr std::string_view kHex = "0123456789abcdef";
      *to++ = 'u';
      *to++ = '0';
      *to++ = '0';
      *to++ = kHex[c >> 4U];
      *to++ = kHex[c & 15U];
      return to;
    }
  }
}

// Whether the byte goes out as it is: printable ASCII but the two that JSON escapes.
bool IsPlain(unsigned char c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; }

// How many of the eight bytes are plain before the first that is not. Most of what goes out is plain text in long runs.
std::size_t PlainOfEight(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U, kHigh = 0x8080808080808080U;
  const auto zeros = [](std::uint64_t bytes) { return (bytes - kOnes) & ~bytes & kHigh; };
  const std::uint64_t special = (word & kHigh) | ((word - kOnes * 0x20) & ~word & kHigh) | zeros(word ^ (kOnes * '"')) |
                                zeros(word ^ (kOnes * '\\'));
  return static_cast<std::size_t>(std::countr_zero(special)) / 8;
}

}  // namespace

// Collects in a buffer of its own, since appending each short run to the string would take most of the time.
void AppendQuoted(std::string& out, std::string_view text) {
  std::array<char, 1024> buffer;
  constexpr std::size_t kMostAtOnce = 8;
  char* to = buffer.data();
  *to++ = '"';
  for (std::size_t i = 0; i < text.size();) {
    if (to > buffer.data() + buffer.size() - kMostAtOnce) {
      out.append(buffer.data(), to);
      to = buffer.data();
    }
    const auto c = static_cast<unsigned char>(text[i]);
    if (text.size() - i >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + i, 8);
      if (const std::size_t plain = PlainOfEight(word); plain > 0) {
        std::memcpy(to, &word, 8);
        to += plain;
        i += plain;
        continue;
      }
    } else if (IsPlain(c)) {
      *to++ = text[i++];
      continue;
    }
    if (c < 0x80) {
      to = PutEscape(to, c);
      ++i;
      continue;
    }
    const Utf8Sequence sequence = NextUtf8(text.substr(i));
    const std::string_view bytes = sequence.valid ? text.substr(i, sequence.length) : kReplacement;
    to = std::ranges::copy(bytes, to).out;
    i += sequence.length;
  }
  out.append(buffer.data(), to);
  out.push_back('"');
}

void AppendMember(std::string& out, std::string_view key, std::string_view text) {
  AppendQuoted(out, key);
  out.push_back(':');
  AppendQuoted(out, text);
}

// The serializer passes ill-formed UTF-8 through, and only strings can hold it: repairing its output is enough.
void AppendJson(std::string& out, const boost::json::value& value) {
  AppendValidUtf8(out, boost::json::serialize(value));
}

void AppendJson(std::string& out, const boost::json::object& value) {
  AppendValidUtf8(out, boost::json::serialize(value));
}

}  // namespace mcp
