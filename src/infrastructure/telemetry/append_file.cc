#include "infrastructure/telemetry/append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "infrastructure/telemetry/file_failure.h"

namespace awf::telemetry {
namespace {

// What can take records and give nothing back that others wait for. Devices such as /dev/null can.
bool TakesRecords(mode_t mode) { return S_ISREG(mode) || S_ISCHR(mode); }

std::unexpected<Error> NoFile(const std::filesystem::path& path) {
  return Fail("SYSTEM.IO.WRITE_FAILED", "cannot write " + path.string() + ": it is no regular file",
              "Give the path of a file, or of one that does not exist yet.");
}

}  // namespace

AppendFile::AppendFile(Fd fd, std::filesystem::path path)
    : fd_(std::move(fd)), path_(std::move(path)), mutex_(std::make_unique<std::mutex>()) {}

std::expected<AppendFile, Error> AppendFile::Open(const std::filesystem::path& path, bool fresh) {
  // A pipe must not make awf wait for a reader.
  const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (fresh ? O_EXCL : 0);
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags, 0600);
  } while (fd < 0 && errno == EINTR);
  const int error_number = errno;
  AppendFile file(Fd(fd), path);
  if (fd < 0 && error_number == ENXIO) return NoFile(path);  // a socket, or a pipe that nobody reads
  if (fd < 0) return WriteFailure(path, error_number);
  struct stat info{};
  if (::fstat(fd, &info) != 0) return WriteFailure(path, errno);
  if (!TakesRecords(info.st_mode)) return NoFile(path);
  if (::fcntl(fd, F_SETFL, O_APPEND) != 0) return WriteFailure(path, errno);  // writes wait again
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
  if (const int error = WriteAll(fd_.get(), record)) {
    failure_ = error;
    return WriteFailure(path_, error);
  }
  return {};
}

std::string AppendFile::Failure() const {
  const std::lock_guard lock(*mutex_);
  return failure_ == 0 ? std::string() : std::generic_category().message(failure_);
}

std::expected<void, Error> AppendFile::Sync() {
  // Descriptors that cannot be synced (/dev/full) hold nothing that could be lost later.
  if (::fdatasync(fd_.get()) != 0 && errno != EINVAL && errno != EROFS && errno != EINTR)
    return WriteFailure(path_, errno);
  return {};
}

}  // namespace awf::telemetry
