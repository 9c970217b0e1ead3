// CallTable: the requests that have no answer yet, by id. Decides, once and under one lock, whether a call was finished
// or cancelled first. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pending_call.h"

namespace mcp {

class CallTable {
 public:
  bool Contains(const Id& id) const;
  void Add(std::shared_ptr<PendingCall> call);
  // Ends the call's claim to an answer and fires its stop token; does nothing when there is no such call.
  void Cancel(const std::string& id_key);
  void CancelAll();
  // Whether the call may be answered now: false when it was cancelled. Its id is free afterwards.
  bool Finish(PendingCall& call);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<PendingCall>, std::less<>> calls_;  // neither finished nor cancelled
};

}  // namespace mcp
