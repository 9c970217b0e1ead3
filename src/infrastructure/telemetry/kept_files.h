// KeptFiles: the TextFiles of a run. Each file that is read is copied into files/ of the run folder, below its whole
// path (files/home/ann/prompt.md); a later read of a changed file replaces the copy. A resumed run is given the copies
// first, so that it goes on with what it began with; files that have none are read and kept as before. PlainFiles reads
// and keeps nothing (validation, dry run). Thread-safe.
//
// A file that cannot be read: USER.INPUT.MISSING_FILE. A copy that cannot be written: SYSTEM.IO.WRITE_FAILED or
// PERMISSION_DENIED, since the run could not be resumed. Exists: something other than a folder is there.
#pragma once

#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "domain/text_files.h"

namespace awf::telemetry {

class PlainFiles final : public TextFiles {
 public:
  std::expected<std::string, Error> Read(const std::filesystem::path& path) override;
  bool Exists(const std::filesystem::path& path) override;
};

class KeptFiles final : public TextFiles {
 public:
  // `folder` is made (0700) when the first file is kept. `replay`: copies in it stand for the files.
  KeptFiles(std::filesystem::path folder, bool replay) : folder_(std::move(folder)), replay_(replay) {}

  std::expected<std::string, Error> Read(const std::filesystem::path& path) override;
  std::expected<std::string, Error> ReadNow(const std::filesystem::path& path) override;
  bool Exists(const std::filesystem::path& path) override;

 private:
  std::filesystem::path CopyOf(const std::filesystem::path& path) const;
  bool Replays(const std::filesystem::path& copy) const;

  std::filesystem::path folder_;
  bool replay_;
  std::mutex mutex_;
  std::set<std::filesystem::path> live_;  // copies made by this object
};

}  // namespace awf::telemetry
