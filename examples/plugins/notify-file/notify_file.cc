// The plugin "notify-file": messages of agents and steps, a line each, at the end of a file that people or other
// programs watch.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <expected>
#include <memory>
#include <string>

#include "awf/plugin.h"

namespace {

using namespace awf::sdk;

std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

// One write at the end of the file: lines of several plugins never mix.
Result Append(const std::string& path, std::string line) {
  std::ranges::replace(line, '\n', ' ');
  line += '\n';
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return Failed(path + ": " + std::strerror(errno));
  const ssize_t written = ::write(fd, line.data(), line.size());
  const int error = written < 0 ? errno : ENOSPC;
  ::close(fd);
  if (written != static_cast<ssize_t>(line.size())) return Failed(path + ": " + std::strerror(error));
  return Ok().Set("file", path);
}

}  // namespace

int main() {
  const auto path = std::make_shared<std::string>();  // set by Init, before any call
  Plugin plugin{"notify-file", "0.1.0", "messages into a file"};
  plugin.OnInit([path](const Config& config) -> std::expected<void, std::string> {
    *path = config.String("file");
    if (path->empty()) return std::unexpected("file is missing");
    return {};
  });
  plugin.Add({.name = "send",
              .description = "Tells the people who run this workflow something.",
              .inputs = {{"message", "string", Required}, {"title"}},
              .outputs = {{"file", "string", "Where the message was written."}}},
             [path](Call& call) {
               const std::string title = call.Has("title") ? call.String("title") + ": " : "";
               return Append(*path, Now() + " " + title + call.String("message"));
             });
  return plugin.Serve();
}
