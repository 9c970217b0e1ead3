// OtlpJsonFile: trace.json. Each line is one complete OTLP/JSON object with one span, written as the span ends: ids in
// hex, times and 64-bit integers as strings, enums as numbers.
#pragma once

#include <expected>
#include <filesystem>
#include <memory>
#include <string>

#include "domain/masker.h"
#include "domain/record_sinks.h"
#include "infrastructure/otlp/resource.h"
#include "infrastructure/telemetry/append_file.h"

namespace awf::otlp {

class OtlpJsonFile final : public SpanSink {
 public:
  // Appends to `path`. `masker` outlives the file.
  static std::expected<std::unique_ptr<OtlpJsonFile>, Error> Open(const std::filesystem::path& path,
                                                                  const TraceResource& resource, const Masker& masker);

  bool Write(const SpanRecord& span) override;
  std::string Name() const override { return file_.path().string(); }
  std::string Failure() const override { return file_.Failure(); }

 private:
  OtlpJsonFile(telemetry::AppendFile file, const TraceResource& resource, const Masker& masker);

  telemetry::AppendFile file_;
  const std::string opening_;  // of each line, up to the span: resource and scope
  const Masker& masker_;
};

}  // namespace awf::otlp
