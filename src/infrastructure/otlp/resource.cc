#include "infrastructure/otlp/resource.h"

#include <algorithm>
#include <utility>

#include "infrastructure/otlp/key_values.h"

namespace awf::otlp {

Attributes ResourceAttributes(const TraceResource& resource) {
  Attributes attributes{{"service.name", resource.service_name}};
  if (!resource.service_version.empty()) attributes.emplace_back("service.version", resource.service_version);
  attributes.emplace_back("process.pid", resource.pid);
  if (!resource.host.empty()) attributes.emplace_back("host.name", resource.host);
  for (KeyValue& pair : ParseKeyValues(resource.attributes)) {
    const bool known =
        std::any_of(attributes.begin(), attributes.end(), [&](const auto& a) { return a.first == pair.key; });
    if (!pair.key.empty() && !known) attributes.emplace_back(std::move(pair.key), std::move(pair.value));
  }
  return attributes;
}

}  // namespace awf::otlp
