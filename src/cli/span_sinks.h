// SpanSinks: all places where the spans of a run go, as one. Made by one thread; used by many after that.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "domain/record_sinks.h"
#include "infrastructure/otlp/batch_exporter.h"

namespace awf::cli {

class SpanSinks final : public SpanSink {
 public:
  void Add(std::unique_ptr<SpanSink> sink) { sinks_.push_back(std::move(sink)); }
  void Export(std::unique_ptr<otlp::BatchExporter> exporter);  // once
  bool empty() const { return sinks_.empty(); }

  bool Write(const SpanRecord& span) override;
  std::string Name() const override;     // of the sink whose Write failed last, else of all
  std::string Failure() const override;  // of the same

  // Sends what an exporter still has (BatchExporter::Flush); nothing without one.
  std::optional<otlp::ExportReport> Flush(std::chrono::milliseconds patience);
  void Abandon();  // what an exporter still has; from any thread

 private:
  std::vector<std::unique_ptr<SpanSink>> sinks_;
  otlp::BatchExporter* exporter_ = nullptr;        // one of them
  std::atomic<const SpanSink*> failed_ = nullptr;  // one of them
};

}  // namespace awf::cli
