#include "json_text.h"

#include <cstdint>
#include <cstring>

#include "utf8.h"

namespace mcp {
namespace {

void AppendEscape(std::string& out, unsigned char c) {
  switch (c) {
    case '"':
      out.append("\\\"");
      return;
    case '\\':
      out.append("\\\\");
      return;
    case '\n':
      out.append("\\n");
      return;
    case '\r':
      out.append("\\r");
      return;
    case '\t':
      out.append("\\t");
      return;
    default: {
      static constexpr std::string_view kHex = "0123456789abcdef";
      out.append("\\u00");
      out.push_back(kHex[c >> 4U]);
      out.push_back(kHex[c & 15U]);
    }
  }
}

// Whether the byte goes out as it is: printable ASCII but the two that JSON escapes.
bool IsPlain(unsigned char c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; }

// How many plain bytes text begins with. Eight at a time: most of what goes out is plain text in long runs.
std::size_t PlainRun(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U, kHigh = 0x8080808080808080U;
  const auto has_zero = [](std::uint64_t word) { return (word - kOnes) & ~word & kHigh; };
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, 8);
    const std::uint64_t special = (word & kHigh) | ((word - kOnes * 0x20) & ~word & kHigh) |
                                  has_zero(word ^ (kOnes * '"')) | has_zero(word ^ (kOnes * '\\'));
    if (special != 0) break;
  }
  while (i < text.size() && IsPlain(static_cast<unsigned char>(text[i]))) ++i;
  return i;
}

}  // namespace

void AppendQuoted(std::string& out, std::string_view text) {
  out.push_back('"');
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t plain = PlainRun(text.substr(i));
    out.append(text.substr(i, plain));
    i += plain;
    if (i == text.size()) break;
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      AppendEscape(out, c);
      ++i;
      continue;
    }
    const Utf8Sequence sequence = NextUtf8(text.substr(i));
    out.append(sequence.valid ? text.substr(i, sequence.length) : kReplacement);
    i += sequence.length;
  }
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
