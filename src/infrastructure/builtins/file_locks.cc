#include "infrastructure/builtins/file_locks.h"

namespace awf::builtins {

FileLocks::Guard FileLocks::Acquire(Key key) {
  std::unique_lock lock(mutex_);
  released_.wait(lock, [&] { return !held_.contains(key); });
  held_.insert(key);
  return {*this, key};
}

void FileLocks::Release(const Key& key) {
  {
    const std::lock_guard lock(mutex_);
    held_.erase(key);
  }
  released_.notify_all();
}

}  // namespace awf::builtins
