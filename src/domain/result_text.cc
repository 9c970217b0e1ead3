#include "domain/result_text.h"

#include <algorithm>
#include <limits>

#include "domain/utf8.h"

namespace awf {
namespace {

bool IsForbiddenControl(char32_t code) { return code < 0x20 && code != '\t' && code != '\n'; }

bool NeedsCleaning(std::string_view bytes) {
  return std::any_of(bytes.begin(), bytes.end(),
                     [](char c) { return IsForbiddenControl(static_cast<unsigned char>(c)); }) ||
         !IsValidUtf8(bytes);
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

std::string_view FirstLines(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (; count > 0 && end < text.size(); --count) end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return text.substr(0, end);
}

std::size_t LinesLeft(const ResultBudget& budget, std::size_t reserved) {
  if (budget.lines == 0) return std::numeric_limits<std::size_t>::max();
  return std::max<std::size_t>({1, budget.lines / 4, budget.lines - std::min(reserved, budget.lines)});
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

}  // namespace awf
