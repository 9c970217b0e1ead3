#include "infrastructure/process/keeper_registry.h"

#include <sys/wait.h>

#include <cerrno>

namespace awf::process {

KeeperRegistry& KeeperRegistry::Instance() {
  static KeeperRegistry registry;
  return registry;
}

bool KeeperRegistry::Reap(pid_t pid) {
  siginfo_t info{};
  // Waits without reaping first: the end may take a moment, and nobody else should have to wait for it.
  while (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) continue;
  const std::lock_guard lock(mutex_);
  ::waitpid(pid, nullptr, 0);
  keepers_.erase(pid);
  return info.si_code != CLD_EXITED;
}

}  // namespace awf::process
