// TextFiles: the files that a workflow names (prompt_file, script_file, readFile), behind a port: a run keeps a copy of
// each in its folder, and a resumed run reads the copies.
#pragma once

#include <cstddef>
#include <expected>
#include <filesystem>
#include <string>

#include "domain/error.h"

namespace awf {

inline constexpr std::size_t kMaxTextFileBytes = 1U << 20;

class TextFiles {
 public:
  virtual ~TextFiles() = default;
  // The text of a regular file of at most 1 MiB of UTF-8; `path` is absolute. USER.INPUT.MISSING_FILE when there is
  // none or it is no such file; the message names the path. Thread-safe.
  virtual std::expected<std::string, Error> Read(const std::filesystem::path& path) = 0;
  virtual bool Exists(const std::filesystem::path& path) = 0;
};

}  // namespace awf
