// Writer: the one thread that writes, and the queue before it.
//
// Enqueue never waits. Whoever fills the queue looks at Full and stops for a while. on_relief is called, without a
// lock, when the queue is no longer full; on_failure once when the client cannot be reached any more, after which
// everything is discarded.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "mcp/transport.h"

namespace mcp {

class Writer {
 public:
  using Clock = std::chrono::steady_clock;

  // Full above max_bytes, until half of them are written. Throws std::system_error when there is no thread to be had.
  Writer(Transport& transport, std::size_t max_bytes, std::function<void()> on_relief,
         std::function<void()> on_failure);
  // Abandons what is not written.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void Enqueue(std::string line);
  bool Full() const;
  // Waits until everything is written or cannot be, but not beyond the deadline.
  void Drain(Clock::time_point deadline);

 private:
  void Work();

  Transport& transport_;
  const std::size_t max_bytes_;
  const std::function<void()> on_relief_;
  const std::function<void()> on_failure_;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable empty_;
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;  // in lines_ and in the one being written
  bool full_ = false;
  bool failed_ = false;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace mcp
