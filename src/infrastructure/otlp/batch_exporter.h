// BatchExporter: sends spans to a collector from a thread of its own. The run never waits for it.
//
// Spans are queued as they end; a full queue drops the newest and counts it. A batch goes out when it is full or its
// first span is `delay` old; it is encoded in that thread. What may be sent again is, with growing pauses or after the
// time that the collector asks for, for as long as there is time; nothing that fits the queue is lost while a collector
// is away. A batch that was refused for good is counted, and the next one goes out. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "domain/masker.h"
#include "domain/record_sinks.h"
#include "infrastructure/otlp/resource.h"
#include "infrastructure/otlp/span_transport.h"

namespace awf::otlp {

struct ExportReport {
  std::uint64_t sent = 0;
  std::uint64_t dropped = 0;  // the queue was full
  std::uint64_t unsent = 0;   // refused, rejected, or the time was up
  std::string endpoint, last_error;
};

class BatchExporter final : public SpanSink {
 public:
  // Told on the exporter's thread when a try fails after one that did not.
  using OnTrouble = std::function<void(const std::string& error)>;

  // `masker` outlives it. Starts the thread, which takes no signals.
  BatchExporter(std::unique_ptr<SpanTransport> transport, const BatchLimits& limits, const TraceResource& resource,
                const Masker& masker, OnTrouble on_trouble = {});
  ~BatchExporter() override;  // without a Flush before: abandons what waits

  bool Write(const SpanRecord& span) override;  // never waits; true also for a span that is dropped: Flush tells
  std::string Name() const override { return "OTLP exporter"; }

  // Sends what waits, until `patience` is over at the latest, ends the thread and tells what came of it. A collector
  // that refuses connections is not asked over and over: two tries in a row end it. Once.
  ExportReport Flush(std::chrono::milliseconds patience);
  // Ends a Flush that runs, and every later one, at once. Async-signal-unsafe; from any thread.
  void Abandon();

 private:
  class Worker;
  std::unique_ptr<Worker> worker_;
};

}  // namespace awf::otlp
