// Url: the parts of an http or https URL, read by libcurl's own parser, so that what is checked here is what is asked.
// Pure but for loading the library; thread-safe.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "infrastructure/http/http_client.h"

namespace awf::http {

struct CurlLibrary;

struct Url {
  std::string text;  // absolute; a name and a password are still in it
  std::string scheme, host, port;
  bool has_credentials = false;

  bool SameOrigin(const Url& other) const { return scheme == other.scheme && host == other.host && port == other.port; }
};

// With a base, `text` may be relative to it, and what has no place in a URL is encoded, as in a redirect. Nothing for
// other schemes and for texts that are no URL.
std::optional<Url> ParseUrl(const CurlLibrary& curl, const std::string& text, const std::string& base = {});
// The same. Failures: kNoLibrary, kBadUrl.
std::expected<Url, HttpFailure> ReadUrl(const std::string& text, const std::string& base = {});

bool IsLoopback(std::string_view host);

}  // namespace awf::http
