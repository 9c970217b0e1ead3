#include "infrastructure/builtins/result_text.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <system_error>

#include "domain/utf8.h"

namespace awf::builtins {
namespace {

void AppendEscaped(std::string& out, char32_t code) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (code) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\x";
      out.push_back(kHex[(code >> 4) & 15]);
      out.push_back(kHex[code & 15]);
  }
}

}  // namespace

std::string_view SuffixWithin(std::string_view utf8, std::size_t characters, std::size_t bytes) {
  if (utf8.size() <= std::min(characters, bytes)) return utf8;
  std::size_t begin = utf8.size();
  for (std::size_t count = 0; begin > 0 && count < characters; ++count) {
    std::size_t next = begin - 1;
    while (next > 0 && IsUtf8Continuation(utf8[next])) --next;
    if (utf8.size() - next > bytes) break;
    begin = next;
  }
  return utf8.substr(begin);
}

std::size_t CountLines(std::string_view text) {
  const auto feeds = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return text.empty() || text.back() == '\n' ? feeds : feeds + 1;
}

std::string_view LastLines(std::string_view text, std::size_t count) {
  std::size_t begin = text.size();
  for (; count > 0 && begin > 0; --count) {
    const std::size_t feed = begin < 2 ? std::string_view::npos : text.rfind('\n', begin - 2);
    begin = feed == std::string_view::npos ? 0 : feed + 1;
  }
  return text.substr(begin);
}

std::string ShownName(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  for (std::size_t at = 0; at < name.size();) {
    const Utf8Step step = StepUtf8(name, at);
    if (!step.valid) {
      out.append(kReplacementCharacter);
    } else if (step.code < 0x20 || step.code == 0x7F) {
      AppendEscaped(out, step.code);
    } else {
      out.append(name, at, step.length);
    }
    at += step.length;
  }
  return out;
}

std::string ErrnoSentence(std::string_view shown, int error) {
  const std::string name(shown);
  if (error == ENOTDIR) return name + ": a part of the path is not a directory.";
  if (error == EISDIR) return name + " is a directory.";
  if (error == ENXIO || error == ENODEV) return name + " is not a regular file.";
  std::string reason = std::generic_category().message(error);
  if (!reason.empty()) reason[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(reason[0])));
  return name + ": " + reason + ".";
}

std::string Counted(unsigned long long count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

}  // namespace awf::builtins
