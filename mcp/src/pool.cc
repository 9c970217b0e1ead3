#include "pool.h"

#include <exception>
#include <utility>

#include "memory.h"

namespace mcp {

Pool::Pool(Limits limits, std::function<void(PendingCall&)> run, std::function<void()> on_relief)
    : limits_(limits), run_(std::move(run)), on_relief_(std::move(on_relief)) {}

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Pool::Submit(std::shared_ptr<PendingCall> call) {
  std::unique_lock lock(mutex_);
  const bool all_busy = running_ + waiting_.size() >= threads_.size();
  if (all_busy && threads_.size() < limits_.threads && !StartThread() && threads_.empty()) return false;
  waiting_bytes_ += call->frame_size();
  waiting_.push_back(std::move(call));
  lock.unlock();
  work_.notify_one();
  return true;
}

bool Pool::StartThread() {
  try {
    threads_.emplace_back([this] { Work(); });
  } catch (const std::exception&) {  // no thread or no memory: those that are there must do
    return false;
  }
  return true;
}

void Pool::AddHelper() {
  const std::lock_guard lock(mutex_);
  if (!waiting_.empty()) StartThread();
}

bool Pool::FullLocked() const { return waiting_.size() > limits_.waiting || waiting_bytes_ > limits_.waiting_bytes; }

bool Pool::Full() const {
  const std::lock_guard lock(mutex_);
  return FullLocked();
}

bool Pool::WaitIdle(std::optional<Clock::time_point> deadline) {
  std::unique_lock lock(mutex_);
  const auto idle = [&] { return waiting_.empty() && running_ == 0; };
  if (deadline) return idle_.wait_until(lock, *deadline, idle);
  idle_.wait(lock, idle);
  return true;
}

void Pool::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [&] { return closing_ || !waiting_.empty(); });
    if (closing_) return;
    const bool was_full = FullLocked();
    std::shared_ptr<PendingCall> call = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= call->frame_size();
    ++running_;
    const bool relief = was_full && !FullLocked();
    lock.unlock();
    if (relief) on_relief_();
    run_(*call);
    const std::size_t size = call->frame_size();
    call.reset();
    ReturnMemoryAfter(size);
    lock.lock();
    --running_;
    if (running_ == 0 && waiting_.empty()) idle_.notify_all();
  }
}

}  // namespace mcp
