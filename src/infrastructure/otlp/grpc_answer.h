// What a collector answered to a gRPC export. All of it comes from outside. Pure, thread-safe.
#pragma once

#include "infrastructure/http/http_client.h"
#include "infrastructure/otlp/span_transport.h"

namespace awf::otlp {

// The result is grpc-status: of the trailers, or of the headers when the answer has nothing else. An answer without it
// is a failure by its HTTP status. One that reports success and cannot be read is refused, as gRPC libraries do; an
// absent message counts as an empty one.
SendOutcome ReadGrpcAnswer(const http::HttpResponse& response);

}  // namespace awf::otlp
