// One request, from its URL to the answer, on libcurl handles that may have served others before.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "infrastructure/http/curl_library.h"
#include "infrastructure/http/http_client.h"

namespace awf::http {

// A pair of handles keeps its connections open between requests. Used by one thread at a time; `curl` outlives it.
struct CurlHandles {
  explicit CurlHandles(const CurlLibrary& library)
      : curl(library),
        multi(library.multi_init(), library.multi_cleanup),
        easy(library.easy_init(), library.easy_cleanup) {}

  const CurlLibrary& curl;
  std::unique_ptr<CURLM, decltype(CurlLibrary::multi_cleanup)> multi;
  std::unique_ptr<CURL, decltype(CurlLibrary::easy_cleanup)> easy;
};

std::expected<HttpResponse, HttpFailure> Transfer(CurlHandles& handles, const HttpLimits& limits,
                                                  const HttpRequest& request, const std::string& method = "POST");

// The failure of a request that needs HTTP/2 when the library has none.
std::expected<void, HttpFailure> CheckVersion(const CurlLibrary& curl, HttpVersion version);

}  // namespace awf::http
