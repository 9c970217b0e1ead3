#include "infrastructure/agents/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "infrastructure/process/fd.h"

namespace awf::agents {
namespace {

std::string TooLarge(std::size_t largest) {
  const std::size_t mebibytes = largest >> 20;
  return "larger than " +
         (mebibytes << 20 == largest ? std::to_string(mebibytes) + " MiB" : std::to_string(largest) + " bytes");
}

}  // namespace

std::expected<std::string, std::string> ReadRegularFile(const std::filesystem::path& path, std::size_t largest) {
  // Without O_NONBLOCK a pipe without a writer would hold us here.
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) {
    const int error = errno;
    if (error == ENOENT || error == ENOTDIR) return std::unexpected(std::string());
    // A socket.
    return std::unexpected(std::string(error == ENXIO ? "not a regular file" : std::strerror(error)));
  }
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::unexpected("not a regular file");
  if (status.st_size > 0 && static_cast<std::size_t>(status.st_size) > largest) {
    return std::unexpected(TooLarge(largest));
  }
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t count = ::read(fd.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::unexpected(std::string(std::strerror(errno)));
    if (count == 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > largest) return std::unexpected(TooLarge(largest));
  }
}

}  // namespace awf::agents
