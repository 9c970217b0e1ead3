// AppendFile: a file of records, 0600, one write per record, so that a crash leaves at most one cut last line.
//
// Thread-safe. Sync may run while others write.
#pragma once

#include <expected>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "domain/error.h"
#include "infrastructure/process/fd.h"

namespace awf::telemetry {

class AppendFile {
 public:
  // Opens for appending, made when it does not exist (`fresh`: it must not). A last line that a crash has cut is ended,
  // so that the next record stands in a line of its own. SYSTEM.IO.WRITE_FAILED with path and cause; also for what is
  // neither a regular file nor a character device (/dev/full). Never waits for the other end of a pipe.
  static std::expected<AppendFile, Error> Open(const std::filesystem::path& path, bool fresh);

  // Writes the whole record, which ends in a line feed.
  std::expected<void, Error> Write(std::string_view record);
  std::expected<void, Error> Sync();
  std::string Failure() const;  // why the last Write that failed did; empty: none did
  const std::filesystem::path& path() const { return path_; }

 private:
  AppendFile(Fd fd, std::filesystem::path path);
  int EndCutLine();  // 0 or errno

  Fd fd_;
  std::filesystem::path path_;
  int failure_ = 0;                    // errno
  std::unique_ptr<std::mutex> mutex_;  // keeps a record in one piece when a write falls short; movable
};

}  // namespace awf::telemetry
