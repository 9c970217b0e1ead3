// StateFile: state.json of a run folder, the RunJournal on disk. JSON lines, appended and flushed to disk one by one,
// so that the cost of a record does not grow with the run; a last line that was cut by a crash counts as not written.
// 0600, unmasked (a resumed run needs the values), deleted once the run has completed. After one failed Append all
// later ones fail, since records build on each other. Thread-safe.
#pragma once

#include <sys/types.h>

#include <expected>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "application/running/run_state.h"
#include "domain/run_journal.h"
#include "infrastructure/process/fd.h"

namespace awf::telemetry {

class StateFile final : public RunJournal {
 public:
  // A new one; or the one that is there, to be continued: a cut last line is taken away first.
  static std::expected<std::unique_ptr<StateFile>, Error> Create(const std::filesystem::path& path);
  static std::expected<std::unique_ptr<StateFile>, Error> Continue(const std::filesystem::path& path);

  // What the records of the file add up to. SYSTEM.IO.READ_FAILED, or USER.RUN.NOT_RESUMABLE with the number of the
  // line when a record is damaged.
  static std::expected<RunState, Error> Load(const std::filesystem::path& path);

  std::expected<void, Error> Append(const json::object& record) override;
  // When the run has completed: nothing is left to resume.
  void Remove();

 private:
  StateFile(std::filesystem::path path, Fd fd, off_t length);

  const std::filesystem::path path_;
  std::mutex mutex_;  // guards what follows
  Fd fd_;
  off_t length_;  // of the whole records
  std::optional<Error> failure_;
};

}  // namespace awf::telemetry
