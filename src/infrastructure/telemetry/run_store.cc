#include "infrastructure/telemetry/run_store.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

namespace awf::telemetry {
namespace {

constexpr std::size_t kNamed = 5;  // of the runs that a prefix could mean

// The time that a run id begins with, for runs whose run.json tells none.
std::optional<WallClock::time_point> TimeOf(const std::string& run_id) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  // NOLINTNEXTLINE(cert-err34-c): widths are fixed, so no number overflows
  if (std::sscanf(run_id.c_str(), "%4d%2d%2d-%2d%2d%2d-", &year, &month, &day, &hour, &minute, &second) != 6)
    return std::nullopt;
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return WallClock::time_point(sys_days(date).time_since_epoch() + hours(hour) + minutes(minute) + seconds(second));
}

// The time of the folder itself, when its name tells none.
WallClock::time_point TimeOf(const std::filesystem::path& folder) {
  std::error_code fault;
  const auto time = std::filesystem::last_write_time(folder, fault);
  if (fault) return {};
  return std::chrono::time_point_cast<WallClock::duration>(std::chrono::file_clock::to_sys(time));
}

std::vector<std::filesystem::path> Folders(const std::filesystem::path& runs) {
  std::vector<std::filesystem::path> folders;
  std::error_code fault;
  std::filesystem::directory_iterator entry(runs, fault);
  for (const std::filesystem::directory_iterator end; !fault && entry != end; entry.increment(fault)) {
    std::error_code gone;
    if (entry->is_directory(gone)) folders.push_back(entry->path());
  }
  return folders;
}

std::unexpected<Error> Ambiguous(const std::string& prefix, std::vector<std::string> names) {
  std::ranges::sort(names, std::greater<>());  // run ids begin with their time
  std::string message = "'" + prefix + "' could be any of " + std::to_string(names.size()) + " runs: ";
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i) message += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kNamed) message += ", …";
  return Fail("USER.RUN.NOT_FOUND", std::move(message), "Give more of the run id.");
}

}  // namespace

StoredRun ReadStoredRun(const std::filesystem::path& folder) {
  StoredRun run;
  run.run_id = folder.filename().string();
  run.folder = folder;
  auto read = RunFolder::ReadManifest(folder);
  // A folder that was copied under another name is not the run that it speaks of.
  if (!read || read->run_id != run.run_id) {
    run.status = kDamaged;
    const auto named = TimeOf(run.run_id);
    run.manifest.started = named ? *named : TimeOf(folder);
    run.fault = read ? "run.json is that of run " + read->run_id : read.error().message;
    return run;
  }
  run.manifest = std::move(read->manifest);
  run.status = run.manifest.status;
  if (run.status != "running") return run;
  if (read->owner.Alive()) {
    run.owner_pid = read->owner.pid;
  } else {
    run.status = kInterrupted;
  }
  return run;
}

bool StoredRun::Resumable() const {
  return manifest.only_state.empty() && (status == kInterrupted || status == "failed" || status == "cancelled");
}

std::vector<StoredRun> RunStore::List() const {
  std::vector<StoredRun> runs;
  for (const std::filesystem::path& folder : Folders(runs_)) runs.push_back(ReadStoredRun(folder));
  std::ranges::sort(runs, [](const StoredRun& a, const StoredRun& b) {
    return std::tie(a.manifest.started, a.run_id) > std::tie(b.manifest.started, b.run_id);
  });
  return runs;
}

std::expected<StoredRun, Error> RunStore::Find(const std::string& id_or_prefix) const {
  std::vector<std::filesystem::path> found;
  for (const std::filesystem::path& folder : Folders(runs_)) {
    const std::string name = folder.filename().string();
    if (name == id_or_prefix) return ReadStoredRun(folder);
    if (!id_or_prefix.empty() && name.starts_with(id_or_prefix)) found.push_back(folder);
  }
  if (found.size() == 1) return ReadStoredRun(found.front());
  if (found.empty()) {
    return Fail("USER.RUN.NOT_FOUND", "there is no run '" + id_or_prefix + "' in " + runs_.string(),
                "awf history lists the runs.");
  }
  std::vector<std::string> names;
  names.reserve(found.size());
  for (const std::filesystem::path& folder : found) names.push_back(folder.filename().string());
  return Ambiguous(id_or_prefix, std::move(names));
}

std::expected<StoredRun, Error> RunStore::NewestResumable() const {
  std::vector<StoredRun> runs = List();
  const auto found = std::ranges::find_if(runs, &StoredRun::Resumable);
  if (found != runs.end()) return std::move(*found);
  return Fail("USER.RUN.NOT_FOUND", "there is no run in " + runs_.string() + " that can be resumed",
              "awf history lists the runs.");
}

void RunStore::RemoveLeftStates() const {
  for (const std::filesystem::path& folder : Folders(runs_)) {
    const std::filesystem::path state = folder / "state.json";
    std::error_code fault;
    if (!std::filesystem::exists(state, fault) || ReadStoredRun(folder).status != "completed") continue;
    std::filesystem::remove(state, fault);
  }
}

}  // namespace awf::telemetry
