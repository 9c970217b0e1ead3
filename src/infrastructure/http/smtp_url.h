// SmtpUrl: the parts of smtp://[user:password@]host[:port], or smtps://…, read by libcurl's own parser.
// Pure but for loading the library; thread-safe.
#pragma once

#include <expected>
#include <string>

#include "infrastructure/http/http_client.h"

namespace awf::http {

struct SmtpUrl {
  std::string server;          // scheme, host and port: no secret is in it
  std::string scheme, host;    // smtp: TLS by STARTTLS; smtps: from the first byte on
  std::string user, password;  // decoded, without control characters; both empty: no login
};

// Nothing else may be in it: no path, no query, no user without a password. Failures: kNoLibrary, kBadUrl, which never
// repeat the text.
std::expected<SmtpUrl, HttpFailure> ReadSmtpUrl(const std::string& text);

}  // namespace awf::http
