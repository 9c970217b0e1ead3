#include "infrastructure/otlp/endpoint.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "application/language/characters.h"

namespace awf::otlp {
namespace {

bool IsHost(std::string_view host) {
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  return !host.empty() && std::all_of(host.begin(), host.end(), [&](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || (bracketed ? c == ':' || c == '%' : c == '-' || c == '_');
  });
}

// Host and port of what stands between the scheme and the path.
bool TakeAuthority(std::string_view text, Endpoint& endpoint) {
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    endpoint.user_info = text.substr(0, at);
    text.remove_prefix(at + 1);
  }
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.rfind(':');
  const bool port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  endpoint.host = text.substr(0, port ? colon : text.size());
  if (!IsHost(endpoint.host)) return false;
  if (!port) return true;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + colon + 1, end, endpoint.port);
  return parsed.ec == std::errc() && parsed.ptr == end && endpoint.port >= 1 && endpoint.port <= 65'535;
}

}  // namespace

std::string Endpoint::Url(std::string_view default_scheme, std::string_view target) const {
  std::string url = scheme.empty() ? std::string(default_scheme) : scheme;
  url += "://";
  if (!user_info.empty()) url += user_info + "@";
  url += host;
  if (port != 0) url += ":" + std::to_string(port);
  return url.append(target);
}

std::optional<Endpoint> ParseEndpoint(std::string_view text) {
  const auto ordinary = [](unsigned char c) { return c > ' ' && c < 0x7F; };
  if (!std::all_of(text.begin(), text.end(), ordinary)) return std::nullopt;
  Endpoint endpoint;
  const std::size_t mark = text.find("://");
  if (mark == std::string_view::npos) {
    const bool valid = TakeAuthority(text, endpoint) && endpoint.port != 0 && endpoint.user_info.empty();
    return valid ? std::optional(endpoint) : std::nullopt;
  }
  for (const char c : text.substr(0, mark)) endpoint.scheme.push_back(ToLower(c));
  if (endpoint.scheme != "http" && endpoint.scheme != "https") return std::nullopt;
  text.remove_prefix(mark + 3);
  text = text.substr(0, text.find('#'));
  const std::size_t end = std::min(text.find_first_of("/?"), text.size());
  if (!TakeAuthority(text.substr(0, end), endpoint)) return std::nullopt;
  text.remove_prefix(end);
  const std::size_t question = std::min(text.find('?'), text.size());
  endpoint.path = text.substr(0, question);
  endpoint.query = text.substr(question);
  return endpoint;
}

}  // namespace awf::otlp
