#include "cli/stored_run_text.h"

#include "cli/finding_text.h"
#include "cli/run_setup.h"
#include "domain/terminal_text.h"
#include "domain/timestamp.h"

namespace awf::cli {
namespace {

using telemetry::StoredRun;

// As wide as a terminal must be for times in full.
constexpr int kWide = 100;

constexpr const char* kDateTime = "%Y-%m-%d %H:%M:%S";

}  // namespace

std::expected<telemetry::RunStore, Error> OpenRunStore(const GlobalOptions& global) {
  const auto storage = StorageFolder(global.storage, NonEmptyVariable);
  if (!storage) return std::unexpected(storage.error());
  return telemetry::RunStore(*storage);
}

std::string LocalDateTime(WallClock::time_point time) { return LocalTime(time, kDateTime); }

std::string_view LookOfStatus(std::string_view status) {
  if (status == "failed" || status == "failure" || status == "timeout" || status == telemetry::kDamaged) return "31";
  if (status == "cancelled" || status == telemetry::kInterrupted) return "33";
  return status == "running" ? "36" : "";
}

std::string DurationOf(const StoredRun& run, WallClock::time_point now) {
  if (const auto worked = run.manifest.Worked()) return DurationText(*worked);
  if (run.status != "running" || now < run.manifest.started) return "-";
  return DurationText(std::chrono::floor<std::chrono::microseconds>(now - run.manifest.started));
}

std::string RunTable(const std::vector<StoredRun>& runs, const LineStyle& style, WallClock::time_point now) {
  TextTable table({{"run"}, {"workflow", false, true}, {"status"}, {"started"}, {"duration", true}, {"exit", true}});
  const char* format = style.columns > 0 && style.columns < kWide ? "%m-%d %H:%M" : kDateTime;
  for (const StoredRun& run : runs) {
    const bool damaged = run.status == telemetry::kDamaged;
    table.Add({run.run_id, damaged ? "-" : run.manifest.workflow, run.status, LocalTime(run.manifest.started, format),
               DurationOf(run, now), run.manifest.ended ? std::to_string(run.manifest.exit_code) : "-"},
              LookOfStatus(run.status));
  }
  return table.Render(style);
}

std::string StateTable(const std::vector<AuditedState>& states, const LineStyle& style) {
  TextTable table({{"state", false, true},
                   {"type"},
                   {"status"},
                   {"runs", true},
                   {"attempts", true},
                   {"duration", true},
                   {"error", false, true}});
  for (const AuditedState& state : states) {
    const bool ended = state.attempts > 0;
    table.Add(
        {state.name, state.type, state.status, std::to_string(state.runs), ended ? std::to_string(state.attempts) : "-",
         ended ? DurationText(state.duration) : "-", state.error.empty() ? state.code : state.error},
        LookOfStatus(state.status));
  }
  return table.Render(style);
}

json::object RunJson(const StoredRun& run) {
  json::object out{{"run_id", JsonText(run.run_id)}};
  if (run.status == telemetry::kDamaged) {
    out["status"] = run.status;
    out["fault"] = JsonText(run.fault);
    out["folder"] = JsonText(run.folder.string());
    return out;
  }
  const telemetry::RunManifest& manifest = run.manifest;
  out["workflow"] = JsonText(manifest.workflow);
  out["version"] = JsonText(manifest.version);
  out["status"] = run.status;
  out["started_at"] = UtcMilliseconds(manifest.started);
  if (manifest.ended) {
    out["ended_at"] = UtcMilliseconds(*manifest.ended);
    out["duration_ms"] = manifest.Worked()->count();
    out["exit_code"] = manifest.exit_code;
  }
  if (manifest.error) {
    out["error"] = {{"code", JsonText(manifest.error->code)},
                    {"message", JsonText(manifest.error->message)},
                    {"step", JsonText(manifest.error->step)}};
  }
  out["folder"] = JsonText(run.folder.string());
  return out;
}

std::string RunIds(const std::vector<StoredRun>& runs) {
  std::string text;
  for (const StoredRun& run : runs) text += PrintableLine(run.run_id) + "\n";
  return text;
}

std::string RunList(const std::vector<StoredRun>& runs, const GlobalOptions& global) {
  if (global.format == OutputFormat::kJson) {
    json::array list;
    for (const StoredRun& run : runs) list.push_back(RunJson(run));
    return JsonLine(list);
  }
  if (runs.empty()) return {};
  if (global.format == OutputFormat::kQuiet || global.quiet) return RunIds(runs);
  return RunTable(runs, StyleOfStdout(global), WallClock::now());
}

}  // namespace awf::cli
