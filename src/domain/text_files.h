// TextFiles: the files that a workflow names (prompt_file, script_file) or its templates read, behind a port: a run
// keeps a copy of each that it names in its folder, and a resumed run reads the copies.
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
  // The same as it is at this moment, never a copy: what templates read with readFile may change while the run goes on.
  virtual std::expected<std::string, Error> ReadNow(const std::filesystem::path& path) { return Read(path); }
  virtual bool Exists(const std::filesystem::path& path) = 0;
};

}  // namespace awf
