// ExportSettings: where spans are exported to and how, worked out from flags, environment and configuration. Pure.
//
// Honoured variables of the environment are those of the OpenTelemetry specification for OTLP exporters:
// OTEL_EXPORTER_OTLP_{ENDPOINT,HEADERS,TIMEOUT,CERTIFICATE,CLIENT_CERTIFICATE,CLIENT_KEY,COMPRESSION,PROTOCOL,INSECURE}
// and their _TRACES_ forms, which win; OTEL_BSP_*; OTEL_TRACES_SAMPLER(_ARG) in sampler.h.
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
  std::size_t batch = 512;   // spans in a request at most
  std::size_t queue = 2048;  // spans that wait at most; more are dropped and counted
  std::chrono::milliseconds delay{1000};
};

struct ExportSettings {
  Protocol protocol = Protocol::kGrpc;
  std::string url;  // complete: of gRPC with the path of the method
  std::vector<http::HttpHeader> headers;
  std::chrono::milliseconds timeout{10'000};  // of one request
  bool gzip = false;
  std::string ca_file, client_certificate, client_key;  // PEM files; may be empty
  BatchLimits batch;
};

using GetVariable = std::function<std::optional<std::string>(const std::string&)>;  // empty values count as unset

// `exporter` is otlp, otlp-http, HOST:PORT or a URL. USER.INPUT.INVALID_FORMAT names the flag (`origin`) or the
// variable that cannot be understood.
std::expected<ExportSettings, Error> ResolveExport(const std::string& exporter, const std::string& origin,
                                                   const GetVariable& get);

}  // namespace awf::otlp
