// What awf history works out: the beginning of the time that is looked at, and what the runs of a workflow add up to.
#pragma once

#include <chrono>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "domain/time.h"
#include "infrastructure/telemetry/run_store.h"

namespace awf::cli {

// A duration back from `now` (90m, 24h, 7d) or a date of the local calendar (2026-11-30). USER.INPUT.INVALID_FORMAT.
std::expected<WallClock::time_point, Error> ParseSince(const std::string& text, WallClock::time_point now);

struct WorkflowStats {
  std::string workflow;
  int runs = 0;
  std::map<std::string, int> by_status;
  std::optional<double> success_share;                 // of those that run no more
  std::optional<std::chrono::milliseconds> mean, p95;  // of those whose end is known; p95 by nearest rank
};

// By name. Damaged runs are left out.
std::vector<WorkflowStats> StatsOf(const std::vector<telemetry::StoredRun>& runs);

}  // namespace awf::cli
