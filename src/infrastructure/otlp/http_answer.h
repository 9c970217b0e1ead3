// What a collector answered to an export over HTTP. All of it comes from outside. Pure, thread-safe.
#pragma once

#include "infrastructure/http/http_client.h"
#include "infrastructure/otlp/span_transport.h"

namespace awf::otlp {

// A status 2xx is a success; its message is read when it is protobuf. A web page in its place is refused: it comes
// from a server that is no collector. Of other statuses the text of the body is told.
SendOutcome ReadHttpAnswer(const http::HttpResponse& response);

}  // namespace awf::otlp
