// ProcessTree: who descends from whom, as /proc tells it at one moment, and safe signals to what was found.
//
// A snapshot is not atomic: processes that start or end while it is taken may be missing. Whoever kills a tree repeats
// until nothing is left. Numbers are reused by the kernel, so a process is identified by its number and start time.
// Passive values; safe on any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace awf::process {

struct ProcessInfo {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  char state = '?';         // as in /proc/PID/stat: R, S, D, Z, …
  std::uint64_t start = 0;  // clock ticks since boot

  bool ended() const { return state == 'Z' || state == 'X'; }  // a zombie runs nothing
};

// What /proc says of one process; nothing when it does not exist.
std::optional<ProcessInfo> ReadProcess(pid_t pid);

class ProcessTree {
 public:
  static ProcessTree Snapshot();

  // Parents before their children; `root` itself is not among them.
  std::vector<ProcessInfo> DescendantsOf(pid_t root) const;
  std::vector<ProcessInfo> ChildrenOf(pid_t parent) const;

 private:
  std::multimap<pid_t, ProcessInfo> by_parent_;
};

enum class Signalled { kSent, kGone, kRefused };

// Sends a signal if the process is still the one that was seen.
Signalled SignalProcess(const ProcessInfo& process, int signal);

// False for a process of a nested namespace, as in a container: there the numbers of ours mean other processes.
bool IsOfThisNamespace(pid_t pid);

// False for a process of another user, which we can neither kill nor be asked to.
bool MaySignal(pid_t pid);

}  // namespace awf::process
