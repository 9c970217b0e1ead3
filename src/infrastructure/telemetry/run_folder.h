// RunFolder: <storage>/runs/<run id>/, where everything that is kept of a run lies. 0700, files 0600.
//
// run.json says what ran, who owns it (pid and start time of that process, so that a reused pid fools nobody), how it
// stands and how it ended (run_manifest.h); it is replaced as a whole, so a reader never sees half of it. While a
// process works on a run it holds a lock on the file `lock` of the folder: a lock of that process alone, which no child
// inherits and which is gone when the process is, however it ended. Used by one thread.
#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <string_view>

#include "domain/masker.h"
#include "domain/time.h"
#include "infrastructure/process/fd.h"
#include "infrastructure/telemetry/run_manifest.h"

namespace awf::telemetry {

class RunFolder {
 public:
  // Makes the folder, and <storage>/runs with it. An empty `run_id` is drawn: YYYYMMDD-HHMMSS- and 8 hex digits. A
  // given one that is malformed or taken is USER.INPUT.INVALID_FORMAT.
  static std::expected<RunFolder, Error> Create(const std::filesystem::path& storage, const std::string& run_id,
                                                WallClock::time_point now = WallClock::now());

  // The folder of a run that is taken up again, locked for this process. USER.RUN.BUSY when another process holds it;
  // the message names it. Two of one folder in one process are not told apart: don't.
  static std::expected<RunFolder, Error> Reopen(const std::filesystem::path& path);

  const std::string& run_id() const { return run_id_; }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path Log() const { return path_ / "log.jsonl"; }
  std::filesystem::path Audit() const { return path_ / "audit.jsonl"; }
  std::filesystem::path Trace() const { return path_ / "trace.json"; }
  std::filesystem::path Transcript() const { return path_ / "transcript.jsonl"; }
  std::filesystem::path State() const { return path_ / "state.json"; }
  std::filesystem::path Files() const { return path_ / "files"; }
  std::filesystem::path StoredWorkflow() const { return path_ / "workflow.yaml"; }

  // run.json. SYSTEM.IO.READ_FAILED when it is not there, USER.RUN.NOT_RESUMABLE when it is none that awf wrote.
  static std::expected<ReadBackManifest, Error> ReadManifest(const std::filesystem::path& folder);

  // The workflow file as it was loaded, byte for byte; a later one (--reload) replaces it. By temporary file, fsync and
  // rename.
  std::expected<void, Error> WriteWorkflow(std::string_view text) const;
  // run.json, in the same way.
  std::expected<void, Error> WriteManifest(const RunManifest& manifest, const Masker& masker) const;

 private:
  RunFolder(std::filesystem::path path, std::string run_id);
  std::expected<void, Error> Lock();

  std::filesystem::path path_;
  std::string run_id_;
  Fd lock_;
};

}  // namespace awf::telemetry
