// RetryInfo: when the collector wants a batch again, as gRPC says it in grpc-status-details-bin. Pure, thread-safe.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace awf::otlp {

// `details` is the header: base64 of a google.rpc.Status, padded or not. Nothing when it cannot be read or holds no
// RetryInfo. Between 0 and 24 hours.
std::optional<std::chrono::milliseconds> RetryDelay(std::string_view details);

}  // namespace awf::otlp
