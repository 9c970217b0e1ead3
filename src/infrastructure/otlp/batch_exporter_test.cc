#include "infrastructure/otlp/batch_exporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "otlp_trace.pb.h"

namespace awf::otlp {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using Kind = SendOutcome::Kind;

// Names of the spans of a batch.
std::vector<std::string> NamesIn(std::string_view batch) {
  proto::ExportTraceServiceRequest request;
  EXPECT_TRUE(request.ParseFromArray(batch.data(), static_cast<int>(batch.size())));
  std::vector<std::string> names;
  for (const auto& span : request.resource_spans(0).scope_spans(0).spans()) names.push_back(span.name());
  return names;
}

// What a collector does, and what it was asked.
class Collector {
 public:
  std::deque<SendOutcome> outcomes;  // of the first requests
  SendOutcome rest;                  // of those after them
  bool holds = false;                // it never answers, as long as this is true

  SendOutcome Take(std::string_view batch, Deadline deadline, std::stop_token stop) {
    std::unique_lock lock(mutex_);
    batches_.push_back(NamesIn(batch));
    deadlines_.push_back(deadline);
    changed_.notify_all();
    changed_.wait(lock, stop, [this] { return !holds; });
    if (stop.stop_requested()) return {Kind::kCancelled, 0, "cancelled", {}};
    if (outcomes.empty()) return rest;
    const SendOutcome outcome = outcomes.front();
    outcomes.pop_front();
    return outcome;
  }

  void WaitForRequests(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return batches_.size() >= count; });
  }
  void Become(SendOutcome outcome) {
    const std::lock_guard lock(mutex_);
    rest = std::move(outcome);
  }
  void Answer() {
    const std::lock_guard lock(mutex_);
    holds = false;
    changed_.notify_all();
  }
  std::vector<std::vector<std::string>> Batches() {
    const std::lock_guard lock(mutex_);
    return batches_;
  }
  std::vector<Deadline> Deadlines() {
    const std::lock_guard lock(mutex_);
    return deadlines_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::vector<std::string>> batches_;
  std::vector<Deadline> deadlines_;
};

class FakeTransport final : public SpanTransport {
 public:
  explicit FakeTransport(Collector& collector) : collector_(collector) {}
  SendOutcome Send(std::string_view batch, Deadline deadline, std::stop_token stop) override {
    return collector_.Take(batch, deadline, stop);
  }
  std::string Endpoint() const override { return "fake:4317"; }

 private:
  Collector& collector_;
};

SpanRecord Named(const std::string& name) {
  SpanRecord span;
  span.name = name;
  return span;
}

// No pause between tries, and nothing goes out because of its age, unless a test says otherwise.
BatchLimits Limits(std::size_t batch, std::size_t queue = 100) {
  BatchLimits limits;
  limits.batch = batch;
  limits.queue = queue;
  limits.delay = 1h;
  limits.first_pause = limits.longest_pause = 0ms;
  return limits;
}

class BatchExporterTest : public testing::Test {
 protected:
  void Start(const BatchLimits& limits) {
    exporter_ =
        std::make_unique<BatchExporter>(std::make_unique<FakeTransport>(collector_), limits, TraceResource{}, masker_,
                                        [this](const std::string& error) { troubles_.push_back(error); });
  }
  void Write(std::initializer_list<const char*> names) {
    for (const char* name : names) EXPECT_TRUE(exporter_->Write(Named(name)));
  }

  Masker masker_;
  Collector collector_;
  std::vector<std::string> troubles_;
  std::unique_ptr<BatchExporter> exporter_;
};

TEST_F(BatchExporterTest, FullBatchesGoOutAtOnceAndTheRestAtTheEnd) {
  Start(Limits(2));
  Write({"a", "b", "c", "d", "e"});
  collector_.WaitForRequests(2);
  const ExportReport report = exporter_->Flush(1h);
  EXPECT_THAT(collector_.Batches(), ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "d"), ElementsAre("e")));
  EXPECT_EQ(report.sent, 5U);
  EXPECT_EQ(report.dropped + report.unsent, 0U);
  EXPECT_EQ(report.endpoint, "fake:4317");
  EXPECT_EQ(report.last_error, "");
  EXPECT_TRUE(troubles_.empty());
}

