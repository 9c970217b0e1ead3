// Pool: threads that run calls in the order of their arrival, created on first need.
//
// Submit, Full, WaitIdle and AddHelper are for one thread. on_relief is called, without a lock, when the pool is no
// longer full.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "pending_call.h"

namespace mcp {

class Pool {
 public:
  using Clock = std::chrono::steady_clock;
  struct Limits {
    std::size_t threads;
    std::size_t waiting;        // calls above which the pool is full
    std::size_t waiting_bytes;  // of their frames, likewise
  };

  // run must not throw.
  Pool(Limits limits, std::function<void(PendingCall&)> run, std::function<void()> on_relief);
  // Waits for the running calls; those that wait are dropped.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // False when there is no thread to run it and none to be had.
  bool Submit(std::shared_ptr<PendingCall> call);
  bool Full() const;
  // Waits until no call runs or waits; false when the deadline came first. Without one it waits for ever.
  bool WaitIdle(std::optional<Clock::time_point> deadline);
  // One more thread, so that waiting calls are served although all others are stuck.
  void AddHelper();

 private:
  bool FullLocked() const;
  bool StartThread();
  void Work();

  const Limits limits_;
  const std::function<void(PendingCall&)> run_;
  const std::function<void()> on_relief_;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable idle_;
  std::deque<std::shared_ptr<PendingCall>> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::size_t running_ = 0;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace mcp
