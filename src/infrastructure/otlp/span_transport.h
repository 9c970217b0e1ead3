// SpanTransport: takes one encoded batch of spans to a collector. Adapters: grpc_transport.h, http_transport.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "domain/time.h"
#include "infrastructure/otlp/export_settings.h"

namespace awf::otlp {

struct SendOutcome {
  enum class Kind {
    kAccepted,   // maybe not all of it: see `rejected`
    kRetry,      // busy or broken: the same batch may be sent again
    kNobody,     // no connection; the same batch may be sent again
    kRefused,    // for good
    kCancelled,  // by the stop token
  };
  Kind kind = Kind::kAccepted;
  std::int64_t rejected = 0;  // spans that the collector says it did not take
  std::string message;        // of a failure or a partial success; masked by whoever shows it
  std::optional<std::chrono::milliseconds> retry_after;  // as the collector asks
};

// Used by one thread.
class SpanTransport {
 public:
  virtual ~SpanTransport() = default;
  // `batch` is a serialized ExportTraceServiceRequest. Returns at the deadline at the latest; a stop request ends it
  // within 100 ms. Does not throw.
  virtual SendOutcome Send(std::string_view batch, Deadline deadline, std::stop_token stop) = 0;
  // Where it sends to, for messages: without credentials.
  virtual std::string Endpoint() const = 0;
};

// That of the settings' protocol. Fails when libcurl is absent or too old (the message names the package).
std::expected<std::unique_ptr<SpanTransport>, Error> MakeTransport(const ExportSettings& settings);

}  // namespace awf::otlp