TEST_F(BatchExporterTest, ASpanDoesNotWaitLongerThanTheDelay) {
  BatchLimits limits = Limits(10);
  limits.delay = 0ms;
  Start(limits);
  Write({"a"});
  collector_.WaitForRequests(1);
  EXPECT_EQ(exporter_->Flush(1h).sent, 1U);
}

TEST_F(BatchExporterTest, AFullQueueDropsTheNewest) {
  collector_.holds = true;
  Start(Limits(2, 3));
  Write({"a", "b"});
  collector_.WaitForRequests(1);
  Write({"c", "d", "e", "f"});
  collector_.Answer();
  const ExportReport report = exporter_->Flush(1h);
  EXPECT_THAT(collector_.Batches(), ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "d"), ElementsAre("e")));
  EXPECT_EQ(report.sent, 5U);
  EXPECT_EQ(report.dropped, 1U);
  EXPECT_EQ(report.unsent, 0U);
}

TEST_F(BatchExporterTest, TheSameBatchIsSentAgainAndTroubleToldOnce) {
  collector_.outcomes = {
      {Kind::kRetry, 0, "busy", {}}, {Kind::kNobody, 0, "refused", {}}, {Kind::kRetry, 0, "busy", 0ms}};
  Start(Limits(2));
  Write({"a", "b"});
  collector_.WaitForRequests(4);
  const ExportReport report = exporter_->Flush(1h);
  EXPECT_EQ(collector_.Batches().size(), 4U);
  EXPECT_THAT(collector_.Batches(), testing::Each(ElementsAre("a", "b")));
  EXPECT_EQ(report.sent, 2U);
  EXPECT_EQ(report.unsent, 0U);
  EXPECT_THAT(troubles_, ElementsAre("busy"));
}

TEST_F(BatchExporterTest, WhatIsRefusedForGoodIsCountedAndTheNextGoesOut) {
  collector_.outcomes = {{Kind::kRefused, 0, "no such service", {}}, {}, {Kind::kRefused, 0, "bad token", {}}};
  Start(Limits(2));
  Write({"a", "b", "c", "d", "e"});
  const ExportReport report = exporter_->Flush(1h);
  EXPECT_EQ(collector_.Batches().size(), 3U);
  EXPECT_EQ(report.sent, 2U);
  EXPECT_EQ(report.unsent, 3U);
  EXPECT_EQ(report.last_error, "bad token");
  EXPECT_THAT(troubles_, ElementsAre("no such service", "bad token"));
}

TEST_F(BatchExporterTest, APartialSuccessCountsWhatWasRejected) {
  collector_.outcomes = {
      {Kind::kAccepted, 1, "too old", {}}, {Kind::kAccepted, 7, "all", {}}, {Kind::kAccepted, -7, "", {}}};
  Start(Limits(2));
  Write({"a", "b", "c", "d", "e", "f"});
  const ExportReport report = exporter_->Flush(1h);
  EXPECT_EQ(report.sent, 3U);
  EXPECT_EQ(report.unsent, 3U);
  EXPECT_EQ(report.last_error, "all");
}

TEST_F(BatchExporterTest, NothingIsLostWhileACollectorIsAway) {
  collector_.rest = {Kind::kNobody, 0, "refused", {}};
  BatchLimits limits = Limits(2, 4);
  limits.first_pause = limits.longest_pause = 1h;  // which the end cuts short
  Start(limits);
  Write({"a", "b"});
  collector_.WaitForRequests(1);
  Write({"c", "d", "e", "f"});
  collector_.Become({});
  const ExportReport report = exporter_->Flush(1h);
  EXPECT_EQ(report.sent, 6U);
  EXPECT_EQ(report.unsent + report.dropped, 0U);
}

TEST_F(BatchExporterTest, TwoTriesAtNobodyEndAFlush) {
  collector_.rest = {Kind::kNobody, 0, "connection refused", {}};
  Start(Limits(2));
  Write({"a"});
  const ExportReport report = exporter_->Flush(1h);
  EXPECT_EQ(collector_.Batches().size(), 2U);
  EXPECT_EQ(report.sent, 0U);
  EXPECT_EQ(report.unsent, 1U);
  EXPECT_EQ(report.last_error, "connection refused");
}

