#include "infrastructure/otlp/span_transport.h"

#include <utility>

#include "infrastructure/otlp/grpc_transport.h"
#include "infrastructure/otlp/http_transport.h"

namespace awf::otlp {

std::expected<std::unique_ptr<SpanTransport>, Error> MakeTransport(const ExportSettings& settings) {
  const bool grpc = settings.protocol == Protocol::kGrpc;
  if (auto library = http::CheckLibrary(grpc ? http::HttpVersion::kHttp2 : http::HttpVersion::kHttp1); !library) {
    return std::unexpected(std::move(library.error()));
  }
  if (grpc) return std::make_unique<GrpcTransport>(settings);
  return std::make_unique<HttpTransport>(settings);
}

}  // namespace awf::otlp
