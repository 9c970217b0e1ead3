// Runs one case from its fresh folder to its last check.
#pragma once

#include <filesystem>
#include <string>

#include "case_file.h"

namespace awf::cases {

struct Verdict {
  enum class Kind { kPassed, kFailed, kSkipped } kind = Kind::kPassed;
  std::string text;  // why: a line per failed check
};

// Why the case cannot be run here, or "".
std::string ReasonToSkip(const Case& test);

// `folder` must not exist; it is removed again. To be called in a process of its own, which becomes a subreaper: what
// the server leaves behind is found among its children, and killed.
Verdict RunCase(const Case& test, const std::filesystem::path& awf, const std::filesystem::path& folder);

}  // namespace awf::cases