TEST_F(BatchExporterTest, ACollectorThatNeverAnswersCostsThePatienceOnly) {
  collector_.holds = true;
  BatchLimits limits = Limits(1);
  limits.timeout = 2h;
  Start(limits);
  Write({"a"});
  collector_.WaitForRequests(1);
  Write({"b", "c"});
  const ExportReport report = exporter_->Flush(1ms);
  EXPECT_EQ(collector_.Batches().size(), 1U);
  EXPECT_EQ(report.unsent, 3U);
  EXPECT_EQ(report.last_error, "no answer in time");
}

TEST_F(BatchExporterTest, ARequestOfAFlushEndsWithIt) {
  BatchLimits limits = Limits(5);
  limits.timeout = 48h;
  Start(limits);
  Write({"a"});
  const auto before = SteadyClock::now();
  exporter_->Flush(24h);
  ASSERT_EQ(collector_.Deadlines().size(), 1U);
  ASSERT_TRUE(collector_.Deadlines()[0]);
  EXPECT_LT(*collector_.Deadlines()[0], before + 36h);
}

TEST_F(BatchExporterTest, WhoIsAskedToComeBackTooLateGivesUp) {
  collector_.rest = {Kind::kRetry, 0, "busy", 2h};
  Start(Limits(2));
  Write({"a", "b", "c"});
  collector_.WaitForRequests(1);
  const ExportReport report = exporter_->Flush(1h);
  EXPECT_EQ(collector_.Batches().size(), 1U);
  EXPECT_EQ(report.unsent, 3U);
  EXPECT_EQ(report.last_error, "busy");
}

TEST_F(BatchExporterTest, ThePauseThatACollectorAsksForIsKeptNearTheEndToo) {
  collector_.outcomes = {{Kind::kRetry, 0, "busy", 30ms}};
  Start(Limits(2));
  Write({"a"});
  const auto before = SteadyClock::now();
  EXPECT_EQ(exporter_->Flush(1h).sent, 1U);
  EXPECT_GE(SteadyClock::now() - before, 30ms);
  EXPECT_EQ(collector_.Batches().size(), 2U);
}

TEST_F(BatchExporterTest, AbandonEndsAFlush) {
  collector_.holds = true;
  Start(Limits(1));
  Write({"a", "b"});
  std::thread other([this] {
    collector_.WaitForRequests(1);
    exporter_->Abandon();
  });
  const ExportReport report = exporter_->Flush(1h);
  other.join();
  EXPECT_EQ(report.unsent, 2U);
  EXPECT_EQ(report.last_error, "interrupted");
}

TEST_F(BatchExporterTest, WithoutAFlushItsEndDoesNotWait) {
  collector_.holds = true;
  Start(Limits(1));
  Write({"a", "b"});
  collector_.WaitForRequests(1);
  exporter_.reset();
  EXPECT_EQ(collector_.Batches().size(), 1U);
}

TEST_F(BatchExporterTest, LargeSpansAreDividedAmongRequests) {
  BatchLimits limits = Limits(10);
  limits.bytes = 60'000;
  Start(limits);
  for (const char* name : {"a", "b", "c", "d"}) {
    SpanRecord span = Named(name);
    span.attributes.emplace_back("content", std::string(name[0] == 'c' ? 120'000 : 29'000, 'x'));
    exporter_->Write(span);
  }
  EXPECT_EQ(exporter_->Flush(1h).sent, 4U);
  EXPECT_THAT(collector_.Batches(), ElementsAre(ElementsAre("a", "b"), ElementsAre("c"), ElementsAre("d")));
}

TEST_F(BatchExporterTest, TakesSpansOfManyThreads) {
  Start(Limits(7, 10'000));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this] {
      for (int i = 0; i < 250; ++i) exporter_->Write(Named("x"));
    });
  for (std::thread& thread : threads) thread.join();
  const ExportReport report = exporter_->Flush(1h);
  EXPECT_EQ(report.sent, 1000U);
  EXPECT_EQ(report.dropped + report.unsent, 0U);
}

}  // namespace
}  // namespace awf::otlp
