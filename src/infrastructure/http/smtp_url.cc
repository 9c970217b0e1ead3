#include "infrastructure/http/smtp_url.h"

#include <memory>
#include <optional>

#include "infrastructure/http/curl_library.h"

namespace awf::http {
namespace {

class SmtpUrlParser {
 public:
  explicit SmtpUrlParser(const CurlLibrary& curl) : curl_(curl), handle_(curl.url(), curl.url_cleanup) {}

  std::optional<SmtpUrl> Read(const std::string& text) {
    // libcurl would read the part before a NUL.
    if (!handle_ || text.find('\0') != std::string::npos) return std::nullopt;
    if (curl_.url_set(handle_.get(), CURLUPART_URL, text.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
      return std::nullopt;
    SmtpUrl url;
    url.scheme = Part(CURLUPART_SCHEME).value_or("");
    url.host = Part(CURLUPART_HOST).value_or("");
    if ((url.scheme != "smtp" && url.scheme != "smtps") || url.host.empty() || HasMore()) return std::nullopt;
    url.user = Part(CURLUPART_USER, CURLU_URLDECODE).value_or("");
    url.password = Part(CURLUPART_PASSWORD, CURLU_URLDECODE).value_or("");
    // One that is there, and empty or not to be decoded, is no user or password either.
    const bool login = Part(CURLUPART_USER) || Part(CURLUPART_PASSWORD);
    if (login && (url.user.empty() || url.password.empty())) return std::nullopt;
    for (const CURLUPart secret : {CURLUPART_USER, CURLUPART_PASSWORD})
      curl_.url_set(handle_.get(), secret, nullptr, 0);
    url.server = Part(CURLUPART_URL).value_or("");
    return url;
  }

 private:
  // A path would be the name that we greet with, and options the way to log in.
  bool HasMore() {
    return Part(CURLUPART_PATH).value_or("/") != "/" || Part(CURLUPART_QUERY) || Part(CURLUPART_FRAGMENT) ||
           Part(CURLUPART_OPTIONS);
  }

  // Nothing: it is not there, or has no decoded form.
  std::optional<std::string> Part(CURLUPart which, unsigned flags = 0) {
    char* value = nullptr;
    if (curl_.url_get(handle_.get(), which, &value, flags) != CURLUE_OK) return std::nullopt;
    std::string copy(value);
    curl_.free(value);
    return copy;
  }

  const CurlLibrary& curl_;
  const std::unique_ptr<CURLU, decltype(CurlLibrary::url_cleanup)> handle_;
};

}  // namespace

std::expected<SmtpUrl, HttpFailure> ReadSmtpUrl(const std::string& text) {
  const auto curl = CurlLibrary::Get();
  if (!curl) {
    return std::unexpected(HttpFailure{HttpFailure::Kind::kNoLibrary, curl.error().message, curl.error().hint});
  }
  if (auto url = SmtpUrlParser(**curl).Read(text)) return std::move(*url);
  return std::unexpected(HttpFailure{HttpFailure::Kind::kBadUrl, "not an smtp or smtps URL", {}});
}

}  // namespace awf::http
