// A mark that tells to which job of which keeper a process belongs, kept by the kernel.
//
// The keeper knows its descendants, but of an orphan that was forked twice within a millisecond nothing says any more
// which job it came from, and an environment variable is lost on `env -i`. So every program starts with a soft limit of
// its own for RLIMIT_RTTIME: children inherit it across fork, execve and setsid, and it acts on real-time threads only,
// where it means weeks. A program that sets this limit itself loses the mark; its descent is then all that is known.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace awf::process {

using JobMark = std::uint64_t;

// Differs for all jobs of all keepers that live at the same time.
JobMark MakeJobMark(pid_t keeper, std::uint32_t job);

// Marks this process. Does nothing where the hard limit forbids it.
void WearJobMark(JobMark mark);

// The job of `keeper` whose mark this process wears, modulo 2^20; nothing when it wears none or another keeper's.
std::optional<std::uint32_t> ReadJobMark(pid_t pid, pid_t keeper);

// `job` as ReadJobMark returns it.
std::uint32_t MarkedJob(std::uint32_t job);

}  // namespace awf::process
