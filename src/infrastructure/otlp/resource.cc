#include "infrastructure/otlp/resource.h"

#include <algorithm>
#include <utility>

#include "infrastructure/otlp/key_values.h"

namespace awf::otlp {

Attributes ResourceAttributes(const TraceResource& resource, const Masker& masker) {
  Attributes attributes{{"service.name", resource.service_name}};
  if (!resource.service_version.empty()) attributes.emplace_back("service.version", resource.service_version);
  attributes.emplace_back("process.pid", resource.pid);
  if (!resource.host.empty()) attributes.emplace_back("host.name", resource.host);
  for (KeyValue& pair : ParseKeyValues(resource.attributes)) {
    const bool known =
        std::any_of(attributes.begin(), attributes.end(), [&](const auto& a) { return a.first == pair.key; });
    if (pair.key.empty() || known) continue;
    if (masker.names().Covers(pair.key)) pair.value = kMask;
    attributes.emplace_back(std::move(pair.key), std::move(pair.value));
  }
  return attributes;
}

std::expected<void, Error> CheckResourceAttributes(std::string_view attributes) {
  std::size_t number = 0;
  for (const KeyValue& pair : ParseKeyValues(attributes)) {
    ++number;
    const char* fault = !pair.complete     ? "has no '='"
                        : pair.key.empty() ? "has no key"
                        : !pair.decoded    ? "holds a '%' that begins no %XX"
                                           : nullptr;
    if (fault == nullptr) continue;
    std::string message = "OTEL_RESOURCE_ATTRIBUTES: pair ";
    message.append(std::to_string(number)).append(" ").append(fault);
    return Fail("USER.INPUT.INVALID_FORMAT", std::move(message),
                "Give key=value,key=value; write a comma in a value as %2C and a percent sign as %25.");
  }
  return {};
}

std::vector<std::string> ResourceSecrets(std::string_view attributes, const SecretNames& names) {
  std::vector<std::string> secrets;
  for (KeyValue& pair : ParseKeyValues(attributes))
    if (!pair.value.empty() && names.Covers(pair.key)) secrets.push_back(std::move(pair.value));
  return secrets;
}

}  // namespace awf::otlp
