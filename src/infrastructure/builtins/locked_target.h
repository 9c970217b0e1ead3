// LockedTarget: the file that Write or Edit is about to change, resolved, checked and locked.
#pragma once

#include <expected>
#include <string_view>

#include "infrastructure/builtins/confinement.h"
#include "infrastructure/builtins/file_locks.h"

namespace awf::builtins {

struct LockedTarget {
  FileLocks::Guard lock;
  WriteTarget target;  // as it is while the lock is held; an existing file is a regular, writable one
};

// Resolves again once the lock is held, since another call may have replaced the file in the meantime. A file that does
// not exist is locked by its folder.
std::expected<LockedTarget, PathFault> LockTarget(const Confinement& confinement, FileLocks& locks,
                                                  std::string_view path, bool make_parents);

}  // namespace awf::builtins
