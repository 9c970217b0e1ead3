#include "infrastructure/plugin_registry/replaced_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "domain/random_id.h"
#include "domain/time.h"
#include "infrastructure/telemetry/file_failure.h"

namespace awf::plugin_registry {
namespace {

namespace fs = std::filesystem;
using telemetry::MakeFailure;

constexpr std::chrono::seconds kLongestWait{30};
constexpr std::chrono::milliseconds kPause{5};

std::expected<void, Error> MakeFolder(const fs::path& folder) {
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (fault) return MakeFailure(folder, fault.value());
  return {};
}

}  // namespace

std::expected<void, Error> ReplaceFile(const fs::path& path, std::string_view text, mode_t mode) {
  if (auto made = MakeFolder(path.parent_path()); !made) return made;
  const fs::path next = path.string() + "." + RandomHex(6) + ".new";
  const Fd fd(::open(next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!fd) return MakeFailure(path, errno);
  int error = WriteAll(fd.get(), text);
  if (error == 0 && ::fdatasync(fd.get()) != 0) error = errno;
  if (error == 0 && ::rename(next.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(next.c_str());
  return MakeFailure(path, error);
}

std::expected<FileLock, Error> FileLock::Take(const fs::path& path) {
  if (auto made = MakeFolder(path.parent_path()); !made) return std::unexpected(made.error());
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!fd) return MakeFailure(path, errno);
  // A holder that was stopped must not stop us.
  const auto end = SteadyClock::now() + kLongestWait;
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK || SteadyClock::now() > end) return MakeFailure(path, errno);
    std::this_thread::sleep_for(kPause);
  }
  return FileLock(std::move(fd));
}

// Not by closing alone: a child that was forked meanwhile has the descriptor, too.
FileLock::~FileLock() {
  if (fd_) ::flock(fd_.get(), LOCK_UN);
}

}  // namespace awf::plugin_registry
