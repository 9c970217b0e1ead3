// Saving a file so that at every moment it is all old or all new, and stays old when anything fails.
//
// Written to a temporary file beside it (`.awf-` and 12 hex digits, final mode from the start), synced, renamed. In
// place where a rename would change more than the contents: hard links, a foreign owner or group, a folder that takes
// no new names. In place the old bytes are put back when a write fails; a crash in that moment can leave a mixture.
#pragma once

#include <expected>
#include <string_view>

#include "domain/written_file.h"
#include "infrastructure/builtins/confinement.h"

namespace awf::builtins {

// Bytes exactly as given. The file as it lies there then, or the errno of the step that failed (EFBIG arrives only when
// the process ignores SIGXFSZ). `target` is fresh and its existing file is a regular, writable one.
std::expected<WrittenFile, int> SaveFile(const WriteTarget& target, std::string_view bytes);

}  // namespace awf::builtins
