// HttpClient: POST of a JSON text, and the whole answer, over libcurl (curl_library.h).
//
// Every request has a connection of its own; a client holds limits only, so it is thread-safe and costs nothing. TLS is
// verified. Cancelling (stop token) or a passed deadline ends a request within 100 ms: curl's multi interface is polled
// and woken. Redirects are followed with the same method; the bearer token goes to the first host only. The proxy of
// the environment is used, but never for loopback addresses.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <optional>
#include <stop_token>
#include <string>

#include "domain/error.h"
#include "domain/time.h"

namespace awf::http {

struct HttpRequest {
  std::string url;           // http:// or https://
  std::string bearer_token;  // Authorization header; empty: none
  std::string body;          // JSON
  Deadline deadline;
  std::stop_token cancelled;
};

struct HttpResponse {
  long status = 0;
  std::string body;
  std::optional<std::chrono::seconds> retry_after;  // of the header, which may be seconds or a date
};

struct HttpFailure {
  enum class Kind {
    kNoLibrary,  // libcurl is absent; message and hint name the package
    kBadUrl,
    kNoConnection,  // name not found, refused, connect timeout
    kBroken,        // reset, or an answer that was cut
    kStalled,       // no byte for too long
    kTooLarge,
    kCancelled,
    kDeadline,
    kOther,  // TLS among them
  };
  Kind kind = Kind::kOther;
  std::string message;  // names the host, never headers or body
  std::string hint;     // may be empty
};

struct HttpLimits {
  std::chrono::seconds connect{10};
  std::chrono::milliseconds idle{600'000};  // without a byte in either direction
  std::size_t answer = std::size_t{64} << 20;
};

class HttpClient {
 public:
  explicit HttpClient(HttpLimits limits = {}) : limits_(limits) {}
  // Any status is an answer, not a failure.
  std::expected<HttpResponse, HttpFailure> PostJson(const HttpRequest& request) const;

 private:
  HttpLimits limits_;
};

}  // namespace awf::http
