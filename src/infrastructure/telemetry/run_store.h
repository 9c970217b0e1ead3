// RunStore: the runs of a storage folder, as their run.json files tell. Thread-safe.
#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <vector>

#include "infrastructure/telemetry/run_folder.h"

namespace awf::telemetry {

inline constexpr const char* kInterrupted = "interrupted";
inline constexpr const char* kDamaged = "damaged";

// One run folder. `status` is what is true now: a run that says "running" and whose owner is dead is "interrupted".
struct StoredRun {
  std::string run_id;
  std::filesystem::path folder;
  std::string status;    // running, interrupted, completed, failed, cancelled; damaged: run.json cannot be read
  RunManifest manifest;  // of a damaged run only `started`, as its name or folder tells
  int owner_pid = 0;     // alive when the status is running
  std::string fault;     // of a damaged run: what is wrong with it

  bool Resumable() const;  // interrupted, failed or cancelled, and a whole run
};

// As its folder tells now.
StoredRun ReadStoredRun(const std::filesystem::path& folder);

class RunStore {
 public:
  explicit RunStore(const std::filesystem::path& storage) : runs_(storage / "runs") {}

  // Newest first. A storage that does not exist has no runs.
  std::vector<StoredRun> List() const;
  // By id, or by the beginning of one that only one run has. USER.RUN.NOT_FOUND names those that it could be.
  std::expected<StoredRun, Error> Find(const std::string& id_or_prefix) const;
  // The newest that can be resumed: interrupted, failed or cancelled. USER.RUN.NOT_FOUND when there is none.
  std::expected<StoredRun, Error> NewestResumable() const;

  // Removes the states of completed runs, which hold secrets unmasked: an owner that was killed between its last
  // run.json and the removal leaves one. The only thing here that does not just read.
  void RemoveLeftStates() const;

 private:
  std::filesystem::path runs_;
};

}  // namespace awf::telemetry
