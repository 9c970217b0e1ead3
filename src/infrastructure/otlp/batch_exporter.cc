#include "infrastructure/otlp/batch_exporter.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "domain/random_id.h"
#include "infrastructure/otlp/span_encoder.h"
#include "infrastructure/process/blocked_signals.h"

namespace awf::otlp {
namespace {

using std::chrono::milliseconds;

constexpr int kFinalTries = 2;                 // of a Flush at a collector that is not there
constexpr milliseconds kFirstFinalPause{100};  // before the second of them
constexpr milliseconds kLeastAskedPause{100};  // a collector that asks for none is not asked over and over
constexpr milliseconds kLongestAskedPause = std::chrono::hours(24);
constexpr const char* kTimeUp = "no answer in time";  // where nothing else is known
constexpr const char* kInterrupted = "interrupted";

// The pauses between tries that fail.
class BackOff {
 public:
  explicit BackOff(const BatchLimits& limits)
      : first_(limits.first_pause), longest_(limits.longest_pause), next_(first_) {}

  milliseconds Next() {
    const milliseconds pause = next_;
    next_ = std::min(next_ * 2, longest_);
    return pause - milliseconds(RandomUpTo(static_cast<std::uint64_t>(pause.count()) / 2));
  }
  void Reset() { next_ = first_; }
  void Hurry() { next_ = std::min(next_, kFirstFinalPause); }

 private:
  milliseconds first_, longest_, next_;
};

}  // namespace

class BatchExporter::Worker {
 public:
  Worker(std::unique_ptr<SpanTransport> transport, const BatchLimits& limits, const TraceResource& resource,
         const Masker& masker, OnTrouble on_trouble)
      : transport_(std::move(transport)),
        limits_(limits),
        encoder_(resource, masker),
        on_trouble_(std::move(on_trouble)),
        back_off_(limits) {
    const process::AllSignalsBlocked blocked;
    thread_ = std::thread([this] { Work(); });
  }

  ~Worker() {
    Abandon();
    if (thread_.joinable()) thread_.join();
  }

  void Add(const SpanRecord& span) {
    const std::lock_guard lock(mutex_);
    if (end_ || waiting_.size() >= limits_.queue) {
      ++(end_ ? report_.unsent : report_.dropped);
      return;
    }
    waiting_.push_back({span, SteadyClock::now()});
    if (waiting_.size() == 1 || waiting_.size() == limits_.batch) changed_.notify_all();
  }

  ExportReport Finish(milliseconds patience) {
    {
      std::unique_lock lock(mutex_);
      end_ = SteadyClock::now() + patience;
      changed_.notify_all();
      changed_.wait_until(lock, *end_, [this] { return done_ || stop_.stop_requested(); });
    }
    const bool interrupted = stop_.stop_requested();
    Abandon();
    if (thread_.joinable()) thread_.join();
    const std::lock_guard lock(mutex_);
    report_.unsent += waiting_.size();
    waiting_.clear();
    report_.endpoint = transport_->Endpoint();
    if (report_.unsent > 0 && report_.last_error.empty()) report_.last_error = interrupted ? kInterrupted : kTimeUp;
    return report_;
  }

  void Abandon() {
    stop_.request_stop();
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }

 private:
  struct Waiting {
    SpanRecord span;
    SteadyClock::time_point since;
  };
  using Lock = std::unique_lock<std::mutex>;

  void Work();
  std::vector<SpanRecord> Take();
  bool WaitForBatch(Lock& lock);
  bool Deliver(const std::vector<SpanRecord>& batch);
  std::optional<bool> Settle(const SendOutcome& outcome, std::size_t spans);
  bool MayTryAgain(const SendOutcome& outcome);
  bool Pause(milliseconds pause, bool asked_for, bool near_the_end);
  void Fail(const std::string& error);

  const std::unique_ptr<SpanTransport> transport_;
  const BatchLimits limits_;
  const SpanEncoder encoder_;
  const OnTrouble on_trouble_;
  BackOff back_off_;      // of the thread, as the three below
  bool trouble_ = false;  // the last try failed
  bool hurried_ = false;  // the pauses began anew as the end came near
  int in_vain_ = 0;       // tries without a connection since then
  std::stop_source stop_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  Deadline end_;  // once Finish was called
  bool done_ = false;
  ExportReport report_;

