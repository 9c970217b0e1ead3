#include "cli/span_sinks.h"

#include <utility>

namespace awf::cli {

void SpanSinks::Export(std::unique_ptr<otlp::BatchExporter> exporter) {
  exporter_ = exporter.get();
  Add(std::move(exporter));
}

bool SpanSinks::Write(const SpanRecord& span) {
  bool written = true;
  for (const auto& sink : sinks_) written = sink->Write(span) && written;
  return written;
}

std::optional<otlp::ExportReport> SpanSinks::Flush(std::chrono::milliseconds patience) {
  if (exporter_ == nullptr) return std::nullopt;
  flushing_ = true;
  otlp::ExportReport report = exporter_->Flush(patience);
  flushing_ = false;
  return report;
}

void SpanSinks::Abandon() {
  if (exporter_ != nullptr) exporter_->Abandon();
}

}  // namespace awf::cli
