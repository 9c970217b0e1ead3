#include "infrastructure/builtins/open_beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#include <cerrno>
#include <string>
#include <string_view>

namespace awf::builtins {
namespace {

constexpr int kAlways = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

// For kernels before 5.6 and containers that forbid openat2: one folder after the other.
Fd OpenStepByStep(int folder, std::string_view path, int flags) {
  Fd current;
  for (std::size_t begin = 0;;) {
    const std::size_t slash = path.find('/', begin);
    const std::string name(path.substr(begin, slash == std::string_view::npos ? slash : slash - begin));
    const int at = current ? current.get() : folder;
    if (slash == std::string_view::npos) return Fd(::openat(at, name.c_str(), flags | kAlways));
    current = Fd(::openat(at, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!current) return current;
    begin = slash + 1;
  }
}

}  // namespace

Fd OpenBeneath(int folder, const char* path, int flags) {
  open_how how{};
  how.flags = static_cast<__u64>(flags | kAlways);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  long fd = -1;
  do {
    fd = ::syscall(SYS_openat2, folder, path, &how, sizeof how);
  } while (fd < 0 && (errno == EINTR || errno == EAGAIN));
  if (fd < 0 && (errno == ENOSYS || errno == EPERM)) return OpenStepByStep(folder, path, flags);
  return Fd(static_cast<int>(fd));
}

}  // namespace awf::builtins
