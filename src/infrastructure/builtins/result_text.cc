#include "infrastructure/builtins/result_text.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <limits>
#include <system_error>

#include "domain/utf8.h"

namespace awf::builtins {
namespace {

bool IsForbiddenControl(char32_t code) { return code < 0x20 && code != '\t' && code != '\n'; }

bool NeedsCleaning(std::string_view bytes) {
  return std::any_of(bytes.begin(), bytes.end(),
                     [](char c) { return IsForbiddenControl(static_cast<unsigned char>(c)); }) ||
         !IsValidUtf8(bytes);
}

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

std::string CutNote(std::size_t characters) {
  return "The result was cut: " + std::to_string(characters) +
         (characters == 1 ? " character left out." : " characters left out.");
}

}  // namespace

std::string CleanText(std::string_view bytes) {
  if (!NeedsCleaning(bytes)) return std::string(bytes);
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 8);
  for (std::size_t at = 0; at < bytes.size();) {
    const Utf8Step step = StepUtf8(bytes, at);
    if (step.valid && !IsForbiddenControl(step.code)) {
      out.append(bytes, at, step.length);
    } else {
      out.append(kReplacementCharacter);
    }
    at += step.length;
  }
  return out;
}

std::string_view PrefixWithin(std::string_view utf8, std::size_t characters, std::size_t bytes) {
  return FirstCharacters(Utf8Prefix(utf8, bytes), characters);
}

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

std::string_view FirstLines(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (; count > 0 && end < text.size(); --count) end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return text.substr(0, end);
}

std::string_view LastLines(std::string_view text, std::size_t count) {
  std::size_t begin = text.size();
  for (; count > 0 && begin > 0; --count) {
    const std::size_t feed = begin < 2 ? std::string_view::npos : text.rfind('\n', begin - 2);
    begin = feed == std::string_view::npos ? 0 : feed + 1;
  }
  return text.substr(begin);
}

std::size_t LinesLeft(const ResultBudget& budget, std::size_t reserved) {
  if (budget.lines == 0) return std::numeric_limits<std::size_t>::max();
  return std::max<std::size_t>({1, budget.lines / 4, budget.lines - std::min(reserved, budget.lines)});
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

std::string Notes::Render() const {
  std::string out;
  for (const std::string& note : notes_) {
    out += out.empty() ? "\n\n[" : "\n[";
    out += CleanText(note);
    out += "]";
  }
  return out;
}

ToolResult MakeResult(std::string_view body, const Notes& notes, const ResultBudget& budget, bool is_error) {
  const std::size_t characters = is_error ? budget.error : budget.characters;
  const std::size_t bytes = is_error ? budget.error : budget.bytes;
  std::string text = CleanText(body);
  std::string tail = notes.Render();
  if (!tail.empty() && text.ends_with('\n')) text.pop_back();
  if (text.empty()) text = "(no output)";

  ToolResult result;
  result.is_error = is_error;
  const std::size_t text_characters = CountCharacters(text);
  // Line feeds at the end count too: clients split at them.
  const std::size_t feeds = static_cast<std::size_t>(std::ranges::count(text, '\n') + std::ranges::count(tail, '\n'));
  if (text_characters + CountCharacters(tail) > characters || text.size() + tail.size() > bytes ||
      feeds >= LinesLeft(budget, 0)) {
    Notes cut = notes;
    cut.Add(CutNote(text_characters));  // as long as the real one can get
    tail = cut.Render();
    const std::size_t tail_characters = CountCharacters(tail);
    const std::size_t room = characters > tail_characters ? characters - tail_characters : 0;
    text = PrefixWithin(text, room, bytes > tail.size() ? bytes - tail.size() : 0);
    text = FirstLines(text, LinesLeft(budget, static_cast<std::size_t>(std::ranges::count(tail, '\n'))));
    if (text.ends_with('\n')) text.pop_back();
    Notes exact = notes;
    exact.Add(CutNote(text_characters - CountCharacters(text)));
    text += exact.Render();
    text = PrefixWithin(text, std::max<std::size_t>(characters, 1), std::max<std::size_t>(bytes, 1));
    result.fields.truncated = true;
  } else {
    text += tail;
  }
  result.content.emplace_back(TextContent{std::move(text)});
  return result;
}

}  // namespace awf::builtins
