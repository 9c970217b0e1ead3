#include "writer.h"

#include <utility>

#include "memory.h"

namespace mcp {

Writer::Writer(Transport& transport, std::size_t max_bytes, std::function<void()> on_relief,
               std::function<void()> on_failure)
    : transport_(transport),
      max_bytes_(max_bytes),
      on_relief_(std::move(on_relief)),
      on_failure_(std::move(on_failure)),
      thread_([this] { Work(); }) {}

Writer::~Writer() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    lines_.clear();
  }
  work_.notify_one();
  transport_.AbandonWrites();
  thread_.join();
}

void Writer::Enqueue(std::string line) {
  {
    const std::lock_guard lock(mutex_);
    if (failed_ || closing_) return;
    bytes_ += line.size() + 1;
    lines_.push_back(std::move(line));
    if (bytes_ > max_bytes_) full_ = true;
  }
  work_.notify_one();
}

bool Writer::Full() const {
  const std::lock_guard lock(mutex_);
  return full_;
}

void Writer::Drain(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  empty_.wait_until(lock, deadline, [&] { return bytes_ == 0 || failed_; });
}

void Writer::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [&] { return closing_ || !lines_.empty(); });
    if (closing_) return;
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    lock.unlock();
    const bool written = transport_.WriteFrame(line);
    const std::size_t size = line.size();
    std::string().swap(line);  // an assignment would keep the memory
    ReturnMemoryAfter(size);
    lock.lock();
    bytes_ -= size + 1;
    if (!written) {
      failed_ = true;
      lines_.clear();
      bytes_ = 0;
    }
    const bool relief = full_ && (failed_ || bytes_ < max_bytes_ / 2);
    if (relief) full_ = false;
    if (bytes_ == 0) empty_.notify_all();
    lock.unlock();
    if (relief) on_relief_();
    if (!written) return on_failure_();
    lock.lock();
  }
}

}  // namespace mcp
