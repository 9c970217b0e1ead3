#include "cli/span_sinks.h"

#include <utility>

namespace awf::cli {

void SpanSinks::Export(std::unique_ptr<otlp::BatchExporter> exporter) {
  exporter_ = exporter.get();
  Add(std::move(exporter));
}

bool SpanSinks::Write(const SpanRecord& span) {
  bool written = true;
  for (const auto& sink : sinks_) {
    if (sink->Write(span)) continue;
    written = false;
    failed_ = sink.get();
  }
  return written;
}

std::string SpanSinks::Name() const {
  const SpanSink* failed = failed_;
  return failed == nullptr ? "spans" : failed->Name();
}

std::string SpanSinks::Failure() const {
  const SpanSink* failed = failed_;
  return failed == nullptr ? "" : failed->Failure();
}

std::optional<otlp::ExportReport> SpanSinks::Flush(std::chrono::milliseconds patience) {
  if (exporter_ == nullptr) return std::nullopt;
  return exporter_->Flush(patience);
}

void SpanSinks::Abandon() {
  if (exporter_ != nullptr) exporter_->Abandon();
}

}  // namespace awf::cli
