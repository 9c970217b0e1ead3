// What `vibe --output-dir` writes at the end of every run: export.json, and a copy of the session's journal.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "domain/error.h"
#include "domain/run_observer.h"

namespace awf::agents {

struct VibeExport {
  std::optional<Error> failure;  // absent: the run is finished
  std::string text;              // of the error, as Vibe words it
  std::string model;             // alias of the active one
  // By the journal, as Vibe's own sum leaves out the answers that call run_typescript. Cost only where both agree: it
  // is that of Vibe's sum.
  TokenUsage usage;
};

// Nothing when there is no export. Thread-safe.
std::optional<VibeExport> ReadVibeExport(const std::filesystem::path& folder);

}  // namespace awf::agents
