#include "infrastructure/telemetry/append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "infrastructure/telemetry/file_failure.h"

namespace awf::telemetry {

AppendFile::AppendFile(Fd fd, std::filesystem::path path)
    : fd_(std::move(fd)), path_(std::move(path)), mutex_(std::make_unique<std::mutex>()) {}

std::expected<AppendFile, Error> AppendFile::Open(const std::filesystem::path& path, bool fresh) {
  const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | (fresh ? O_EXCL : 0);
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags, 0600);
  } while (fd < 0 && errno == EINTR);
  const int error_number = errno;
  AppendFile file(Fd(fd), path);
  if (fd < 0) return WriteFailure(path, error_number);
  if (const int error = fresh ? 0 : file.EndCutLine()) return WriteFailure(path, error);
  return file;
}

int AppendFile::EndCutLine() {
  struct stat info{};
  if (::fstat(fd_.get(), &info) != 0) return errno;
  if (!S_ISREG(info.st_mode) || info.st_size == 0) return 0;
  // Of its own, since a file that is only written to need not be readable: then it is taken as it is.
  const Fd reader(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  char last = '\n';
  if (!reader || ::pread(reader.get(), &last, 1, info.st_size - 1) != 1 || last == '\n') return 0;
  return WriteAll(fd_.get(), "\n");
}

std::expected<void, Error> AppendFile::Write(std::string_view record) {
  const std::lock_guard lock(*mutex_);
  if (const int error = WriteAll(fd_.get(), record)) return WriteFailure(path_, error);
  return {};
}

std::expected<void, Error> AppendFile::Sync() {
  // Descriptors that cannot be synced (pipes, /dev/full) hold nothing that could be lost later.
  if (::fdatasync(fd_.get()) != 0 && errno != EINVAL && errno != EROFS && errno != EINTR)
    return WriteFailure(path_, errno);
  return {};
}

}  // namespace awf::telemetry
