// GrpcTransport: OTLP over gRPC: HTTP/2, also without TLS, and one message in a frame.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "infrastructure/otlp/export_connection.h"
#include "infrastructure/otlp/span_transport.h"

namespace awf::otlp {

class GrpcTransport final : public SpanTransport {
 public:
  explicit GrpcTransport(const ExportSettings& settings) : connection_(settings) {}

  SendOutcome Send(std::string_view batch, Deadline deadline, std::stop_token stop) override;
  std::string Endpoint() const override { return connection_.endpoint(); }

 private:
  ExportConnection connection_;
};

}  // namespace awf::otlp
