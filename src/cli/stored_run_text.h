// Stored runs as the commands show them: words, rows, JSON. What comes from run.json was masked when it was written.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "cli/audited_states.h"
#include "cli/text_table.h"
#include "domain/json.h"
#include "domain/time.h"
#include "infrastructure/telemetry/run_store.h"

namespace awf::cli {

// The runs of the storage that options, environment and configuration name.
std::expected<telemetry::RunStore, Error> OpenRunStore(const GlobalOptions& global);

std::string LocalDateTime(WallClock::time_point time);  // 2026-11-03 10:15:09

// Parameters of an SGR sequence for a row of that status; may be empty.
std::string_view LookOfStatus(std::string_view status);

// What awf worked on it: of a live run so far; "-" where nobody knows.
std::string DurationOf(const telemetry::StoredRun& run, WallClock::time_point now);

// Columns: run, workflow, status, started (shorter on a narrow terminal), duration, exit.
std::string RunTable(const std::vector<telemetry::StoredRun>& runs, const LineStyle& style, WallClock::time_point now);

// Columns: state, type, status, runs, attempts, duration, error.
std::string StateTable(const std::vector<AuditedState>& states, const LineStyle& style);

// {run_id, workflow, version, status, started_at, ended_at?, duration_ms?, exit_code?, error?, folder}; of a damaged
// one {run_id, status, fault, folder}.
json::object RunJson(const telemetry::StoredRun& run);

// One run id per line.
std::string RunIds(const std::vector<telemetry::StoredRun>& runs);

// Runs in the format that was asked for.
std::string RunList(const std::vector<telemetry::StoredRun>& runs, const GlobalOptions& global);

}  // namespace awf::cli
