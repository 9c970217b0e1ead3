// KeeperCommandExecutor: runs the command or script of a `step` state under a keeper of its own.
//
// SHELL -c: $SHELL of the environment when it is absolute, executable and named sh, bash, dash, ash, ksh or zsh, else
// /bin/sh. A script that names an interpreter (#!) is put into a private file, which goes with the keeper, also when
// awf is killed. stdin is /dev/null. Memory grows with what is printed, up to the request's max_output. The command
// ends when its leader ends; what it left running gets SIGTERM, after 5 s SIGKILL. The same happens to the whole tree
// at the deadline and on cancellation. The process should be a subreaper (BecomeSubreaper), in case a keeper gets
// killed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "domain/command.h"

namespace awf::process {

class KeeperCommandExecutor final : public CommandExecutor {
 public:
  // Thread-safe: any number of threads may be in Run at once.
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