  std::thread thread_;
};

void BatchExporter::Worker::Work() {
  for (std::vector<SpanRecord> batch = Take(); !batch.empty(); batch = Take()) {
    if (Deliver(batch)) continue;
    const std::lock_guard lock(mutex_);
    report_.unsent += batch.size();
    break;
  }
  const std::lock_guard lock(mutex_);
  done_ = true;
  changed_.notify_all();
}

// Empty when there is nothing more to do.
std::vector<SpanRecord> BatchExporter::Worker::Take() {
  Lock lock(mutex_);
  std::vector<SpanRecord> batch;
  if (!WaitForBatch(lock)) return batch;
  std::size_t bytes = 0;
  while (!waiting_.empty() && batch.size() < limits_.batch) {
    bytes += EncodedSizeHint(waiting_.front().span);
    if (bytes > limits_.bytes && !batch.empty()) break;
    batch.push_back(std::move(waiting_.front().span));
    waiting_.pop_front();
  }
  return batch;
}

// False: it is over.
bool BatchExporter::Worker::WaitForBatch(Lock& lock) {
  while (!stop_.stop_requested()) {
    if (end_) return !waiting_.empty();
    if (waiting_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto due = waiting_.front().since + limits_.delay;
    if (waiting_.size() >= limits_.batch || SteadyClock::now() >= due) return true;
    changed_.wait_until(lock, due);
  }
  return false;
}

// False when the batch was not settled and nothing more can be sent.
bool BatchExporter::Worker::Deliver(const std::vector<SpanRecord>& batch) {
  const std::string encoded = encoder_.Encode(batch);
  for (;;) {
    Deadline deadline = SteadyClock::now() + limits_.timeout;
    {
      const std::lock_guard lock(mutex_);
      deadline = Earlier(deadline, end_);
    }
    const SendOutcome outcome = transport_->Send(encoded, deadline, stop_.get_token());
    if (const auto settled = Settle(outcome, batch.size())) return *settled;
    if (!MayTryAgain(outcome)) return false;
  }
}

// Whether the thread may go on to the next batch; nothing when this one may be sent again.
std::optional<bool> BatchExporter::Worker::Settle(const SendOutcome& outcome, std::size_t spans) {
  using Kind = SendOutcome::Kind;
  if (outcome.kind == Kind::kCancelled) return false;
  if (outcome.kind != Kind::kAccepted || outcome.rejected > 0) Fail(outcome.message);
  if (outcome.kind == Kind::kRetry || outcome.kind == Kind::kNobody) return std::nullopt;
  back_off_.Reset();
  in_vain_ = 0;
  const std::uint64_t all = spans;
  const std::uint64_t taken =
      outcome.kind == Kind::kRefused
          ? 0
          : all - std::min(all, static_cast<std::uint64_t>(std::max<std::int64_t>(outcome.rejected, 0)));
  if (taken == all) trouble_ = false;
  const std::lock_guard lock(mutex_);
  report_.sent += taken;
  report_.unsent += all - taken;
  return true;
}

bool BatchExporter::Worker::MayTryAgain(const SendOutcome& outcome) {
  bool near_the_end = false;
  {
    const std::lock_guard lock(mutex_);
    near_the_end = end_.has_value();
  }
  if (near_the_end && outcome.kind == SendOutcome::Kind::kNobody) {
    if (++in_vain_ >= kFinalTries) return false;
  } else {
    in_vain_ = 0;
  }
  if (outcome.retry_after)
    return Pause(std::clamp(*outcome.retry_after, std::min(limits_.first_pause, kLeastAskedPause), kLongestAskedPause),
                 true, near_the_end);
  if (near_the_end && !std::exchange(hurried_, true)) back_off_.Hurry();
  return Pause(back_off_.Next(), false, near_the_end);
}

// False when there is no time for another try. A pause that the collector has asked for is kept also when the end is
// near; another one ends then, also when the end came since `near_the_end` was read.
bool BatchExporter::Worker::Pause(milliseconds pause, bool asked_for, bool near_the_end) {
  Lock lock(mutex_);
  const auto until = SteadyClock::now() + pause;
  const auto too_late = [&] { return stop_.stop_requested() || (end_ && asked_for && until >= *end_); };
  changed_.wait_until(lock, until, [&] { return too_late() || (!asked_for && end_.has_value() != near_the_end); });
  return !too_late() && !Passed(end_);
}

void BatchExporter::Worker::Fail(const std::string& error) {
  if (!std::exchange(trouble_, true) && on_trouble_) on_trouble_(error);
  const std::lock_guard lock(mutex_);
  report_.last_error = error;
}

BatchExporter::BatchExporter(std::unique_ptr<SpanTransport> transport, const BatchLimits& limits,
                             const TraceResource& resource, const Masker& masker, OnTrouble on_trouble)
    : worker_(std::make_unique<Worker>(std::move(transport), limits, resource, masker, std::move(on_trouble))) {}

BatchExporter::~BatchExporter() = default;

bool BatchExporter::Write(const SpanRecord& span) {
  worker_->Add(span);
  return true;
}

ExportReport BatchExporter::Flush(milliseconds patience) { return worker_->Finish(patience); }

void BatchExporter::Abandon() { worker_->Abandon(); }

}  // namespace awf::otlp
