// Endpoint: an address of a collector as users write it, taken apart. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace awf::otlp {

struct Endpoint {
  std::string scheme;     // http, https; empty: only HOST:PORT was given
  std::string user_info;  // user:password as written; mostly empty
  std::string host;       // an IPv6 address with its brackets
  int port = 0;           // 0: that of the scheme
  std::string path;       // from its slash on; may be empty
  std::string query;      // from its question mark on; may be empty

  bool HasPath() const { return path.size() > 1 || !query.empty(); }
  // With `target` (path and query) in place of its own.
  std::string Url(std::string_view default_scheme, std::string_view target) const;
};

// HOST:PORT, or a URL of http or https. Nothing when it is neither.
std::optional<Endpoint> ParseEndpoint(std::string_view text);

}  // namespace awf::otlp
