#include "infrastructure/http/smtp_client.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "domain/trimmed.h"
#include "infrastructure/http/curl_library.h"
#include "infrastructure/http/http_transfer.h"
#include "infrastructure/http/url.h"

namespace awf::http {
namespace {

using Slist = std::unique_ptr<curl_slist, decltype(CurlLibrary::slist_free_all)>;

// What goes to the server and what comes back, as libcurl asks for it and hands it over.
class SmtpDialogue {
 public:
  explicit SmtpDialogue(const SmtpRequest& request) : request_(request), left_(request.message) {}

  // The server took the mail: from here on nothing can take that back.
  bool accepted() const { return accepted_; }
  const std::string& reply() const { return reply_; }
  bool refused() const { return complete_ && (reply_.front() == '4' || reply_.front() == '5'); }
  bool given_up() const { return request_.cancelled.stop_requested() || Passed(request_.deadline); }

  static std::size_t Give(char* buffer, std::size_t size, std::size_t count, void* dialogue) {
    std::string_view& left = static_cast<SmtpDialogue*>(dialogue)->left_;
    const std::size_t bytes = left.copy(buffer, size * count);
    left.remove_prefix(bytes);
    return bytes;
  }

  static std::size_t TakeReply(char* data, std::size_t size, std::size_t count, void* dialogue) {
    static_cast<SmtpDialogue*>(dialogue)->Line({data, size * count});
    return size * count;
  }

  // Without this libcurl would print it.
  static std::size_t Discard(char*, std::size_t size, std::size_t count, void*) { return size * count; }

  // Not 0 ends the transfer, also where libcurl waits for an answer by itself, and after an accepted mail the wait for
  // the answer to QUIT.
  static int MayStop(void* dialogue, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    const auto* self = static_cast<SmtpDialogue*>(dialogue);
    return self->accepted() || self->given_up() ? 1 : 0;
  }

 private:
  // "250-first", "250 last"
  void Line(std::string_view line) {
    constexpr std::size_t kCode = 3, kMost = std::size_t{64} << 10;
    line = Trimmed(line, "\r\n");
    if (line.size() < kCode || line.starts_with("221")) return;  // 221 is the answer to our goodbye
    if (complete_) reply_.clear();
    reply_.append(reply_.empty() ? "" : "\n").append(line);
    if (reply_.size() > kMost) reply_.resize(kMost);
    complete_ = line.size() == kCode || line[kCode] != '-';
    if (complete_ && left_.empty() && line.starts_with("250")) accepted_ = true;
  }

  const SmtpRequest& request_;
  std::string_view left_;  // of the message
  std::string reply_;      // the last one
  bool complete_ = false;
  bool accepted_ = false;
};

class SmtpTransfer {
 public:
  SmtpTransfer(const CurlLibrary& curl, const SmtpRequest& request)
      : curl_(curl), request_(request), dialogue_(request), recipients_(nullptr, curl.slist_free_all), handles_(curl) {}

  std::expected<std::string, SmtpFailure> Perform() {
    if (!handles_.easy || !handles_.multi) return Failure(HttpFailure::Kind::kOther, "libcurl is out of memory");
    const bool ready = SetServer() && SetMail() && SetCallbacks() && SetTls() && SetLimits();
    if (!ready) return Failure(HttpFailure::Kind::kOther, "libcurl refused the mail");
    curl_.multi_add_handle(handles_.multi.get(), handles_.easy.get());
    const CURLcode code = Wait();
    curl_.multi_remove_handle(handles_.multi.get(), handles_.easy.get());
    return Result(code);
  }

 private:
  template <typename Value>
  bool Set(CURLoption option, Value value) {
    return curl_.easy_setopt(handles_.easy.get(), option, value) == CURLE_OK;
  }

  bool HasLogin() const { return !request_.server.user.empty(); }

  bool SetServer() {
    // Libraries before 7.87 don't know it: with them cancelling may wait for a slow name server.
    Set(CURLOPT_QUICK_EXIT, 1L);
    bool ok = Set(CURLOPT_URL, request_.server.server.c_str()) && Set(CURLOPT_NOSIGNAL, 1L) &&
              Set(CURLOPT_ERRORBUFFER, error_text_);
    if (HasLogin()) {
      ok = ok && Set(CURLOPT_USERNAME, request_.server.user.c_str()) &&
           Set(CURLOPT_PASSWORD, request_.server.password.c_str());
    }
    return ok && (!IsLoopback(request_.server.host) || Set(CURLOPT_PROXY, ""));
  }

  bool SetMail() {
    for (const std::string& address : request_.to) {
      curl_slist* longer = curl_.slist_append(recipients_.get(), address.c_str());
      if (longer == nullptr) return false;
      if (!recipients_) recipients_.reset(longer);  // else it is the same list, longer at its end
    }
    return Set(CURLOPT_UPLOAD, 1L) && Set(CURLOPT_MAIL_FROM, request_.from.c_str()) &&
           Set(CURLOPT_MAIL_RCPT, recipients_.get()) &&
           Set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request_.message.size()));
  }

  bool SetCallbacks() {
    return Set(CURLOPT_READFUNCTION, &SmtpDialogue::Give) && Set(CURLOPT_READDATA, &dialogue_) &&
           Set(CURLOPT_HEADERFUNCTION, &SmtpDialogue::TakeReply) && Set(CURLOPT_HEADERDATA, &dialogue_) &&
           Set(CURLOPT_WRITEFUNCTION, &SmtpDialogue::Discard) &&
           Set(CURLOPT_XFERINFOFUNCTION, &SmtpDialogue::MayStop) && Set(CURLOPT_XFERINFODATA, &dialogue_) &&
           Set(CURLOPT_NOPROGRESS, 0L);
  }

