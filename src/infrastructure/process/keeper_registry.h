// The keepers and plugins that this process has started and not yet reaped, so that whoever kills stray children spares
// them.
//
// Like the children themselves this belongs to the process as a whole, hence the one instance. Thread-safe.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <set>

namespace awf::process {

class KeeperRegistry {
 public:
  static KeeperRegistry& Instance();

  // Hold it from before a keeper is started until it is added, and while strays are looked for.
  std::mutex& mutex() { return mutex_; }

  // With the mutex held.
  void Add(pid_t pid) { keepers_.insert(pid); }
  bool Contains(pid_t pid) const { return keepers_.contains(pid); }
  // Reaps the keeper, which has ended or is about to; takes the mutex, so that its number is not reused meanwhile.
  // True when it was killed: what it kept may be left.
  bool Reap(pid_t pid);

 private:
  std::mutex mutex_;
  std::set<pid_t> keepers_;
};

}  // namespace awf::process
