#include "call_table.h"

#include <utility>

namespace mcp {

bool CallTable::Contains(const Id& id) const {
  const std::lock_guard lock(mutex_);
  return calls_.contains(id.key);
}

void CallTable::Add(std::shared_ptr<PendingCall> call) {
  const std::lock_guard lock(mutex_);
  std::string key = call->id().key;
  calls_.emplace(std::move(key), std::move(call));
}

// The token fires outside the lock, since it runs the callbacks of whoever waits for it.
void CallTable::Cancel(const std::string& id_key) {
  std::shared_ptr<PendingCall> call;
  {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.find(id_key);
    if (found == calls_.end()) return;
    call = std::move(found->second);
    calls_.erase(found);
  }
  call->RequestStop();
}

void CallTable::CancelAll() {
  std::map<std::string, std::shared_ptr<PendingCall>, std::less<>> calls;
  {
    const std::lock_guard lock(mutex_);
    calls.swap(calls_);
  }
  for (const auto& [key, call] : calls) call->RequestStop();
}

// The id may have been used again after a cancellation, so the entry must be this very call.
bool CallTable::Finish(PendingCall& call) {
  call.CloseProgress();
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(call.id().key);
  if (found == calls_.end() || found->second.get() != &call) return false;
  calls_.erase(found);
  return true;
}

}  // namespace mcp
