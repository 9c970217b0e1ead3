// OpenBeneath: opens a path below a folder without following any link, so that what is opened lies below that folder
// even if somebody swaps links in at the same time. Thread-safe.
#pragma once

#include "infrastructure/process/fd.h"

namespace awf::builtins {

// `path` is relative, without "..". `flags` are those of open(2); O_CLOEXEC, O_NOFOLLOW, O_NONBLOCK and O_NOCTTY are
// added. An invalid Fd on failure, errno says why.
Fd OpenBeneath(int folder, const char* path, int flags);

}  // namespace awf::builtins
