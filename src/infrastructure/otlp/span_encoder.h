// SpanEncoder: spans as a serialized ExportTraceServiceRequest. What it takes from a span is masked and made valid
// UTF-8. Immutable after construction, thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "domain/masker.h"
#include "domain/record_sinks.h"
#include "infrastructure/otlp/resource.h"

namespace awf::otlp {

class SpanEncoder {
 public:
  // `masker` outlives it.
  SpanEncoder(const TraceResource& resource, const Masker& masker);

  std::string Encode(std::span<const SpanRecord> spans) const;

 private:
  const Masker& masker_;
  const Attributes resource_;
  const std::string version_;
};

// About the bytes that a span takes in a request, and more than it takes when nothing is masked.
std::size_t EncodedSizeHint(const SpanRecord& span);

}  // namespace awf::otlp
