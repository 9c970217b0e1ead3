// KeeperCommandExecutor: runs the shell command of a `step` state under a keeper of its own.
//
// SHELL -c: $SHELL of the environment when it is absolute, executable and named sh, bash, dash, ash, ksh or zsh, else
// /bin/sh. stdin is /dev/null. Of each stream the first and the last 5 MiB are kept, as valid UTF-8. The command ends
// when the shell ends; what it left running gets SIGTERM, after 5 s SIGKILL. The same happens to the whole tree at the
// deadline and on cancellation. The process should be a subreaper (BecomeSubreaper), in case a keeper gets killed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "domain/command.h"

namespace awf::process {

class KeeperCommandExecutor final : public CommandExecutor {
 public:
  // `environment` is what commands get beside set_env; `program` is what Keeper::Spawn executes.
  explicit KeeperCommandExecutor(std::vector<std::string> environment,
                                 std::filesystem::path program = "/proc/self/exe");

  StepResult Run(const CommandRequest& request, RunObserver& observer) override;

 private:
  std::vector<std::string> environment_;
  std::filesystem::path program_;
};

// The shell for that environment.
std::string ChooseShell(const std::vector<std::string>& environment);

}  // namespace awf::process