  bool SetTls() {
    const bool loopback = IsLoopback(request_.server.host);
    const bool must = HasLogin() && !loopback;
    bool ok = Set(CURLOPT_USE_SSL, static_cast<long>(must ? CURLUSESSL_ALL : CURLUSESSL_TRY));
    // The server of a machine mostly made its certificate itself. What may go to it in the clear may go so as well.
    if (loopback && request_.server.scheme == "smtp") {
      ok = ok && Set(CURLOPT_SSL_VERIFYPEER, 0L) && Set(CURLOPT_SSL_VERIFYHOST, 0L);
    }
    return ok;
  }

  bool SetLimits() {
    // QUIT goes out while our callbacks are still there to end the wait for its answer.
    if (!Set(CURLOPT_FORBID_REUSE, 1L)) return false;
    if (!request_.deadline) return true;
    constexpr long kAfter = 10;  // ms; so that ours has passed when libcurl's has
    return Set(CURLOPT_TIMEOUT_MS, RemainingMs(request_.deadline) + kAfter);
  }

  // Drives the transfer to its end. Giving up is left to MayStop: of a transfer that is removed before its end libcurl
  // sends the end of the mail, and so a mail that was cut.
  CURLcode Wait() {
    CURLM* const multi = handles_.multi.get();
    const std::stop_callback wake(request_.cancelled, [&] { curl_.multi_wakeup(multi); });
    for (;;) {
      const bool given_up = dialogue_.given_up();
      int running = 0;
      if (curl_.multi_perform(multi, &running) != CURLM_OK) return CURLE_FAILED_INIT;
      int left = 0;
      while (CURLMsg* message = curl_.multi_info_read(multi, &left)) {
        if (message->msg == CURLMSG_DONE) return message->data.result;
      }
      if (given_up) return CURLE_ABORTED_BY_CALLBACK;  // no connection yet, so MayStop was not asked
      constexpr int kLongest = 1000;
      const int wait = std::min(RemainingMs(request_.deadline, kLongest), kLongest);
      if (curl_.multi_poll(multi, nullptr, 0, wait, nullptr) != CURLM_OK) return CURLE_FAILED_INIT;
    }
  }

  std::expected<std::string, SmtpFailure> Result(CURLcode code) const {
    if (dialogue_.accepted() || code == CURLE_OK) return dialogue_.reply();
    if (code == CURLE_ABORTED_BY_CALLBACK || code == CURLE_OPERATION_TIMEDOUT) {
      if (request_.cancelled.stop_requested()) return Failure(HttpFailure::Kind::kCancelled, "cancelled");
      return Failure(HttpFailure::Kind::kDeadline, "the time is up");
    }
    if (code == CURLE_LOGIN_DENIED) return Refusal(SmtpFailure::Kind::kLogin);
    if (code == CURLE_USE_SSL_FAILED) return Refusal(SmtpFailure::Kind::kNoTls);
    const std::string text = error_text_[0] != '\0' ? error_text_ : curl_.easy_strerror(code);
    if (dialogue_.refused()) {
      // Only its text tells which command it was.
      return Refusal(text.starts_with("RCPT ") ? SmtpFailure::Kind::kRecipient : SmtpFailure::Kind::kRefused);
    }
    return Failure(KindOfCode(code), text);
  }

  static HttpFailure::Kind KindOfCode(CURLcode code) {
    switch (code) {
      case CURLE_COULDNT_RESOLVE_PROXY:
      case CURLE_COULDNT_RESOLVE_HOST:
      case CURLE_COULDNT_CONNECT:
        return HttpFailure::Kind::kNoConnection;
      case CURLE_RECV_ERROR:
      case CURLE_SEND_ERROR:
      case CURLE_WEIRD_SERVER_REPLY:
        return HttpFailure::Kind::kBroken;
      default:
        return HttpFailure::Kind::kOther;
    }
  }

  std::unexpected<SmtpFailure> Refusal(SmtpFailure::Kind kind) const {
    return std::unexpected(SmtpFailure{kind, {}, dialogue_.reply()});
  }

  std::unexpected<SmtpFailure> Failure(HttpFailure::Kind kind, const std::string& text) const {
    return std::unexpected(
        SmtpFailure{SmtpFailure::Kind::kTransport, {kind, request_.server.host + ": " + text, {}}, dialogue_.reply()});
  }

  const CurlLibrary& curl_;
  const SmtpRequest& request_;
  SmtpDialogue dialogue_;
  char error_text_[CURL_ERROR_SIZE] = {};
  Slist recipients_;
  CurlHandles handles_;  // last: it points into the others
};

}  // namespace

std::expected<std::string, SmtpFailure> SendMail(const SmtpRequest& request) {
  const auto curl = CurlLibrary::Get();
  if (!curl) {
    const Error& why = curl.error();
    return std::unexpected(
        SmtpFailure{SmtpFailure::Kind::kTransport, {HttpFailure::Kind::kNoLibrary, why.message, why.hint}, {}});
  }
  return SmtpTransfer(**curl, request).Perform();
}

}  // namespace awf::http
