#include "infrastructure/process/marked_processes.h"

#include <signal.h>

#include <algorithm>
#include <thread>

#include "infrastructure/process/job_mark.h"
#include "infrastructure/process/process_tree.h"

namespace awf::process {
namespace {

constexpr std::chrono::milliseconds kLongestPause{100};

// True when something still lived.
bool KillRound(pid_t owner) {
  bool found = false;
  const ProcessTree tree = ProcessTree::Snapshot();
  for (const ProcessInfo& process : tree.DescendantsOf(0)) {
    if (process.ended() || !ReadJobMark(process.pid, owner) || !IsOfThisNamespace(process.pid)) continue;
    found = SignalProcess(process, SIGKILL) == Signalled::kSent || found;
  }
  return found;
}

}  // namespace

void EndMarkedProcesses(pid_t owner, std::chrono::milliseconds patience) {
  const auto give_up = std::chrono::steady_clock::now() + patience;
  std::chrono::milliseconds pause{1};
  // Twice nothing, since a process that was being forked may be missing in a snapshot.
  for (int quiet = 0; quiet < 2 && std::chrono::steady_clock::now() < give_up;) {
    quiet = KillRound(owner) ? 0 : quiet + 1;
    if (quiet > 0) continue;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
}

}  // namespace awf::process
