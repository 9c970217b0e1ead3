// What all spans of a process say of it. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "domain/record_sinks.h"

namespace awf::otlp {

// `attributes` are OTEL_RESOURCE_ATTRIBUTES as written: k=v,k=v, percent-encoded.
struct TraceResource {
  std::string service_name = "awf";
  std::string service_version;
  std::string host;
  std::int64_t pid = 0;
  std::string attributes;
};

// awf's own attributes win over those of the environment.
Attributes ResourceAttributes(const TraceResource& resource);

}  // namespace awf::otlp
