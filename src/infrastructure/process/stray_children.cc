// Orphans of a keeper that was killed: they become children of its owner, which ends them.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <thread>

#include "infrastructure/process/keeper.h"
#include "infrastructure/process/keeper_registry.h"
#include "infrastructure/process/process_tree.h"

namespace awf::process {
namespace {

// Nothing outlives SIGKILL for long but what sleeps uninterruptibly; that one is left to init.
constexpr std::chrono::seconds kPatience{5};

// One round: kills what is there and reaps what has ended. False when there was nothing.
bool KillRound(std::set<pid_t>& killed) {
  KeeperRegistry& registry = KeeperRegistry::Instance();
  const std::lock_guard lock(registry.mutex());
  const ProcessTree tree = ProcessTree::Snapshot();
  bool found = false;
  for (const ProcessInfo& stray : tree.ChildrenOf(::getpid())) {
    if (registry.Contains(stray.pid) || !MaySignal(stray.pid)) continue;
    found = true;
    std::vector<ProcessInfo> victims = tree.DescendantsOf(stray.pid);
    victims.push_back(stray);
    for (const ProcessInfo& victim : victims)
      if (!victim.ended() && SignalProcess(victim, SIGKILL) == Signalled::kSent) killed.insert(victim.pid);
    ::waitpid(stray.pid, nullptr, WNOHANG);
  }
  return found;
}

}  // namespace

void BecomeSubreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

int KillStrayChildren() {
  std::set<pid_t> killed;
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  // Twice nothing, since a child that was being forked may be missing in a snapshot.
  for (int quiet = 0; quiet < 2 && std::chrono::steady_clock::now() < give_up;) {
    quiet = KillRound(killed) ? 0 : quiet + 1;
    if (quiet == 0) std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return static_cast<int>(killed.size());
}

}  // namespace awf::process
