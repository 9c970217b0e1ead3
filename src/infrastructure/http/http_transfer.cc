#include "infrastructure/http/http_transfer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "infrastructure/http/answer_reader.h"
#include "infrastructure/http/header_list.h"
#include "infrastructure/http/url.h"

namespace awf::http {
namespace {

using Kind = HttpFailure::Kind;

std::size_t TakeLine(char* data, std::size_t size, std::size_t count, void* reader) {
  const std::size_t bytes = size * count;
  return static_cast<AnswerReader*>(reader)->Line({data, bytes}) ? bytes : 0;  // 0 makes curl abort
}

std::size_t TakePiece(char* data, std::size_t size, std::size_t count, void* reader) {
  const std::size_t bytes = size * count;
  // Of an empty piece 0 means success.
  return bytes == 0 || static_cast<AnswerReader*>(reader)->Piece({data, bytes}) ? bytes : 0;
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

// libcurl gives no number for one that its own cannot hold.
bool HasOverlongRetryAfter(const HttpResponse& response) {
  constexpr std::size_t kDigits = 18;  // always fit
  return std::ranges::any_of(response.headers, [](const HttpHeader& header) {
    if (header.name != "retry-after" || header.value.find_first_not_of("0123456789") != std::string::npos) return false;
    const std::size_t first = header.value.find_first_not_of('0');
    return first != std::string::npos && header.value.size() - first > kDigits;
  });
}

class Run {
 public:
  Run(CurlHandles& handles, const HttpLimits& limits, const HttpRequest& request, const std::string& method)
      : curl_(handles.curl),
        limits_(limits),
        request_(request),
        method_(method),
        easy_(handles.easy.get()),
        multi_(handles.multi.get()),
        reader_(limits.answer, limits.cut_answer, request.on_data) {}

  std::expected<HttpResponse, HttpFailure> Perform() {
    const std::optional<Url> url = ParseUrl(curl_, request_.url);
    if (!url) return Failure(Kind::kBadUrl, "not an http or https URL");
    host_ = url->host;
    const auto headers = HeaderList::Of(curl_, request_);
    if (!headers) return Failure(Kind::kBadHeader, headers.error());
    if (easy_ == nullptr || multi_ == nullptr) return Failure(Kind::kOther, "libcurl is out of memory");
    curl_.easy_reset(easy_);
    const bool ready = SetRequest(headers->get()) && SetMethod() && SetRedirects(*url) && SetVersion(*url) &&
                       SetTls() && SetProxy(*url);
    if (!ready) return Failure(Kind::kOther, "libcurl refused the request");
    curl_.multi_add_handle(multi_, easy_);
    const CURLcode code = Wait();
    curl_.multi_remove_handle(multi_, easy_);
    auto result = Result(code);
    curl_.easy_reset(easy_);  // it points into this object
    return result;
  }

 private:
  template <typename Value>
  bool Set(CURLoption option, Value value) {
    return curl_.easy_setopt(easy_, option, value) == CURLE_OK;
  }

  bool SetRequest(curl_slist* headers) {
    // Libraries before 7.87 don't know it: with them cancelling may wait for a slow name server.
    Set(CURLOPT_QUICK_EXIT, 1L);
    // 7.88 reads 32 KiB at a time, and an answer over HTTP/2 may hang when they do not fit into its buffer of 16 KiB.
    constexpr long kBuffer = 64L << 10;
    return Set(CURLOPT_HTTPHEADER, headers) && Set(CURLOPT_URL, request_.url.c_str()) &&
           Set(CURLOPT_USERAGENT, "awf") && Set(CURLOPT_BUFFERSIZE, kBuffer) &&
           Set(CURLOPT_HEADERFUNCTION, &TakeLine) && Set(CURLOPT_HEADERDATA, &reader_) &&
           Set(CURLOPT_WRITEFUNCTION, &TakePiece) && Set(CURLOPT_WRITEDATA, &reader_) &&
           Set(CURLOPT_ERRORBUFFER, error_text_) && Set(CURLOPT_NOSIGNAL, 1L) &&
           Set(CURLOPT_CONNECTTIMEOUT, static_cast<long>(limits_.connect.count()));
  }

  bool SetMethod() {
    if (method_ == "HEAD") return Set(CURLOPT_NOBODY, 1L);
    // The first three always say how long their body is.
    const bool has_body = method_ == "POST" || method_ == "PUT" || method_ == "PATCH" || !request_.body.empty();
    if (has_body) {
      return Set(CURLOPT_POST, 1L) && Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size())) &&
             Set(CURLOPT_POSTFIELDS, request_.body.data()) &&
             (method_ == "POST" || Set(CURLOPT_CUSTOMREQUEST, method_.c_str()));
    }
    return Set(CURLOPT_HTTPGET, 1L) && (method_ == "GET" || Set(CURLOPT_CUSTOMREQUEST, method_.c_str()));
  }

