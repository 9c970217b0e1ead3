#include "infrastructure/yaml/yaml_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "infrastructure/yaml/yaml_composer.h"

namespace awf {
namespace {

class File {
 public:
  explicit File(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

bool FileFault::absent() const { return number == ENOENT || number == ENOTDIR; }

std::string FileFault::message() const {
  if (number == 0) return "is not a regular file";
  return absent() ? "does not exist" : std::string("cannot be read: ") + std::strerror(number);
}

std::expected<std::string, FileFault> ReadYamlFile(const std::string& path) {
  const File file(path);
  if (file.fd() < 0) return std::unexpected(FileFault{errno});
  struct stat status{};
  if (::fstat(file.fd(), &status) != 0) return std::unexpected(FileFault{errno});
  if (!S_ISREG(status.st_mode)) return std::unexpected(FileFault{0});
  std::string text;
  std::array<char, 65536> buffer;
  while (text.size() <= kMaxYamlBytes + 3) {  // a byte order mark does not count
    const ssize_t got = ::read(file.fd(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(FileFault{errno});
    if (got == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace awf
