// WorkspaceCheck: finds what a stream hides. Holds the files that changed during an intercepted agent step against what
// our tools wrote, and puts the rest into the step's end.
//
// The AgentExecutor of a run, around the one that does the work. A file that no tool of ours has written, changed while
// nothing else in the run could have changed it, counts as changed outside the proxy; once a command has run, as
// unattributed. Neither proves a bypass: a person may have edited the file. Thread-safe.
#pragma once

#include <filesystem>
#include <vector>

#include "domain/agent.h"
#include "infrastructure/workspace/workspace_activity.h"
#include "infrastructure/workspace/workspace_snapshot.h"

namespace awf::workspace {

class WorkspaceCheck final : public AgentExecutor {
 public:
  // `activity` observes the run. `skipped`: folders and files that awf itself writes. All outlive the object.
  WorkspaceCheck(AgentExecutor& inner, const WorkspaceActivity& activity, std::vector<std::filesystem::path> skipped,
                 WorkspaceSnapshot::Limits limits = {})
      : inner_(inner), activity_(activity), skipped_(std::move(skipped)), limits_(limits) {}

  StepResult Run(const AgentRequest& request, RunObserver& observer) override;

 private:
  void Judge(const std::vector<FileChange>& changes, WallClock::time_point begin, StepEnd& end) const;

  AgentExecutor& inner_;
  const WorkspaceActivity& activity_;
  std::vector<std::filesystem::path> skipped_;
  WorkspaceSnapshot::Limits limits_;
};

}  // namespace awf::workspace
