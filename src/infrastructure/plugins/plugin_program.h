// From a descriptor of an executable to a running process, beside whatever other threads this process has.
#pragma once

#include <sys/types.h>

#include <expected>
#include <string>
#include <vector>

#include "infrastructure/process/fd.h"

namespace awf::plugins {

struct ProgramStart {
  int executable = -1;                   // the caller's
  std::string path;                      // argv[0]
  std::vector<std::string> environment;  // complete, NAME=value
};

struct StartedProgram {
  pid_t pid = 0;
  Fd output, errors;  // read ends, which never block
};

// The process leads a group of its own, and dies with the calling *thread* (PR_SET_PDEATHSIG). stdin is /dev/null;
// nothing else is inherited, but by a script its own file as descriptor 3. Dispositions, signal mask and the soft limit
// of descriptors are the user's. It wears a job mark (process/job_mark.h): this process is the keeper, the program's
// number the job. It is in the KeeperRegistry, which reaps it. Returns once the program runs; the error is the errno of
// what failed, of exec in the first place. All signals should be blocked.
std::expected<StartedProgram, int> StartProgram(const ProgramStart& start);

// Ends what a program left behind once it has ended itself (it may be a zombie still): its group, and all that wears
// its mark, by SIGKILL; reaps what was given to this process. Bounded by two seconds.
void EndLeftovers(pid_t program);

}  // namespace awf::plugins
