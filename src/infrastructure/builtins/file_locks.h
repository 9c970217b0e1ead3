// FileLocks: one lock per file, known by device and inode, so that two spellings or two hard links of one file are the
// same lock. Orders the read-modify-write of parallel calls in this process; other processes are not kept out.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <mutex>
#include <set>
#include <utility>

namespace awf::builtins {

// Thread-safe. Must outlive its guards.
class FileLocks {
 public:
  using Key = std::pair<dev_t, ino_t>;

  // Holds the lock until its end.
  class Guard {
   public:
    Guard(Guard&& other) noexcept : locks_(std::exchange(other.locks_, nullptr)), key_(std::move(other.key_)) {}
    Guard& operator=(Guard&&) = delete;
    ~Guard() {
      if (locks_ != nullptr) locks_->Release(key_);
    }

   private:
    friend class FileLocks;
    Guard(FileLocks& locks, Key key) : locks_(&locks), key_(key) {}
    FileLocks* locks_;
    Key key_;
  };

  // Waits until the lock is free. A thread that holds one must not ask for another.
  Guard Acquire(Key key);

 private:
  void Release(const Key& key);

  std::mutex mutex_;
  std::condition_variable released_;
  std::set<Key> held_;
};

}  // namespace awf::builtins
