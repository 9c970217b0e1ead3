#include "infrastructure/http/http_client.h"

#include "infrastructure/http/curl_library.h"
#include "infrastructure/http/http_transfer.h"

namespace awf::http {
namespace {

HttpFailure WithoutLibrary(const Error& why) { return {HttpFailure::Kind::kNoLibrary, why.message, why.hint}; }

}  // namespace

std::expected<void, Error> CheckLibrary(HttpVersion version) {
  constexpr const char* kCode = "SYSTEM.IO.READ_FAILED";
  const auto curl = CurlLibrary::Get();
  if (!curl) return Fail(kCode, curl.error().message, curl.error().hint);
  if (const auto possible = CheckVersion(**curl, version); !possible) {
    return Fail(kCode, possible.error().message, possible.error().hint);
  }
  return {};
}

std::expected<HttpResponse, HttpFailure> HttpClient::Send(const std::string& method, const HttpRequest& request) const {
  const auto curl = CurlLibrary::Get();
  if (!curl) return std::unexpected(WithoutLibrary(curl.error()));
  CurlHandles handles(**curl);
  return Transfer(handles, limits_, request, method);
}

HttpConnection::HttpConnection(HttpLimits limits) : limits_(limits) {}
HttpConnection::HttpConnection(HttpConnection&&) noexcept = default;
HttpConnection& HttpConnection::operator=(HttpConnection&&) noexcept = default;
HttpConnection::~HttpConnection() = default;

std::expected<HttpResponse, HttpFailure> HttpConnection::Post(const HttpRequest& request) {
  if (!handles_) {
    const auto curl = CurlLibrary::Get();
    if (!curl) return std::unexpected(WithoutLibrary(curl.error()));
    handles_ = std::make_unique<CurlHandles>(**curl);
  }
  return Transfer(*handles_, limits_, request);
}

}  // namespace awf::http
