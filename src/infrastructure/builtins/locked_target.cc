#include "infrastructure/builtins/locked_target.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "infrastructure/builtins/result_text.h"

namespace awf::builtins {
namespace {

std::optional<PathFault> Unfit(const WriteTarget& target) {
  if (!target.exists) return std::nullopt;
  if (S_ISDIR(target.status.st_mode)) return PathFault{ErrnoSentence(target.shown, EISDIR)};
  if (!S_ISREG(target.status.st_mode)) return PathFault{target.shown + " is not a regular file."};
  if (::faccessat(target.parent.get(), target.name.c_str(), W_OK, 0) == 0) return std::nullopt;
  if (errno == EACCES || errno == EPERM) return PathFault{target.shown + " is not writable."};
  return PathFault{ErrnoSentence(target.shown, errno)};
}

FileLocks::Key KeyOf(const WriteTarget& target) {
  if (target.exists) return {target.status.st_dev, target.status.st_ino};
  struct stat folder{};
  ::fstat(target.parent.get(), &folder);  // of a descriptor that we opened; on failure all new files share one lock
  return {folder.st_dev, folder.st_ino};
}

}  // namespace

std::expected<LockedTarget, PathFault> LockTarget(const Confinement& confinement, FileLocks& locks,
                                                  std::string_view path, bool make_parents) {
  auto target = confinement.OpenForWrite(path, make_parents);
  for (;;) {
    if (!target) return std::unexpected(std::move(target.error()));
    if (auto fault = Unfit(*target)) return std::unexpected(std::move(*fault));
    const FileLocks::Key key = KeyOf(*target);
    FileLocks::Guard lock = locks.Acquire(key);
    target = confinement.OpenForWrite(path, make_parents);
    if (!target || (KeyOf(*target) == key && !Unfit(*target))) {
      if (!target) return std::unexpected(std::move(target.error()));
      return LockedTarget{std::move(lock), std::move(*target)};
    }
  }
}

}  // namespace awf::builtins
