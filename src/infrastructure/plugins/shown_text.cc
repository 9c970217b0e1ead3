#include "infrastructure/plugins/shown_text.h"

#include <cstddef>

#include "domain/terminal_text.h"
#include "domain/trimmed.h"
#include "domain/utf8.h"
#include "infrastructure/process/exit_text.h"

namespace awf::plugins {

std::string Quoted(std::string_view text) {
  constexpr std::size_t kShown = 200;
  const std::string line = PrintableLine(text);
  const std::string_view shown = FirstCharacters(line, kShown);
  return "\"" + std::string(shown) + (shown.size() < line.size() ? "…\"" : "\"");
}

std::string ExitText(const process::ExitStatus& status) {
  if (status.signal != 0) return process::SignalName(status.signal);
  if (status.exit_code < 0) return "unknown exit status";
  return "exit status " + std::to_string(status.exit_code);
}

std::string LimitText(std::chrono::milliseconds limit) {
  if (limit.count() % 1000 == 0) return std::to_string(limit.count() / 1000) + " s";
  return std::to_string(limit.count()) + " ms";
}

std::string NotWithin(std::string_view what, std::chrono::milliseconds limit) {
  std::string text(what);
  return limit.count() > 0 ? text + " within " + LimitText(limit) : text + ": the time was up before it was asked";
}

std::string ErrorsClause(std::string_view tail) {
  const std::string_view text = Trimmed(tail);
  return text.empty() ? std::string() : "; stderr: \"" + RepairUtf8(text) + "\"";
}

std::string WithName(std::string_view plugin, std::string_view text) {
  const bool named = text.starts_with(plugin) && text.size() > plugin.size() &&
                     (text[plugin.size()] == ' ' || text[plugin.size()] == ':');
  std::string whole = named ? std::string() : std::string(plugin) + ": ";
  return whole.append(text);
}

}  // namespace awf::plugins
