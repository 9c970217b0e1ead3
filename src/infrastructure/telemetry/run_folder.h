// RunFolder: <storage>/runs/<run id>/, where everything that is kept of a run lies. 0700, files 0600.
//
// run.json says what ran, who owns it (pid and start time of that process, so that a reused pid fools nobody), how it
// stands and how it ended; it is replaced as a whole, so a reader never sees half of it. Used by one thread.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "application/run_recorder.h"
#include "domain/masker.h"
#include "domain/record_sinks.h"

namespace awf::telemetry {

// What run.json holds. Masked when it is written.
struct RunManifest {
  std::string workflow, version, file, sha256, awf_version;
  std::map<std::string, std::string> inputs;
  std::set<std::string> secret_inputs;
  std::string trace_id;
  std::string status = "running";  // then completed, failed, cancelled
  WallClock::time_point started;
  std::optional<WallClock::time_point> ended;
  int exit_code = 0;           // with ended
  std::optional<Error> error;  // with ended
  RunCounts counts;
  AuditHead audit;
};

class RunFolder {
 public:
  // Makes the folder, and <storage>/runs with it. An empty `run_id` is drawn: YYYYMMDD-HHMMSS- and 8 hex digits. A
  // given one that is malformed or taken is USER.INPUT.INVALID_FORMAT.
  static std::expected<RunFolder, Error> Create(const std::filesystem::path& storage, const std::string& run_id,
                                                WallClock::time_point now = WallClock::now());

  const std::string& run_id() const { return run_id_; }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path Log() const { return path_ / "log.jsonl"; }
  std::filesystem::path Audit() const { return path_ / "audit.jsonl"; }
  std::filesystem::path Trace() const { return path_ / "trace.json"; }

  // The workflow file as it was loaded, byte for byte.
  std::expected<void, Error> WriteWorkflow(std::string_view text) const;
  // run.json, by temporary file, fsync and rename.
  std::expected<void, Error> WriteManifest(const RunManifest& manifest, const Masker& masker) const;

 private:
  RunFolder(std::filesystem::path path, std::string run_id);
  std::filesystem::path path_;
  std::string run_id_;
};

// Start time of a process in clock ticks since boot, 0 when there is none.
std::uint64_t ProcessStartTime(int pid);

}  // namespace awf::telemetry
