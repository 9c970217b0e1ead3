// OtlpJsonFile: trace.json. Each line is one complete OTLP/JSON object with one span, written as the span ends: ids in
// hex, times and 64-bit integers as strings, enums as numbers.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <string>

#include "domain/masker.h"
#include "domain/record_sinks.h"
#include "infrastructure/telemetry/append_file.h"

namespace awf::telemetry {

// What the spans say of this process. `attributes` are OTEL_RESOURCE_ATTRIBUTES as written: k=v,k=v, percent-encoded.
struct TraceResource {
  std::string service_name = "awf";
  std::string service_version;
  std::string host;
  std::int64_t pid = 0;
  std::string attributes;
};

class OtlpJsonFile final : public SpanSink {
 public:
  // Appends to `path`. `masker` outlives the file.
  static std::expected<std::unique_ptr<OtlpJsonFile>, Error> Open(const std::filesystem::path& path,
                                                                  const TraceResource& resource, const Masker& masker);

  bool Write(const SpanRecord& span) override;
  std::string Name() const override { return file_.path().string(); }

 private:
  OtlpJsonFile(AppendFile file, const TraceResource& resource, const Masker& masker);

  AppendFile file_;
  const std::string opening_;  // of each line, up to the span: resource and scope
  const Masker& masker_;
};

}  // namespace awf::telemetry
