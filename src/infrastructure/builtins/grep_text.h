// GrepText: the answer of Grep in its three forms, within the limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "domain/json.h"
#include "infrastructure/builtins/grep_run.h"

namespace awf::builtins {

struct GrepTextLimits {
  std::size_t characters = 30'000;
  std::size_t bytes = 38'000;
  std::size_t lines = 250;                                           // of matches, or files
  std::size_t text_lines = std::numeric_limits<std::size_t>::max();  // of the whole text
  bool context = false;                                              // context was asked for: groups are set apart
  std::size_t after = 0;                                             // lines of it behind a match
};

struct GrepText {
  std::string body;         // without final line feed
  std::uint64_t shown = 0;  // matches; files in the two other modes
  json::array matches;      // {file, line, text}; {file}; {file, count}
};

using ShownPath = std::function<std::string(std::size_t index)>;

GrepText RenderContent(const GrepReport& report, const GrepTextLimits& limits, const ShownPath& shown_path);
GrepText RenderFiles(const GrepReport& report, const GrepTextLimits& limits, const ShownPath& shown_path);
GrepText RenderCounts(const GrepReport& report, const GrepTextLimits& limits, const ShownPath& shown_path);

}  // namespace awf::builtins
