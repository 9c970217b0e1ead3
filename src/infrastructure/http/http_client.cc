#include "infrastructure/http/http_client.h"

#include <algorithm>
#include <memory>
#include <string_view>

#include "infrastructure/http/curl_library.h"

namespace awf::http {
namespace {

using Kind = HttpFailure::Kind;

// What the callbacks of one transfer share.
struct Transfer {
  std::string body;
  std::size_t limit = 0;
  bool too_large = false;
};

std::size_t KeepBody(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::size_t bytes = size * count;
  if (bytes > transfer.limit - transfer.body.size()) {
    transfer.too_large = true;
    return 0;  // makes curl abort
  }
  transfer.body.append(data, bytes);
  return bytes;
}

struct Url {
  std::string scheme, host;
};

std::optional<Url> ParseUrl(const CurlLibrary& curl, const std::string& text) {
  const std::unique_ptr<CURLU, decltype(curl.url_cleanup)> handle(curl.url(), curl.url_cleanup);
  if (!handle || curl.url_set(handle.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) return std::nullopt;
  const auto part = [&](CURLUPart which) {
    char* value = nullptr;
    std::string copy;
    if (curl.url_get(handle.get(), which, &value, 0) == CURLUE_OK) copy = value;
    curl.free(value);
    return copy;
  };
  Url url{part(CURLUPART_SCHEME), part(CURLUPART_HOST)};
  if ((url.scheme != "http" && url.scheme != "https") || url.host.empty()) return std::nullopt;
  return url;
}

bool IsLoopback(std::string_view host) {
  return host == "localhost" || host == "[::1]" || host == "::1" || host.starts_with("127.");
}

Kind KindOf(CURLcode code) {
  switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return Kind::kBadUrl;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:  // only connecting has a timeout of curl's
      return Kind::kNoConnection;
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
      return Kind::kBroken;
    default:
      return Kind::kOther;
  }
}

// One request on its own easy and multi handle.
class Request {
 public:
  Request(const CurlLibrary& curl, const HttpLimits& limits, const HttpRequest& request)
      : curl_(curl),
        limits_(limits),
        request_(request),
        easy_(curl.easy_init(), curl.easy_cleanup),
        multi_(curl.multi_init(), curl.multi_cleanup),
        headers_(nullptr, curl.slist_free_all) {
    transfer_.limit = limits.answer;
  }

  std::expected<HttpResponse, HttpFailure> Run() {
    const std::optional<Url> url = ParseUrl(curl_, request_.url);
    if (!url) return Failure(Kind::kBadUrl, "not an http or https URL");
    host_ = url->host;
    if (!easy_ || !multi_ || !SetUp(*url)) return Failure(Kind::kOther, "libcurl refused the request");
    curl_.multi_add_handle(multi_.get(), easy_.get());
    const CURLcode code = Wait();
    curl_.multi_remove_handle(multi_.get(), easy_.get());
    if (stopped_ == Kind::kCancelled) return Failure(Kind::kCancelled, "cancelled");
    if (stopped_ == Kind::kDeadline) return Failure(Kind::kDeadline, "the time is up");
    if (stopped_ == Kind::kStalled) {
      return Failure(Kind::kStalled, "no byte for " + std::to_string(limits_.idle.count()) + " ms");
    }
    if (code != CURLE_OK) return Explain(code);
    return Answer();
  }

 private:
  template <typename Value>
  bool Set(CURLoption option, Value value) {
    return curl_.easy_setopt(easy_.get(), option, value) == CURLE_OK;
  }

  bool AddHeader(const std::string& line) {
    curl_slist* longer = curl_.slist_append(headers_.get(), line.c_str());
    if (longer == nullptr) return false;
    // Unless the list was empty it is the same one, with an element more.
    curl_slist* former = headers_.release();
    headers_.reset(former != nullptr ? former : longer);
    return true;
  }

  bool SetUp(const Url& url) {
    bool ok = AddHeader("Content-Type: application/json") && AddHeader("Accept: application/json") &&
              AddHeader("Expect:");  // no 100-continue round trip
    if (!request_.bearer_token.empty()) ok = ok && AddHeader("Authorization: Bearer " + request_.bearer_token);
    ok = ok && Set(CURLOPT_HTTPHEADER, headers_.get()) && Set(CURLOPT_URL, request_.url.c_str()) &&
         Set(CURLOPT_USERAGENT, "awf") && Set(CURLOPT_POST, 1L) &&
         Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size())) &&
         Set(CURLOPT_POSTFIELDS, request_.body.data()) && Set(CURLOPT_WRITEFUNCTION, &KeepBody) &&
         Set(CURLOPT_WRITEDATA, &transfer_) && Set(CURLOPT_ERRORBUFFER, error_text_) && Set(CURLOPT_NOSIGNAL, 1L) &&
         Set(CURLOPT_CONNECTTIMEOUT, static_cast<long>(limits_.connect.count()));
    // curl sends a given Authorization header to the first host only, unless told otherwise.
    ok = ok && Set(CURLOPT_FOLLOWLOCATION, 1L) && Set(CURLOPT_MAXREDIRS, 5L) && Set(CURLOPT_UNRESTRICTED_AUTH, 0L) &&
         Set(CURLOPT_POSTREDIR, static_cast<long>(CURL_REDIR_POST_ALL));
    // No way from https down to http, nor to another protocol. Before 7.85 the option has another name and type.
    const std::string allowed = url.scheme == "https" ? "https" : "http,https";
    if (!Set(CURLOPT_REDIR_PROTOCOLS_STR, allowed.c_str())) {
      constexpr auto kRedirProtocols = static_cast<CURLoption>(CURLOPTTYPE_LONG + 182);
      const long mask = url.scheme == "https" ? CURLPROTO_HTTPS : (CURLPROTO_HTTP | CURLPROTO_HTTPS);
      ok = ok && Set(kRedirProtocols, mask);
    }
    if (IsLoopback(url.host)) ok = ok && Set(CURLOPT_PROXY, "");
    return ok;
  }

