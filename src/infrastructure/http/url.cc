#include "infrastructure/http/url.h"

#include <memory>

#include "infrastructure/http/curl_library.h"

namespace awf::http {

std::optional<Url> ParseUrl(const CurlLibrary& curl, const std::string& text, const std::string& base) {
  if (text.find('\0') != std::string::npos) return std::nullopt;  // libcurl would read the part before it
  const std::unique_ptr<CURLU, decltype(curl.url_cleanup)> handle(curl.url(), curl.url_cleanup);
  if (!handle) return std::nullopt;
  if (!base.empty() && curl.url_set(handle.get(), CURLUPART_URL, base.c_str(), 0) != CURLUE_OK) return std::nullopt;
  const unsigned encode = base.empty() ? 0U : static_cast<unsigned>(CURLU_URLENCODE);
  if (curl.url_set(handle.get(), CURLUPART_URL, text.c_str(), encode) != CURLUE_OK) return std::nullopt;
  const auto part = [&](CURLUPart which, unsigned flags = 0) {
    char* value = nullptr;
    std::string copy;
    if (curl.url_get(handle.get(), which, &value, flags) == CURLUE_OK) copy = value;
    curl.free(value);
    return copy;
  };
  Url url{part(CURLUPART_URL), part(CURLUPART_SCHEME), part(CURLUPART_HOST), part(CURLUPART_PORT, CURLU_DEFAULT_PORT),
          !part(CURLUPART_USER).empty() || !part(CURLUPART_PASSWORD).empty()};
  if ((url.scheme != "http" && url.scheme != "https") || url.host.empty()) return std::nullopt;
  return url;
}

std::expected<Url, HttpFailure> ReadUrl(const std::string& text, const std::string& base) {
  const auto curl = CurlLibrary::Get();
  if (!curl) {
    return std::unexpected(HttpFailure{HttpFailure::Kind::kNoLibrary, curl.error().message, curl.error().hint});
  }
  if (auto url = ParseUrl(**curl, text, base)) return std::move(*url);
  return std::unexpected(HttpFailure{HttpFailure::Kind::kBadUrl, "not an http or https URL", {}});
}

bool IsLoopback(std::string_view host) {
  if (host == "localhost" || host == "[::1]" || host == "::1") return true;
  return host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace awf::http
