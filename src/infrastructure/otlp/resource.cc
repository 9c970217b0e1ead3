#include "infrastructure/otlp/resource.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "domain/trimmed.h"

namespace awf::otlp {
namespace {

std::string PercentDecoded(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : std::tolower(static_cast<unsigned char>(c)) - 'a' + 10; };
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool encoded = text[i] == '%' && i + 2 < text.size() &&
                         std::isxdigit(static_cast<unsigned char>(text[i + 1])) != 0 &&
                         std::isxdigit(static_cast<unsigned char>(text[i + 2])) != 0;
    decoded.push_back(encoded ? static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])) : text[i]);
    if (encoded) i += 2;
  }
  return decoded;
}

}  // namespace

Attributes ResourceAttributes(const TraceResource& resource) {
  Attributes attributes{{"service.name", resource.service_name}};
  if (!resource.service_version.empty()) attributes.emplace_back("service.version", resource.service_version);
  attributes.emplace_back("process.pid", resource.pid);
  if (!resource.host.empty()) attributes.emplace_back("host.name", resource.host);
  std::string_view rest = resource.attributes;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string key(Trimmed(pair.substr(0, equals), " "));
    const bool known = std::any_of(attributes.begin(), attributes.end(), [&](const auto& a) { return a.first == key; });
    if (!key.empty() && !known) attributes.emplace_back(key, PercentDecoded(Trimmed(pair.substr(equals + 1), " ")));
  }
  return attributes;
}

}  // namespace awf::otlp
