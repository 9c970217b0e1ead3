#include "infrastructure/builtins/atomic_save.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

#include "domain/random_id.h"
#include "infrastructure/process/fd.h"

namespace awf::builtins {
namespace {

constexpr mode_t kNewFile = 0666;  // the umask takes its part
constexpr mode_t kModeBits = 07777;

// All bytes at `offset`; 0 or errno.
int WriteAt(int fd, std::string_view bytes, off_t offset) {
  constexpr std::size_t kMostAtOnce = 1U << 30;  // the kernel takes at most 2 GiB
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd, bytes.data(), std::min(bytes.size(), kMostAtOnce), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return ENOSPC;
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += written;
  }
  return 0;
}

// Up to `size` bytes from the start of the file.
std::string ReadStart(int fd, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t got = ::pread(fd, bytes.data() + filled, size - filled, static_cast<off_t>(filled));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

// File systems without fsync have nothing that it could do.
int Sync(int fd) {
  while (::fsync(fd) != 0) {
    if (errno == EINTR) continue;
    return errno == EINVAL || errno == ENOSYS || errno == ENOTSUP ? 0 : errno;
  }
  return 0;
}

// After the last change, which a rename is too.
WrittenFile AsWritten(int fd) {
  struct stat status{};
  ::fstat(fd, &status);
  return {static_cast<std::int64_t>(status.st_dev), static_cast<std::int64_t>(status.st_ino),
          status.st_ctim.tv_sec * std::int64_t{1'000'000'000} + status.st_ctim.tv_nsec};
}

class TemporaryFile {
 public:
  // 0 or errno. `mode` of an existing file is taken over whatever the umask is.
  int Create(int folder, const WriteTarget& target) {
    folder_ = folder;
    const mode_t mode = target.exists ? target.status.st_mode & kModeBits : kNewFile;
    do {
      name_ = ".awf-" + RandomHex(6);
      fd_ = Fd(::openat(folder, name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    } while (!fd_ && errno == EEXIST);
    if (!fd_) return errno;
    if (target.exists && ::fchmod(fd_.get(), mode) != 0) return errno;
    return 0;
  }
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (fd_) ::unlinkat(folder_, name_.c_str(), 0);
  }

  int fd() const { return fd_.get(); }

  // The rename would hand the file to another owner or group.
  bool ChangesOwner(const struct stat& old) const {
    struct stat status{};
    return ::fstat(fd_.get(), &status) != 0 || status.st_uid != old.st_uid || status.st_gid != old.st_gid;
  }

  std::expected<WrittenFile, int> RenameTo(const std::string& name) {
    if (::renameat(folder_, name_.c_str(), folder_, name.c_str()) != 0) return std::unexpected(errno);
    const Fd fd = std::move(fd_);
    return AsWritten(fd.get());
  }

 private:
  int folder_ = -1;
  std::string name_;
  Fd fd_;
};

// Growth first: it is what a full disk refuses, and it leaves the old bytes alone.
int Overwrite(int fd, std::string_view bytes, std::size_t old_size, const std::string& backup) {
  const std::size_t overlap = std::min(old_size, bytes.size());
  int error = WriteAt(fd, bytes.substr(overlap), static_cast<off_t>(overlap));
  if (error == 0) error = WriteAt(fd, bytes.substr(0, overlap), 0);
  if (error == 0) return ::ftruncate(fd, static_cast<off_t>(bytes.size())) != 0 ? errno : Sync(fd);
  WriteAt(fd, backup, 0);
  if (bytes.size() > old_size && ::ftruncate(fd, static_cast<off_t>(old_size)) != 0) return errno;
  return error;
}

std::expected<WrittenFile, int> SaveInPlace(const WriteTarget& target, std::string_view bytes) {
  constexpr int kFlags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
  Fd fd(::openat(target.parent.get(), target.name.c_str(), O_RDWR | kFlags));
  if (!fd && errno == EACCES) fd = Fd(::openat(target.parent.get(), target.name.c_str(), O_WRONLY | kFlags));
  if (!fd) return std::unexpected(errno);
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return std::unexpected(errno);
  if (!S_ISREG(status.st_mode)) return std::unexpected(ENXIO);
  const auto old_size = static_cast<std::size_t>(status.st_size);
  const std::string backup = ReadStart(fd.get(), std::min(old_size, bytes.size()));
  if (const int error = Overwrite(fd.get(), bytes, old_size, backup); error != 0) return std::unexpected(error);
  return AsWritten(fd.get());
}

bool TakesNoNewNames(int error) { return error == EACCES || error == EPERM || error == EROFS; }

}  // namespace

std::expected<WrittenFile, int> SaveFile(const WriteTarget& target, std::string_view bytes) {
  if (target.exists && target.status.st_nlink > 1) return SaveInPlace(target, bytes);
  TemporaryFile temporary;
  int error = temporary.Create(target.parent.get(), target);
  if (target.exists && TakesNoNewNames(error)) return SaveInPlace(target, bytes);
  if (error != 0) return std::unexpected(error);
  if (target.exists && temporary.ChangesOwner(target.status)) return SaveInPlace(target, bytes);
  error = WriteAt(temporary.fd(), bytes, 0);
  if (error == 0) error = Sync(temporary.fd());
  if (error != 0) return std::unexpected(error);
  return temporary.RenameTo(target.name);
}

}  // namespace awf::builtins
