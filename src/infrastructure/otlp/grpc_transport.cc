#include "infrastructure/otlp/grpc_transport.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "infrastructure/otlp/export_answer.h"
#include "infrastructure/otlp/grpc_answer.h"
#include "infrastructure/otlp/grpc_frame.h"
#include "infrastructure/otlp/gzip.h"

namespace awf::otlp {

SendOutcome GrpcTransport::Send(std::string_view batch, Deadline deadline, std::stop_token stop) {
  http::HttpRequest request = connection_.NewRequest(deadline, std::move(stop));
  request.version = http::HttpVersion::kHttp2;
  request.content_type = "application/grpc";
  constexpr int kLongestTimeout = 99'999'999;  // gRPC allows eight digits
  request.headers.push_back({"te", "trailers"});
  if (deadline) {
    const int left = std::min(RemainingMs(deadline), kLongestTimeout);
    request.headers.push_back({"grpc-timeout", std::to_string(left) + "m"});
  }
  request.headers.push_back({"grpc-accept-encoding", "identity,gzip"});
  std::optional<std::string> compressed;
  if (connection_.gzip()) compressed = Gzip(batch);
  if (compressed) request.headers.push_back({"grpc-encoding", "gzip"});
  request.body = WriteGrpcFrame({compressed.has_value(), compressed ? std::string_view(*compressed) : batch});
  const auto response = connection_.Post(request);
  return response ? ReadGrpcAnswer(*response) : OutcomeOfFailure(response.error(), Protocol::kGrpc);
}

}  // namespace awf::otlp
