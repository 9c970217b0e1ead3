// WorkspaceActivity: what awf knows of who may have changed files during a run: which files its tools left behind, and
// since when a command, or an agent with tools of its own, may have changed anything.
//
// An observer of the whole run, since states of parallel branches work in one workspace; commands of states and hooks
// are told by WatchedCommands. Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "domain/run_observer.h"
#include "domain/written_file.h"

namespace awf::workspace {

class WorkspaceActivity final : public RunObserver {
 public:
  void StepStarted(const StepContext& step, const StepStart& start) override;
  void StepEnded(const StepContext& step, const StepEnd& end) override;
  void CallStarted(const StepContext& step, const CallRecord& call) override;
  void CallFinished(const StepContext& step, const CallRecord& call, const CallEnd& end) override;

  // A command or an agent with tools of its own works until the same is told to have ended; `who` is unique.
  void FreeHandBegins(const std::string& who, WallClock::time_point when);
  void FreeHandEnds(const std::string& who);

  bool Wrote(const WrittenFile& file) const;
  // From when on somebody else may have changed files, of those who worked at any time after `begin`; later than
  // `begin`, or nothing.
  std::optional<WallClock::time_point> FreeHandSince(WallClock::time_point begin) const;

 private:
  struct Span {
    WallClock::time_point begin;
    std::optional<WallClock::time_point> end;
  };

  mutable std::mutex mutex_;
  std::set<WrittenFile> written_;
  std::map<std::string, std::size_t> open_;  // by call or step → index of spans_
  std::vector<Span> spans_;
};

}  // namespace awf::workspace
