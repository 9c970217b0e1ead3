// Sampler: whether the spans of a trace are exported, as OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG say:
// always_on, always_off, traceidratio, and each with parentbased_ before it (default parentbased_always_on), where the
// flag of the parent decides if there is one. Pure.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include "domain/error.h"
#include "infrastructure/otlp/export_settings.h"

namespace awf::otlp {

class Sampler {
 public:
  // USER.INPUT.INVALID_FORMAT for what cannot be understood.
  static std::expected<Sampler, Error> Resolve(const GetVariable& get);

  // `trace_id`: 32 hex digits. `parent`: the flag of the parent in another process, nothing without one.
  bool Sampled(std::string_view trace_id, std::optional<bool> parent) const;

 private:
  bool parent_based_ = true;
  // Of the 2^63 values that the last 63 bits of a trace id can have, those below are sampled: the rule of
  // OpenTelemetry's own libraries, so that all parts of a trace decide alike.
  std::uint64_t below_ = std::uint64_t{1} << 63;
};

}  // namespace awf::otlp
