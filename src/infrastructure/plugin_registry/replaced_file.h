// Files of plugins that others read while they are written: all old or all new at every moment, and changed by one
// process at a time.
#pragma once

#include <sys/types.h>

#include <expected>
#include <filesystem>
#include <string_view>

#include "domain/error.h"
#include "infrastructure/process/fd.h"

namespace awf::plugin_registry {

// By a temporary file beside it, synced, and rename; a link in its place is replaced. Makes the folders above.
// `mode` is that of a new file, less the umask. SYSTEM.IO.WRITE_FAILED, SYSTEM.IO.PERMISSION_DENIED.
std::expected<void, Error> ReplaceFile(const std::filesystem::path& path, std::string_view text, mode_t mode);

// A lock on a file that stays, held by this object. Waits at most 30 s for another holder, in this process or another.
class FileLock {
 public:
  // Makes the file, and the folders above. Errors as above.
  static std::expected<FileLock, Error> Take(const std::filesystem::path& path);
  FileLock(FileLock&&) = default;
  ~FileLock();

 private:
  explicit FileLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace awf::plugin_registry
