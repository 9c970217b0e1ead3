// ExportConnection: what both protocols need of HTTP: one open connection, the settings' headers and TLS files, and a
// request that never follows a redirect. Used by one thread.
#pragma once

#include <expected>
#include <stop_token>
#include <string>
#include <string_view>

#include "domain/time.h"
#include "infrastructure/http/http_client.h"
#include "infrastructure/otlp/export_settings.h"
#include "infrastructure/otlp/span_transport.h"

namespace awf::otlp {

class ExportConnection {
 public:
  explicit ExportConnection(const ExportSettings& settings);

  // A request to the settings' URL, without content type and body. Headers of the settings that belong to the protocol
  // (content-type, te, grpc-* and the like) are left out.
  http::HttpRequest NewRequest(const Deadline& deadline, std::stop_token stop) const;
  std::expected<http::HttpResponse, http::HttpFailure> Post(const http::HttpRequest& request) {
    return connection_.Post(request);
  }

  // The URL without user, password and query.
  const std::string& endpoint() const { return endpoint_; }
  bool gzip() const { return settings_.gzip; }

 private:
  const ExportSettings settings_;
  const std::string endpoint_;
  http::HttpConnection connection_;
};

}  // namespace awf::otlp
