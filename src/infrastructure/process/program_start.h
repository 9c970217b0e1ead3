// What happens in a child of the keeper between fork and execve.
//
// The keeper has one thread, so the child may allocate. Used by the keeper only.
#pragma once

#include <sys/types.h>

#include "infrastructure/process/job_mark.h"
#include "infrastructure/process/keeper.h"

namespace awf::process {

// How a start that failed is told through the pipe; execve closes the pipe without a word.
struct StartFailure {
  int error_number = 0;
  char stage[16] = {};
};

// Becomes the program: own session or process group, death signal, descriptors 0 to 2 and no others, working directory,
// mark, default dispositions, empty signal mask. `request` holds descriptors above 2, or -1 for /dev/null.
[[noreturn]] void BecomeProgram(const SpawnRequest& request, JobMark mark, pid_t keeper, int failure_pipe);

}  // namespace awf::process