  // Bytes that went in either direction so far.
  curl_off_t Progress() {
    curl_off_t sent = 0;
    curl_off_t received = 0;
    long headers = 0;
    curl_.easy_getinfo(easy_.get(), CURLINFO_SIZE_UPLOAD_T, &sent);
    curl_.easy_getinfo(easy_.get(), CURLINFO_SIZE_DOWNLOAD_T, &received);
    curl_.easy_getinfo(easy_.get(), CURLINFO_HEADER_SIZE, &headers);
    return sent + received + headers;
  }

  // Drives the transfer to its end, or until stopped_ is set.
  CURLcode Wait() {
    const std::stop_callback wake(request_.cancelled, [this] { curl_.multi_wakeup(multi_.get()); });
    curl_off_t progress = 0;
    Deadline idle_until = SteadyClock::now() + limits_.idle;
    for (;;) {
      if (request_.cancelled.stop_requested()) {
        stopped_ = Kind::kCancelled;
      } else if (Passed(request_.deadline)) {
        stopped_ = Kind::kDeadline;
      } else if (Passed(idle_until)) {
        stopped_ = Kind::kStalled;
      }
      if (stopped_) return CURLE_OK;
      int running = 0;
      if (curl_.multi_perform(multi_.get(), &running) != CURLM_OK) return CURLE_FAILED_INIT;
      int left = 0;
      while (CURLMsg* message = curl_.multi_info_read(multi_.get(), &left)) {
        if (message->msg == CURLMSG_DONE) return message->data.result;
      }
      if (const curl_off_t now = Progress(); now != progress) {
        progress = now;
        idle_until = SteadyClock::now() + limits_.idle;
      }
      constexpr int kLongestPoll = 1000;
      const int wait = std::min(RemainingMs(Earlier(request_.deadline, idle_until)), kLongestPoll);
      if (curl_.multi_poll(multi_.get(), nullptr, 0, wait, nullptr) != CURLM_OK) return CURLE_FAILED_INIT;
    }
  }

  HttpResponse Answer() {
    HttpResponse response;
    curl_.easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &response.status);
    curl_off_t retry_after = 0;
    if (curl_.easy_getinfo(easy_.get(), CURLINFO_RETRY_AFTER, &retry_after) == CURLE_OK && retry_after > 0) {
      response.retry_after = std::chrono::seconds(retry_after);
    }
    response.body = std::move(transfer_.body);
    return response;
  }

  std::unexpected<HttpFailure> Explain(CURLcode code) {
    const std::string text = error_text_[0] != '\0' ? error_text_ : curl_.easy_strerror(code);
    if (transfer_.too_large) {
      return Failure(Kind::kTooLarge, "the answer is larger than " + std::to_string(limits_.answer) + " bytes");
    }
    return Failure(KindOf(code), text);
  }

  std::unexpected<HttpFailure> Failure(Kind kind, const std::string& text) const {
    return std::unexpected(HttpFailure{kind, host_.empty() ? text : host_ + ": " + text, {}});
  }

  const CurlLibrary& curl_;
  const HttpLimits& limits_;
  const HttpRequest& request_;
  std::unique_ptr<CURL, decltype(CurlLibrary::easy_cleanup)> easy_;
  std::unique_ptr<CURLM, decltype(CurlLibrary::multi_cleanup)> multi_;
  std::unique_ptr<curl_slist, decltype(CurlLibrary::slist_free_all)> headers_;
  Transfer transfer_;
  std::optional<Kind> stopped_;
  std::string host_;
  char error_text_[CURL_ERROR_SIZE] = {};
};

}  // namespace

std::expected<HttpResponse, HttpFailure> HttpClient::Post(const HttpRequest& request) const {
  const auto curl = CurlLibrary::Get();
  if (!curl) return std::unexpected(HttpFailure{Kind::kNoLibrary, curl.error().message, curl.error().hint});
  return Request(**curl, limits_, request).Run();
}

}  // namespace awf::http
