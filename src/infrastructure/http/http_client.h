// HttpClient: a request and its answer, over libcurl (curl_library.h); HttpConnection: POST over a connection that
// stays open between requests.
//
// A client holds limits only, so it is thread-safe and costs nothing; each of its requests has a connection of its own.
// A connection belongs to one thread at a time. TLS is verified. Cancelling (stop token) or a passed deadline ends a
// request within 100 ms: curl's multi interface is polled and woken. Where redirects are followed it is with the same
// method, and the bearer token goes to the first host only. The proxy of the environment is used, but never for
// loopback addresses.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.h"
#include "domain/time.h"

namespace awf::http {

struct HttpHeader {
  std::string name, value;
  friend bool operator==(const HttpHeader&, const HttpHeader&) = default;
};

enum class HttpVersion {
  kHttp1,
  // Also over plain http (prior knowledge). Only for protocols that need it: HTTP/2 of libcurl 7.88 has faults (a
  // second request over a plain connection fails, answers stood still with small buffers).
  kHttp2,
};

struct HttpRequest {
  std::string url;           // http:// or https://
  std::string bearer_token;  // Authorization header; empty: none
  std::string body;
  Deadline deadline;
  std::stop_token cancelled;

  std::string content_type = "application/json";  // empty: no such header
  std::string accept = "application/json";        // empty: no such header
  // Beside those. A name that is no token, or a value with a control character, is refused. They go along where a
  // redirect is followed, to another host too.
  std::vector<HttpHeader> headers{};
  HttpVersion version = HttpVersion::kHttp1;
  bool follow_redirects = true;                    // false: a redirect is an answer like another
  std::string ca_file{};                           // PEM, instead of the system's authorities; empty: those
  std::string client_certificate{}, client_key{};  // PEM files; empty: none
  // Gets the body of an answer of status 2xx in pieces, on the calling thread, as they come; the answer's own body
  // stays empty. Pieces count against the limit of the answer. False ends the request (kCancelled). May be empty.
  std::function<bool(std::string_view)> on_data{};
  // Asked on the calling thread at least every 500 ms; true ends the request (kCancelled). May be empty.
  std::function<bool()> enough{};
};

// A server that wants more is understood as wanting this.
inline constexpr std::chrono::seconds kMostRetryAfter{365 * 24 * 3600};

struct HttpResponse {
  long status = 0;
  std::string body;
  bool cut = false;                                 // there was more of it
  std::optional<std::chrono::seconds> retry_after;  // of the header, which may be seconds or a date; at most a year
  std::vector<HttpHeader> headers{};                // of the last answer, names in lower case
  std::vector<HttpHeader> trailers{};               // names in lower case
};

struct HttpFailure {
  enum class Kind {
    kNoLibrary,  // libcurl is absent or lacks HTTP/2; message and hint name the package
    kBadUrl,
    kBadHeader,     // nothing was sent
    kNoConnection,  // name not found, refused, connect timeout
    kBroken,        // reset, or an answer that was cut
    kStalled,       // no byte for too long
    kTooLarge,
    kCancelled,  // also by on_data or enough
    kDeadline,
    kOther,  // TLS among them
  };
  Kind kind = Kind::kOther;
  std::string message;  // names the host, never headers or body
  std::string hint;     // may be empty
};

struct HttpLimits {
  std::chrono::seconds connect{10};
  std::chrono::milliseconds idle{600'000};     // without a byte in either direction
  std::size_t answer = std::size_t{64} << 20;  // bytes of the body; headers and trailers have a limit of their own
  // Above it the body is cut and the transfer ended, in place of a failure. Not for requests with on_data.
  bool cut_answer = false;
};

// An error of code SYSTEM.IO.READ_FAILED that names the package, when requests of that version cannot be made.
std::expected<void, Error> CheckLibrary(HttpVersion version);

struct CurlHandles;

class HttpClient {
 public:
  explicit HttpClient(HttpLimits limits = {}) : limits_(limits) {}
  // Any status is an answer, not a failure.
  std::expected<HttpResponse, HttpFailure> Post(const HttpRequest& request) const { return Send("POST", request); }
  // `method` is GET, HEAD, POST, PUT, PATCH or DELETE. With HEAD the body of the request is not sent.
  std::expected<HttpResponse, HttpFailure> Send(const std::string& method, const HttpRequest& request) const;

 private:
  HttpLimits limits_;
};

// The first request opens the connection; a request to another host opens another. What fails closes it, and the next
// request opens it anew. With libcurl 7.88 every request over HTTP/2 without TLS opens one (curl_library.h).
class HttpConnection {
 public:
  explicit HttpConnection(HttpLimits limits = {});
  HttpConnection(HttpConnection&&) noexcept;
  HttpConnection& operator=(HttpConnection&&) noexcept;
  ~HttpConnection();

  std::expected<HttpResponse, HttpFailure> Post(const HttpRequest& request);

 private:
  HttpLimits limits_;
  std::unique_ptr<CurlHandles> handles_;  // of the first request on
};

}  // namespace awf::http
