// CollectorState: what the connections of a FakeCollector share. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/fakes/fake_collector.h"

namespace awf::fakes {

class CollectorState {
 public:
  CollectorState(FakeCollector::Protocol protocol, CollectorReply first)
      : protocol_(protocol), reply_(std::move(first)) {}

  FakeCollector::Protocol protocol() const { return protocol_; }
  void SetReply(const CollectorReply& reply);
  void QueueReply(const CollectorReply& reply);
  CollectorReply TakeReply();

  // Decodes the body into the request and keeps it.
  void Keep(CollectedRequest request, const std::string& body);
  // One whose body was not waited for.
  void KeepCut(CollectedRequest request);

  int CountConnection();
  int connections() const;
  std::vector<CollectedRequest> Requests() const;
  bool WaitUntil(const std::function<bool(const std::vector<CollectedRequest>&)>& enough,
                 std::chrono::milliseconds patience) const;

  // False when the collector stops meanwhile.
  bool Pause(std::chrono::milliseconds time) const;
  void Stop();

 private:
  const FakeCollector::Protocol protocol_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  CollectorReply reply_;
  std::deque<CollectorReply> next_;
  std::vector<CollectedRequest> requests_;
  int connections_ = 0;
  bool stopping_ = false;
};

}  // namespace awf::fakes
