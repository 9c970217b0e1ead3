// ExportSettings: where spans are exported to and how, worked out from flags, environment and configuration.
//
// Honoured variables of the environment are those of the OpenTelemetry specification for OTLP exporters:
// OTEL_EXPORTER_OTLP_{ENDPOINT,HEADERS,TIMEOUT,CERTIFICATE,CLIENT_CERTIFICATE,CLIENT_KEY,COMPRESSION,PROTOCOL,INSECURE}
// and their _TRACES_ forms, which win; OTEL_BSP_{SCHEDULE_DELAY,MAX_QUEUE_SIZE,MAX_EXPORT_BATCH_SIZE,EXPORT_TIMEOUT};
// OTEL_TRACES_SAMPLER(_ARG) in sampler.h. Nothing else of the world is looked at than whether PEM files can be read.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "domain/error.h"
#include "infrastructure/http/http_client.h"

namespace awf::otlp {

enum class Protocol { kGrpc, kHttpProtobuf };

struct BatchLimits {
  std::size_t batch = 512;  // spans in a request at most
  // Spans of a request are so many bytes at most, but one span, whatever its size: collectors refuse more than 4 MiB
  // over gRPC by default.
  std::size_t bytes = std::size_t{2} << 20;
  std::size_t queue = 2048;                   // spans that wait at most; more are dropped and counted
  std::chrono::milliseconds delay{1000};      // a span waits at most so long for others
  std::chrono::milliseconds timeout{10'000};  // of one request
  // Between two tries: doubled from the first to the longest, less a random part of up to a half.
  std::chrono::milliseconds first_pause{1000}, longest_pause{30'000};
};

struct ExportSettings {
  Protocol protocol = Protocol::kGrpc;
  std::string url;  // complete: of gRPC with the path of the method
  std::vector<http::HttpHeader> headers;
  bool gzip = false;
  std::string ca_file, client_certificate, client_key;  // PEM files; may be empty
  BatchLimits batch;
};

using GetVariable = std::function<std::optional<std::string>(const std::string&)>;  // empty values count as unset

// `exporter` is otlp, otlp-http, HOST:PORT or a URL. USER.INPUT.INVALID_FORMAT names the flag (`origin`) or the
// variable that cannot be understood; it never shows the value of a header.
//
// The protocol is that of otlp-http; of a URL with a path or port 4318, HTTP; else what OTEL_EXPORTER_OTLP_PROTOCOL
// says, else gRPC. An address without http:// or https:// is spoken to in the clear, unless
// OTEL_EXPORTER_OTLP_INSECURE=false or a CA certificate is given.
std::expected<ExportSettings, Error> ResolveExport(const std::string& exporter, const std::string& origin,
                                                   const GetVariable& get);

// What must not be shown, whether it is used or not: values of headers in the environment, and the token behind a
// scheme as Bearer; passwords in the endpoints there and in the address that `exporter` may be.
std::vector<std::string> ExportSecrets(const std::string& exporter, const GetVariable& get);

}  // namespace awf::otlp
