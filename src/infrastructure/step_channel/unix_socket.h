// Unix stream sockets by path. Paths longer than sun_path (107 bytes) work too: they are reached through a descriptor
// of their folder.
#pragma once

#include <expected>
#include <filesystem>
#include <string>

#include "infrastructure/process/fd.h"

namespace awf::channel {

// Blocking, CLOEXEC. The error is a sentence.
std::expected<Fd, std::string> ConnectUnix(const std::filesystem::path& path);
// Non-blocking, CLOEXEC, mode 0600, listening. The path must not exist.
std::expected<Fd, std::string> ListenUnix(const std::filesystem::path& path);

}  // namespace awf::channel
