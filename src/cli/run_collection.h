// RunCollection: the file that collects the runs of a machine (AWF_AUDIT_LOG, audit.path), as a run sees it. Often
// there is none; then nothing happens.
#pragma once

#include <expected>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/run_setup.h"
#include "domain/config.h"
#include "infrastructure/telemetry/audit_collection.h"

namespace awf::cli {

struct CollectionTarget {
  std::filesystem::path path;  // empty: none
  std::string origin;          // who names it
};

// From AWF_AUDIT_LOG, else the configuration; "off" is none. A leading ~/ is the home folder.
CollectionTarget ChooseCollection(const Config& config, const GetVariable& get);

class RunCollection {
 public:
  RunCollection() = default;  // none
  // Before anything is written of the run: SYSTEM.IO.WRITE_FAILED when the file cannot be opened. `masker` outlives it.
  static std::expected<RunCollection, Error> Open(const CollectionTarget& target, const Masker& masker);

  // Keeps `run` for the line of its end.
  std::expected<void, Error> Started(telemetry::CollectedRun run);
  std::expected<void, Error> Completed(const telemetry::CollectedEnd& end) const;

 private:
  std::optional<telemetry::AuditCollection> file_;
  telemetry::CollectedRun run_;
};

}  // namespace awf::cli
