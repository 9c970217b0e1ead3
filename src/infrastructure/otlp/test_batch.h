// For tests of transports: a batch of named spans, settings for a collector, and one way to send.
#pragma once

#include <chrono>
#include <initializer_list>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "infrastructure/otlp/span_transport.h"
#include "otlp_trace.pb.h"

namespace awf::otlp {

inline std::string BatchOf(std::initializer_list<std::string_view> names) {
  proto::ExportTraceServiceRequest request;
  auto& spans = *request.add_resource_spans()->add_scope_spans()->mutable_spans();
  for (const std::string_view name : names) spans.Add()->set_name(std::string(name));
  return request.SerializeAsString();
}

inline ExportSettings SettingsFor(Protocol protocol, const std::string& url) {
  ExportSettings settings;
  settings.protocol = protocol;
  settings.url = url;
  return settings;
}

// The transport of the settings and one batch over it.
inline SendOutcome SendOver(SpanTransport& transport, std::string_view batch = BatchOf({"a", "b"}),
                            std::chrono::milliseconds patience = std::chrono::seconds(60), std::stop_token stop = {}) {
  return transport.Send(batch, SteadyClock::now() + patience, std::move(stop));
}

}  // namespace awf::otlp