  bool SetRedirects(const Url& url) {
    if (!request_.follow_redirects) return Set(CURLOPT_FOLLOWLOCATION, 0L);
    // curl sends a given Authorization header to the first host only, unless told otherwise.
    bool ok = Set(CURLOPT_FOLLOWLOCATION, 1L) && Set(CURLOPT_MAXREDIRS, 5L) && Set(CURLOPT_UNRESTRICTED_AUTH, 0L) &&
              Set(CURLOPT_POSTREDIR, static_cast<long>(CURL_REDIR_POST_ALL));
    // No way from https down to http, nor to another protocol. Before 7.85 the option has another name and type.
    const std::string allowed = url.scheme == "https" ? "https" : "http,https";
    if (!Set(CURLOPT_REDIR_PROTOCOLS_STR, allowed.c_str())) {
      constexpr auto kRedirProtocols = static_cast<CURLoption>(CURLOPTTYPE_LONG + 182);
      const long mask = url.scheme == "https" ? CURLPROTO_HTTPS : (CURLPROTO_HTTP | CURLPROTO_HTTPS);
      ok = ok && Set(kRedirProtocols, mask);
    }
    return ok;
  }

  bool SetVersion(const Url& url) {
    if (request_.version == HttpVersion::kHttp1)
      return Set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    if (url.scheme == "http" && !curl_.reuses_plain_http2) Set(CURLOPT_FORBID_REUSE, 1L);
    // A proxy of the environment speaks HTTP/1.1: the connection goes through it as a tunnel.
    return Set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)) &&
           Set(CURLOPT_HTTPPROXYTUNNEL, 1L);
  }

  bool SetTls() {
    bool ok = true;
    if (!request_.ca_file.empty()) {
      // Without the folder of the system's authorities, which curl would look into beside the file.
      ok = Set(CURLOPT_CAINFO, request_.ca_file.c_str()) && Set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
    }
    if (!request_.client_certificate.empty()) {
      // An empty pass phrase: OpenSSL would ask for that of a protected key on the terminal.
      ok = ok && Set(CURLOPT_SSLCERT, request_.client_certificate.c_str()) && Set(CURLOPT_KEYPASSWD, "");
      if (!request_.client_key.empty()) ok = ok && Set(CURLOPT_SSLKEY, request_.client_key.c_str());
    }
    return ok;
  }

  bool SetProxy(const Url& url) {
    // The answer of a proxy to CONNECT is not part of ours.
    return Set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) && (!IsLoopback(url.host) || Set(CURLOPT_PROXY, ""));
  }

  // Bytes that went in either direction so far.
  curl_off_t Progress() {
    curl_off_t sent = 0;
    curl_off_t received = 0;
    long headers = 0;
    curl_.easy_getinfo(easy_, CURLINFO_SIZE_UPLOAD_T, &sent);
    curl_.easy_getinfo(easy_, CURLINFO_SIZE_DOWNLOAD_T, &received);
    curl_.easy_getinfo(easy_, CURLINFO_HEADER_SIZE, &headers);
    return sent + received + headers;
  }

  // Drives the transfer to its end, or until stopped_ is set.
  CURLcode Wait() {
    const std::stop_callback wake(request_.cancelled, [this] { curl_.multi_wakeup(multi_); });
    constexpr int kPatientRounds = 3;
    curl_off_t progress = 0;
    int barren = 0;  // rounds without a byte in either direction
    Deadline idle_until = SteadyClock::now() + limits_.idle;
    for (;;) {
      if (request_.cancelled.stop_requested() || (request_.enough && request_.enough())) {
        stopped_ = Kind::kCancelled;
      } else if (Passed(request_.deadline)) {
        stopped_ = Kind::kDeadline;
      } else if (Passed(idle_until)) {
        stopped_ = Kind::kStalled;
      }
      if (stopped_) return CURLE_OK;
      int running = 0;
      if (curl_.multi_perform(multi_, &running) != CURLM_OK) return CURLE_FAILED_INIT;
      int left = 0;
      while (CURLMsg* message = curl_.multi_info_read(multi_, &left)) {
        if (message->msg == CURLMSG_DONE) return message->data.result;
      }
      if (const curl_off_t now = Progress(); now != progress) {
        progress = now;
        barren = 0;
        idle_until = SteadyClock::now() + limits_.idle;
      } else if (++barren > kPatientRounds) {
        // While HTTP/2 flow control holds an upload back, curl 7.88 polls for a writable socket, which it always is.
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      const int longest = request_.enough ? 500 : 1000;
      const int wait = std::min(RemainingMs(Earlier(request_.deadline, idle_until)), longest);
      if (curl_.multi_poll(multi_, nullptr, 0, wait, nullptr) != CURLM_OK) return CURLE_FAILED_INIT;
    }
  }

  std::expected<HttpResponse, HttpFailure> Result(CURLcode code) {
    if (stopped_ == Kind::kCancelled) return Failure(Kind::kCancelled, "cancelled");
    if (stopped_ == Kind::kDeadline) return Failure(Kind::kDeadline, "the time is up");
    if (stopped_ == Kind::kStalled) {
      return Failure(Kind::kStalled, "no byte for " + std::to_string(limits_.idle.count()) + " ms");
    }
    const bool cut = reader_.fault() == AnswerReader::Fault::kCut;
    if (code != CURLE_OK && !cut) return Explain(code);
    HttpResponse response = reader_.Take();
    response.cut = cut;
    curl_.easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &response.status);
    curl_off_t retry_after = 0;
    if (curl_.easy_getinfo(easy_, CURLINFO_RETRY_AFTER, &retry_after) == CURLE_OK && retry_after > 0) {
      response.retry_after = std::min(std::chrono::seconds(retry_after), kMostRetryAfter);
    } else if (HasOverlongRetryAfter(response)) {
      response.retry_after = kMostRetryAfter;
    }
    return response;
  }

  std::unexpected<HttpFailure> Explain(CURLcode code) {
    if (reader_.fault() == AnswerReader::Fault::kTooLarge) {
      return Failure(Kind::kTooLarge, "the answer is larger than " + std::to_string(limits_.answer) + " bytes");
    }
    if (reader_.fault() == AnswerReader::Fault::kHeadersTooLarge) {
      return Failure(Kind::kTooLarge, "the headers of the answer are larger than " +
                                          std::to_string(AnswerReader::kLongestLines) + " bytes");
    }
    if (reader_.fault() == AnswerReader::Fault::kUnwanted) return Failure(Kind::kCancelled, "cancelled");
    return Failure(KindOf(code), error_text_[0] != '\0' ? error_text_ : curl_.easy_strerror(code));
  }

  std::unexpected<HttpFailure> Failure(Kind kind, const std::string& text) const {
    return std::unexpected(HttpFailure{kind, host_.empty() ? text : host_ + ": " + text, {}});
  }

  const CurlLibrary& curl_;
  const HttpLimits& limits_;
  const HttpRequest& request_;
  const std::string& method_;
  CURL* const easy_;
  CURLM* const multi_;
  AnswerReader reader_;
  std::optional<Kind> stopped_;
  std::string host_;
  char error_text_[CURL_ERROR_SIZE] = {};
};

}  // namespace

std::expected<HttpResponse, HttpFailure> Transfer(CurlHandles& handles, const HttpLimits& limits,
                                                  const HttpRequest& request, const std::string& method) {
  if (auto possible = CheckVersion(handles.curl, request.version); !possible) {
    return std::unexpected(std::move(possible.error()));
  }
  return Run(handles, limits, request, method).Perform();
}

std::expected<void, HttpFailure> CheckVersion(const CurlLibrary& curl, HttpVersion version) {
  if (version != HttpVersion::kHttp2 || curl.http2) return {};
  return std::unexpected(HttpFailure{Kind::kNoLibrary, "the libcurl that was found is built without HTTP/2",
                                     "Install the package libcurl4 (apt-get install libcurl4)."});
}

}  // namespace awf::http
