// What the records of one tool call cost: log line, audit record and span, against no recorder at all.
#pragma once

#include <chrono>
#include <filesystem>

namespace awf::bench {

struct RecorderCost {
  std::chrono::nanoseconds off{0};        // the loop alone
  std::chrono::nanoseconds log_audit{0};  // the default
  std::chrono::nanoseconds all{0};        // with the trace file
};

// Per call, over `calls` calls, files in `folder`. Throws std::runtime_error.
RecorderCost MeasureRecorder(const std::filesystem::path& folder, int calls);

}  // namespace awf::bench
