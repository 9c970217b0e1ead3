#include "infrastructure/builtins/command_output.h"

#include <algorithm>

#include "domain/utf8.h"
#include "infrastructure/builtins/result_text.h"

namespace awf::builtins {
namespace {

bool IsForbidden(char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n'; }

std::string ReplaceControls(std::string text) {
  if (std::none_of(text.begin(), text.end(), IsForbidden)) return text;
  std::string clean;
  for (const char c : text) {
    if (IsForbidden(c)) {
      clean += kReplacementCharacter;
    } else {
      clean += c;
    }
  }
  return clean;
}

// A share of the limits, a third of it for the head as in the whole.
OutputLimits Share(const OutputLimits& limits, std::size_t bytes, std::size_t lines) {
  if (bytes >= limits.total()) return {limits.head, limits.tail, lines};
  const std::size_t head = bytes / 3;
  return {head, bytes - head, lines};
}

// What stderr gets of a limit: at most a third, unless stdout needs less.
std::size_t ForErrors(std::size_t total, std::size_t out, std::size_t err) {
  return std::min(err, std::max(total / 3, total - std::min(out, total)));
}

}  // namespace

void OutputText::Take(std::string_view bytes) {
  std::string plain;
  escapes_.Take(bytes, plain);
  Keep(utf8_.Take(plain));
}

void OutputText::Finish() { Keep(utf8_.Finish()); }

void OutputText::Keep(std::string text) {
  if (text.empty()) return;
  ended_lines_ += static_cast<std::size_t>(std::ranges::count(text, '\n'));
  in_line_ = text.back() != '\n';
  kept_.Append(ReplaceControls(std::move(text)));
}

std::string OutputText::Show(const OutputLimits& limits) const {
  std::string all(kept_.head());
  all += kept_.tail();
  std::string shown = all;
  if (kept_.bytes() > limits.total() || lines() > limits.lines) {
    std::string_view head = PrefixWithin(all, limits.head, limits.head);
    std::string_view tail = SuffixWithin(all, limits.tail, limits.tail);
    if (lines() > limits.lines) {
      const std::size_t first = limits.lines / 3;
      head = FirstLines(head, first);
      tail = LastLines(tail, limits.lines - first);
    }
    const std::size_t cut = kept_.characters() - CountCharacters(head) - CountCharacters(tail);
    shown = head;
    if (!shown.empty() && !shown.ends_with('\n')) shown += '\n';
    shown += "[... " + std::to_string(cut) + " characters cut ...]\n";
    shown += tail;
  }
  if (shown.ends_with('\n')) shown.pop_back();
  return shown;
}

ShownOutput ShowOutput(const OutputText& out, const OutputText& err, const OutputLimits& limits) {
  const std::size_t total = limits.total();
  const std::size_t for_err = ForErrors(total, out.bytes(), err.bytes());
  const std::size_t for_out = total - for_err;
  const std::size_t err_lines = ForErrors(limits.lines, out.lines(), err.lines());
  const std::size_t out_lines = limits.lines - err_lines;
  return {out.Show(Share(limits, for_out, out_lines)), err.Show(Share(limits, for_err, err_lines)),
          out.bytes() > for_out || err.bytes() > for_err || out.lines() > out_lines || err.lines() > err_lines};
}

}  // namespace awf::builtins
