#include "infrastructure/workspace/workspace_check.h"

#include <chrono>

#include "infrastructure/builtins/git_layout.h"

namespace awf::workspace {
namespace {

namespace fs = std::filesystem;

// File systems stamp changes with a clock that is up to a tick behind.
constexpr std::chrono::milliseconds kClockTick{20};
constexpr std::size_t kNamesInLog = 10;

// In-process agents have no process that could write on its own.
bool IsWorthChecking(const AgentRequest& request) {
  return request.Intercepts() && request.provider != "openai_compatible";
}

fs::path WorkspaceOf(const fs::path& working_dir) {
  std::error_code error;
  const fs::path real = fs::canonical(working_dir, error);
  return builtins::FindGitLayout(error ? working_dir : real).top;
}

// Of a file that was deleted, or moved with its folder, no time is known.
bool MayBeTheirs(const FileChange& change, WallClock::time_point free_hand) {
  if (!change.now || change.moved) return true;
  return WallClock::time_point(std::chrono::nanoseconds(change.now->changed_ns)) >= free_hand - kClockTick;
}

void Tell(const AgentRequest& request, const std::vector<std::string>& names, RunObserver& observer) {
  json::array shown;
  for (std::size_t i = 0; i < names.size() && i < kNamesInLog; ++i) shown.emplace_back(names[i]);
  observer.Logged(&request.step, LogLevel::kWarn, "files changed outside the proxy",
                  {{"provider", request.provider_as_written}, {"count", names.size()}, {"files", std::move(shown)}});
}

}  // namespace

StepResult WorkspaceCheck::Run(const AgentRequest& request, RunObserver& observer) {
  if (!IsWorthChecking(request)) return inner_.Run(request, observer);
  const fs::path root = WorkspaceOf(request.working_dir);
  const auto begin = WallClock::now();
  const auto before = WorkspaceSnapshot::Take(root, skipped_, limits_);
  StepResult result = inner_.Run(request, observer);
  const auto after = before ? WorkspaceSnapshot::Take(root, skipped_, limits_) : std::nullopt;
  if (!after) {
    observer.Logged(&request.step, LogLevel::kDebug, "workspace check left out",
                    {{"workspace", root.string()}, {"entries_limit", limits_.entries}});
    return result;
  }
  Judge(Changes(*before, *after), begin, result.end);
  if (!result.end.changed_outside_proxy->empty()) Tell(request, *result.end.changed_outside_proxy, observer);
  return result;
}

void WorkspaceCheck::Judge(const std::vector<FileChange>& changes, WallClock::time_point begin, StepEnd& end) const {
  std::vector<std::string> outside;
  std::int64_t unattributed = 0;
  const auto free_hand = activity_.FreeHandSince(begin);
  for (const FileChange& change : changes) {
    if (change.now && activity_.Wrote(*change.now)) continue;
    if (free_hand && MayBeTheirs(change, *free_hand)) {
      ++unattributed;
    } else {
      outside.push_back(change.path);
    }
  }
  end.changed_outside_proxy = std::move(outside);
  end.unattributed = unattributed;
}

}  // namespace awf::workspace
