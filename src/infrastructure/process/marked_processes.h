// Processes that are no descendants any more, told by their job marks alone.
#pragma once

#include <sys/types.h>

#include <chrono>

namespace awf::process {

// Kills (SIGKILL) all that wears a job mark of `owner`, which has ended, until nothing is left or `patience` is over.
// Leaves processes of other users and of nested namespaces alone.
void EndMarkedProcesses(pid_t owner, std::chrono::milliseconds patience);

}  // namespace awf::process
