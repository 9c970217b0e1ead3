#include "infrastructure/builtins/regex_fault_text.h"

#include <optional>
#include <vector>

#include "domain/utf8.h"
#include "infrastructure/builtins/result_text.h"

namespace awf::builtins {
namespace {

// What of a pattern stands outside of sets and is not escaped: calls `see(index)` for each such character, and
// `escape(index of the backslash)` for each escape sequence.
template <typename See, typename Escape>
void ReadPattern(std::string_view pattern, See see, Escape escape) {
  bool in_set = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') {
      if (!in_set && i + 1 < pattern.size()) escape(i);
      ++i;
    } else if (in_set) {
      in_set = c != ']';
    } else if (c == '[') {
      in_set = true;
      if (i + 1 < pattern.size() && pattern[i + 1] == '^') ++i;
      if (i + 1 < pattern.size() && pattern[i + 1] == ']') ++i;
    } else {
      see(i);
    }
  }
}

// The innermost "(" without ")", else the first ")" without "(".
std::optional<std::size_t> UnbalancedParenthesis(std::string_view pattern) {
  std::vector<std::size_t> open;
  std::optional<std::size_t> closing;
  ReadPattern(
      pattern,
      [&](std::size_t i) {
        if (pattern[i] == '(') open.push_back(i);
        if (pattern[i] != ')') return;
        if (!open.empty()) {
          open.pop_back();
        } else if (!closing) {
          closing = i;
        }
      },
      [](std::size_t) {});
  return open.empty() ? closing : std::optional(open.back());
}

std::optional<std::size_t> PlaceOf(std::string_view pattern, const RegexFault& fault) {
  if (fault.message.ends_with(")")) return UnbalancedParenthesis(pattern);
  if (fault.fragment.empty()) return std::nullopt;
  const std::size_t place = pattern.find(fault.fragment);
  return place == std::string_view::npos ? std::nullopt : std::optional(place);
}

// Look-around, named and numbered back-references, atomic groups.
bool NeedsBacktracking(std::string_view fragment) {
  if (fragment.starts_with("(?")) return true;
  return fragment.size() >= 2 && fragment[0] == '\\' &&
         ((fragment[1] >= '1' && fragment[1] <= '9') || fragment[1] == 'k' || fragment[1] == 'g');
}

}  // namespace

std::string RegexFaultText(std::string_view pattern, const RegexFault& fault, const RegexCompiler& compiler) {
  std::string text = "Invalid regular expression \"" + ShownName(pattern) + "\": " + fault.message;
  const bool whole = fault.fragment == pattern || fault.message.ends_with(")");
  if (!fault.fragment.empty() && !whole) text += " " + ShownName(fault.fragment);
  if (const auto place = PlaceOf(pattern, fault))
    text += " at " + std::to_string(CountCharacters(pattern.substr(0, *place)) + 1);
  text += ".";
  if (NeedsBacktracking(fault.fragment)) text += " Look-around and back-references are not supported.";
  return text + " For a literal search use " + ShownName(compiler.Quote(pattern)) + ".";
}

bool WantsLineFeed(std::string_view pattern) {
  bool wants = false;
  ReadPattern(
      pattern, [&](std::size_t i) { wants = wants || pattern[i] == '\n'; },
      [&](std::size_t i) {
        const std::string_view escape = pattern.substr(i);
        wants = wants || escape[1] == 'n' || escape[1] == '\n' || escape.starts_with("\\x0a") ||
                escape.starts_with("\\x0A");
      });
  return wants;
}

std::string LiteralHint(std::string_view pattern, const RegexCompiler& compiler) {
  const std::string quoted = compiler.Quote(pattern);
  if (quoted == pattern) return {};
  for (const std::string_view sign : {"\\", ".*", ".+", "|"}) {
    if (pattern.find(sign) != std::string_view::npos) return {};  // certainly meant as a regular expression
  }
  return " The pattern is a regular expression; for a literal search use " + ShownName(quoted) + ".";
}

}  // namespace awf::builtins
