// What all spans of a process say of it. Pure.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.h"
#include "domain/masker.h"
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

// awf's own attributes win over those of the environment, whose values are masked where their key speaks of a secret.
Attributes ResourceAttributes(const TraceResource& resource, const Masker& masker);

// OTEL_RESOURCE_ATTRIBUTES: USER.INPUT.INVALID_FORMAT tells which pair cannot be understood, without its value.
std::expected<void, Error> CheckResourceAttributes(std::string_view attributes);
// The values in it that must not be shown: those under a key that speaks of a secret.
std::vector<std::string> ResourceSecrets(std::string_view attributes, const SecretNames& names);

}  // namespace awf::otlp
