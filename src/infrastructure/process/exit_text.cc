#include "infrastructure/process/exit_text.h"

#include <string.h>

#include "domain/last_lines.h"
#include "domain/tool_observer.h"
#include "domain/trimmed.h"
#include "domain/utf8.h"

namespace awf::process {
namespace {

constexpr std::size_t kLongestLine = 200;

std::string_view LastLine(std::string_view text) { return Trimmed(LastLines(Trimmed(text), 1)); }

}  // namespace

std::string SignalName(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name == nullptr ? "signal " + std::to_string(signal) : std::string("SIG") + name;
}

std::string DescribeExit(const ExitStatus& status, std::string_view error_output, std::string_view output) {
  std::string text = "command exited with code " + std::to_string(status.exit_code);
  if (status.signal != 0) {
    text = "command was ended by " + SignalName(status.signal) + " (code " + std::to_string(status.exit_code) + ")";
  }
  std::string_view line = LastLine(error_output);
  if (line.empty()) line = LastLine(output);
  if (line.empty()) return text;
  text.append(": ");
  if (line.size() <= kLongestLine) return text.append(line);
  return text.append(Utf8Prefix(line, kLongestLine - kCutMark.size())).append(kCutMark);
}

std::string ExitHint(const ExitStatus& status) {
  switch (status.exit_code) {
    case 126:
      return "126 means: a program was found but could not be executed. Check its mode and its first line.";
    case 127:
      return "127 means: a program was not found. Check its name, PATH and dir.";
    case 130:
      return "130 means: ended by SIGINT, as by Ctrl-C.";
    case 137:
      return "137 means: killed by SIGKILL, which is often the kernel's answer to a lack of memory.";
    default:
      return {};
  }
}

}  // namespace awf::process
