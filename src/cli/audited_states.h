// What the audit of a run tells of its states: which were entered, how often, how they ended. The audit is masked and
// is kept whatever became of the run; state.json is neither, so nothing is ever shown from it.
#pragma once

#include <chrono>
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "domain/error.h"

namespace awf::cli {

// All entries of one state, in one line.
struct AuditedState {
  std::string name, type;
  std::string status;  // of the last entry; "running" while it has not ended
  int runs = 0;        // entries
  int attempts = 0;    // of all entries that have ended
  int exit_code = 0;
  std::chrono::milliseconds duration{0};  // of all entries that have ended
  std::string code, error;                // of the last entry
};

// In the order in which they were first entered. Entries that a dead owner left open are "interrupted"; so are those at
// the end unless `live`. Lines that are no records are passed over: `awf audit verify` judges, this only shows. A file
// that is missing has no states; SYSTEM.IO.READ_FAILED when it cannot be read.
std::expected<std::vector<AuditedState>, Error> ReadAuditedStates(const std::filesystem::path& audit, bool live);

}  // namespace awf::cli
