// WatchedCommands: the CommandExecutor of a run; tells WorkspaceActivity of every command, of states and of hooks.
#pragma once

#include "domain/command.h"
#include "infrastructure/workspace/workspace_activity.h"

namespace awf::workspace {

// Thread-safe. Both outlive the object.
class WatchedCommands final : public CommandExecutor {
 public:
  WatchedCommands(CommandExecutor& inner, WorkspaceActivity& activity) : inner_(inner), activity_(activity) {}

  StepResult Run(const CommandRequest& request, RunObserver& observer) override;

 private:
  CommandExecutor& inner_;
  WorkspaceActivity& activity_;
};

}  // namespace awf::workspace
