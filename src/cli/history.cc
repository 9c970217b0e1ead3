// awf history: the runs of the storage, newest first, or what they add up to.
#include "cli/history.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>
#include <optional>

#include "application/language/duration.h"
#include "cli/finding_text.h"
#include "cli/print_result.h"
#include "cli/stored_run_text.h"
#include "domain/nearest_name.h"

namespace awf::cli {
namespace {

using telemetry::StoredRun;

constexpr double kPercentile = 0.95;

const std::vector<std::string>& Statuses() {
  static const std::vector<std::string> kStatuses{"running",   telemetry::kInterrupted, "completed", "failed",
                                                  "cancelled", telemetry::kDamaged};
  return kStatuses;
}

std::expected<void, Error> CheckStatus(const std::string& status) {
  if (status.empty() || std::ranges::find(Statuses(), status) != Statuses().end()) return {};
  const std::string nearest = NearestName(status, Statuses());
  return Fail("USER.INPUT.INVALID_FORMAT", "--status: there is no status '" + status + "'",
              nearest.empty() ? "use running, interrupted, completed, failed, cancelled or damaged"
                              : "did you mean " + nearest + "?");
}

// A day by the user's calendar, from its beginning.
std::optional<WallClock::time_point> ParseDate(const std::string& text) {
  std::tm calendar{};
  int end = 0;
  const int fields =
      // NOLINTNEXTLINE(cert-err34-c): widths are fixed, so no number overflows
      std::sscanf(text.c_str(), "%4d-%2d-%2d%n", &calendar.tm_year, &calendar.tm_mon, &calendar.tm_mday, &end);
  using namespace std::chrono;
  const year_month_day date{year(calendar.tm_year), month(static_cast<unsigned>(calendar.tm_mon)),
                            day(static_cast<unsigned>(calendar.tm_mday))};
  if (fields != 3 || static_cast<std::size_t>(end) != text.size() || !date.ok()) return std::nullopt;
  calendar.tm_year -= 1900;
  calendar.tm_mon -= 1;
  calendar.tm_isdst = -1;
  return WallClock::from_time_t(std::mktime(&calendar));
}

// Go's durations know no days.
std::string WithoutDays(const std::string& text) {
  const std::string digits = text.substr(0, text.size() - 1);
  if (!text.ends_with('d') || digits.empty() || digits.size() > 5 ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    return text;
  return std::to_string(std::stol(digits) * 24) + "h";
}

json::object StatsJson(const WorkflowStats& stats) {
  json::object out{{"workflow", JsonText(stats.workflow)}, {"runs", stats.runs}};
  // Damaged runs are counted for no workflow.
  for (const std::string& status : Statuses()) {
    if (status == telemetry::kDamaged) continue;
    const auto count = stats.by_status.find(status);
    out[status] = count == stats.by_status.end() ? 0 : count->second;
  }
  if (stats.success_share) out["success_share"] = *stats.success_share;
  if (stats.mean) out["mean_ms"] = stats.mean->count();
  if (stats.p95) out["p95_ms"] = stats.p95->count();
  return out;
}

std::string StatsText(const std::vector<WorkflowStats>& all, const GlobalOptions& global) {
  if (global.format == OutputFormat::kJson) {
    json::array list;
    for (const WorkflowStats& stats : all) list.push_back(StatsJson(stats));
    return JsonLine(list);
  }
  if (all.empty()) return {};
  TextTable table({{"workflow", false, true},
                   {"runs", true},
                   {"completed", true},
                   {"success", true},
                   {"mean", true},
                   {"p95", true}});
  for (const WorkflowStats& stats : all) {
    const auto completed = stats.by_status.find("completed");
    table.Add({stats.workflow, std::to_string(stats.runs),
               std::to_string(completed == stats.by_status.end() ? 0 : completed->second),
               stats.success_share ? std::to_string(std::lround(*stats.success_share * 100)) + " %" : "-",
               stats.mean ? DurationText(*stats.mean) : "-", stats.p95 ? DurationText(*stats.p95) : "-"});
  }
  return table.Render(StyleOfStdout(global));
}

// What the options leave of the runs, but for the limit.
std::expected<std::vector<StoredRun>, Error> Matching(const HistoryOptions& options) {
  if (options.limit < 0) return Fail("USER.INPUT.INVALID_FORMAT", "-n: the number is negative", "0 shows all runs");
  if (auto known = CheckStatus(options.status); !known) return std::unexpected(known.error());
  std::optional<WallClock::time_point> since;
  if (!options.since.empty()) {
    const auto parsed = ParseSince(options.since, WallClock::now());
    if (!parsed) return std::unexpected(parsed.error());
    since = *parsed;
  }
  const auto store = OpenRunStore(options.global);
  if (!store) return std::unexpected(store.error());
  std::vector<StoredRun> runs = store->List();
  std::erase_if(runs, [&](const StoredRun& run) {
    return (!options.workflow.empty() && run.manifest.workflow != options.workflow) ||
           (!options.status.empty() && run.status != options.status) || (since && run.manifest.started < *since);
  });
  return runs;
}

}  // namespace

std::expected<WallClock::time_point, Error> ParseSince(const std::string& text, WallClock::time_point now) {
  if (const auto date = ParseDate(text)) return *date;
  if (const auto duration = ParseDuration(WithoutDays(text))) return now - *duration;
  return Fail("USER.INPUT.INVALID_FORMAT", "--since: '" + text + "' is neither a duration nor a date",
              "examples: 90m, 24h, 7d, 2026-11-30");
}

std::vector<WorkflowStats> StatsOf(const std::vector<StoredRun>& runs) {
  std::map<std::string, WorkflowStats> by_name;
  std::map<std::string, std::vector<std::chrono::milliseconds>> durations;
  for (const StoredRun& run : runs) {
    if (run.status == telemetry::kDamaged) continue;  // whose it was is not known
    WorkflowStats& stats = by_name[run.manifest.workflow];
    stats.workflow = run.manifest.workflow;
    ++stats.runs;
    ++stats.by_status[run.status];
    if (const auto worked = run.manifest.Worked()) durations[stats.workflow].push_back(*worked);
  }
  std::vector<WorkflowStats> all;
  for (auto& [name, stats] : by_name) {
    const int running = stats.by_status.contains("running") ? stats.by_status["running"] : 0;
    const int completed = stats.by_status.contains("completed") ? stats.by_status["completed"] : 0;
    if (stats.runs > running) stats.success_share = static_cast<double>(completed) / (stats.runs - running);
    if (std::vector<std::chrono::milliseconds>& sample = durations[name]; !sample.empty()) {
      std::chrono::milliseconds sum{0};
      for (const std::chrono::milliseconds value : sample) sum += value;
      stats.mean = sum / static_cast<std::int64_t>(sample.size());
      std::ranges::sort(sample);
      const auto rank = static_cast<std::size_t>(std::ceil(kPercentile * static_cast<double>(sample.size())));
      stats.p95 = sample[rank - 1];
    }
    all.push_back(std::move(stats));
  }
  return all;
}

int HistoryCommand(const HistoryOptions& options) {
  auto runs = Matching(options);
  if (!runs) return ReportErrors({runs.error()}, options.global);
  if (runs->empty() && !options.global.quiet) std::fputs("no runs\n", stderr);
  if (options.stats) return PrintResult(StatsText(StatsOf(*runs), options.global), options.global);
  const auto limit = static_cast<std::size_t>(options.limit);
  if (limit > 0 && runs->size() > limit) runs->resize(limit);
  return PrintResult(RunList(*runs, options.global), options.global);
}

}  // namespace awf::cli
