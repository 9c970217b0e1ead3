#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "mcp/options.h"
#include "utf8.h"

namespace mcp {

// A stderr that nobody reads must never stop the server. PIPE_BUF bytes fit into a pipe that polls as writable, and are
// not mixed with what others write.
void LogToStderr(std::string_view line) {
  constexpr std::size_t kMaxLine = 4096;
  std::string text(CutUtf8(line, kMaxLine - 1));
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  text.push_back('\n');
  pollfd descriptor{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&descriptor, 1, 0) != 1 || (descriptor.revents & POLLOUT) == 0) return;
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // there is nobody to tell
}

}  // namespace mcp
