// GlobSearch: finds the files that match a pattern, newest first. The literal folders at the front of each alternative
// are opened by their name (so links among them are followed, and the sandbox judges them), the rest is walked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "domain/time.h"
#include "infrastructure/builtins/confinement.h"
#include "infrastructure/builtins/glob_pattern.h"
#include "infrastructure/builtins/walker.h"

namespace awf::builtins {

struct GlobQuery {
  std::string directory = ".";  // as given; where relative patterns start
  bool include_ignored = false;
  bool open_lead = true;  // false: literal folders are walked like all others, as their case may differ
  std::size_t limit = 100;
  Deadline deadline;
  std::stop_token cancelled;
};

struct GlobMatches {
  std::vector<std::string> paths;  // as shown, newest first, then by name; the first `limit`
  std::uint64_t total = 0;
  WalkReport walk;  // of all walks together; names as shown
  std::optional<PathFault> denied;
  std::string missing;  // what was wrong with a literal folder, as a sentence; may be empty
};

// Thread-safe.
GlobMatches FindGlobMatches(const Confinement& confinement, const GlobPattern& pattern, const GlobQuery& query);

}  // namespace awf::builtins
