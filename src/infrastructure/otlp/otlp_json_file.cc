#include "infrastructure/otlp/otlp_json_file.h"

#include <utility>
#include <variant>

#include "domain/utf8.h"

namespace awf::otlp {
namespace {

constexpr int kStatusError = 2;

class Renderer {
 public:
  explicit Renderer(const Masker& masker) : masker_(masker) {}

  json::object Span(const SpanRecord& span) const {
    json::object out;
    out["traceId"] = span.trace_id;
    out["spanId"] = span.span_id;
    if (!span.trace_state.empty()) out["traceState"] = span.trace_state;
    if (!span.parent_span_id.empty()) out["parentSpanId"] = span.parent_span_id;
    out["name"] = Text(span.name);
    out["kind"] = static_cast<int>(span.kind);
    out["startTimeUnixNano"] = Nanoseconds(span.start);
    out["endTimeUnixNano"] = Nanoseconds(span.end);
    out["attributes"] = List(span.attributes);
    if (!span.events.empty()) out["events"] = Events(span);
    if (!span.links.empty()) out["links"] = Links(span);
    out["status"] = Status(span);
    return out;
  }

  json::array List(const Attributes& attributes) const {
    json::array out;
    out.reserve(attributes.size());
    for (const auto& [key, value] : attributes) out.push_back({{"key", Text(key)}, {"value", Value(value)}});
    return out;
  }

 private:
  std::string Text(std::string_view text) const { return RepairUtf8(masker_.MaskText(text)); }

  static std::string Nanoseconds(WallClock::time_point time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count());
  }

  json::object Value(const AttributeValue& value) const {
    if (const auto* text = std::get_if<std::string>(&value)) return {{"stringValue", Text(*text)}};
    if (const auto* number = std::get_if<std::int64_t>(&value)) return {{"intValue", std::to_string(*number)}};
    if (const auto* flag = std::get_if<bool>(&value)) return {{"boolValue", *flag}};
    return {{"doubleValue", std::get<double>(value)}};
  }

  json::array Events(const SpanRecord& span) const {
    json::array out;
    for (const SpanEvent& event : span.events) {
      json::object entry{{"timeUnixNano", Nanoseconds(event.time)}, {"name", Text(event.name)}};
      if (!event.attributes.empty()) entry["attributes"] = List(event.attributes);
      out.push_back(std::move(entry));
    }
    return out;
  }

  static json::array Links(const SpanRecord& span) {
    json::array out;
    for (const SpanLink& link : span.links) {
      json::object entry{{"traceId", link.trace_id}, {"spanId", link.span_id}};
      if (!link.trace_state.empty()) entry["traceState"] = link.trace_state;
      out.push_back(std::move(entry));
    }
    return out;
  }

  json::object Status(const SpanRecord& span) const {
    if (!span.failed) return {};
    json::object status;
    if (!span.status_message.empty()) status["message"] = Text(span.status_message);
    status["code"] = kStatusError;
    return status;
  }

  const Masker& masker_;
};

constexpr std::string_view kClosing = "]}]}]}\n";

// The same for all lines, so rendered once.
std::string Opening(const TraceResource& resource, const Masker& masker) {
  json::object scope{{"name", "awf"}};
  if (!resource.service_version.empty()) scope["version"] = resource.service_version;
  const json::object described{{"attributes", Renderer(masker).List(ResourceAttributes(resource, masker))}};
  return R"({"resourceSpans":[{"resource":)" + json::serialize(described) + R"(,"scopeSpans":[{"scope":)" +
         json::serialize(scope) + R"(,"spans":[)";
}

}  // namespace

OtlpJsonFile::OtlpJsonFile(telemetry::AppendFile file, const TraceResource& resource, const Masker& masker)
    : file_(std::move(file)), opening_(Opening(resource, masker)), masker_(masker) {}

std::expected<std::unique_ptr<OtlpJsonFile>, Error> OtlpJsonFile::Open(const std::filesystem::path& path,
                                                                       const TraceResource& resource,
                                                                       const Masker& masker) {
  auto file = telemetry::AppendFile::Open(path, false);
  if (!file) return std::unexpected(file.error());
  return std::unique_ptr<OtlpJsonFile>(new OtlpJsonFile(std::move(*file), resource, masker));
}

bool OtlpJsonFile::Write(const SpanRecord& span) {
  std::string line = opening_;
  line.append(json::serialize(Renderer(masker_).Span(span))).append(kClosing);
  return file_.Write(line).has_value();
}

}  // namespace awf::otlp
