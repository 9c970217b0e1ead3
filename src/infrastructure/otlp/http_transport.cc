#include "infrastructure/otlp/http_transport.h"

#include <optional>
#include <utility>

#include "infrastructure/otlp/export_answer.h"
#include "infrastructure/otlp/gzip.h"
#include "infrastructure/otlp/http_answer.h"

namespace awf::otlp {

SendOutcome HttpTransport::Send(std::string_view batch, Deadline deadline, std::stop_token stop) {
  http::HttpRequest request = connection_.NewRequest(deadline, std::move(stop));
  request.content_type = "application/x-protobuf";
  std::optional<std::string> compressed;
  if (connection_.gzip()) compressed = Gzip(batch);
  if (compressed) request.headers.push_back({"content-encoding", "gzip"});
  request.body = compressed ? std::move(*compressed) : std::string(batch);
  const auto response = connection_.Post(request);
  return response ? ReadHttpAnswer(*response) : OutcomeOfFailure(response.error(), Protocol::kHttpProtobuf);
}

}  // namespace awf::otlp
