#include "infrastructure/otlp/span_encoder.h"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <variant>

#include "domain/utf8.h"
#include "otlp_trace.pb.h"

namespace awf::otlp {
namespace {

constexpr int kStatusError = 2;
constexpr std::uint32_t kSampled = 1;          // spans that are exported are
constexpr std::size_t kLargestField = 32;      // tags, lengths and numbers of a span, attribute, event or link
constexpr std::size_t kLargestSpanHead = 128;  // its ids, times and status too

// Ids are bytes in protobuf. An odd or foreign digit ends the id; awf makes no such ids.
std::string IdBytes(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned value = 0;
    const char* end = hex.data() + i + 2;
    if (std::from_chars(hex.data() + i, end, value, 16).ptr != end) break;
    bytes.push_back(static_cast<char>(value));
  }
  return bytes;
}

std::uint64_t Nanoseconds(WallClock::time_point time) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count());
}

class Writer {
 public:
  explicit Writer(const Masker& masker) : masker_(masker) {}

  std::string Text(std::string_view text) const { return RepairUtf8(masker_.MaskText(text)); }

  template <class Message>  // a resource, span or event
  void AddAttributes(const Attributes& attributes, Message& out) const {
    for (const auto& [key, value] : attributes) {
      proto::KeyValue* attribute = out.add_attributes();
      attribute->set_key(Text(key));
      Set(value, *attribute->mutable_value());
    }
  }

  void Fill(const SpanRecord& span, proto::Span& out) const {
    out.set_trace_id(IdBytes(span.trace_id));
    out.set_span_id(IdBytes(span.span_id));
    out.set_parent_span_id(IdBytes(span.parent_span_id));
    out.set_trace_state(Text(span.trace_state));
    out.set_flags(kSampled);
    out.set_name(Text(span.name));
    out.set_kind(static_cast<int>(span.kind));
    out.set_start_time_unix_nano(Nanoseconds(span.start));
    out.set_end_time_unix_nano(Nanoseconds(span.end));
    AddAttributes(span.attributes, out);
    for (const SpanEvent& event : span.events) {
      proto::Span::Event& written = *out.add_events();
      written.set_time_unix_nano(Nanoseconds(event.time));
      written.set_name(Text(event.name));
      AddAttributes(event.attributes, written);
    }
    for (const SpanLink& link : span.links) {
      proto::Span::Link& written = *out.add_links();
      written.set_trace_id(IdBytes(link.trace_id));
      written.set_span_id(IdBytes(link.span_id));
      written.set_trace_state(Text(link.trace_state));
    }
    if (!span.failed) return;
    out.mutable_status()->set_code(kStatusError);
    out.mutable_status()->set_message(Text(span.status_message));
  }

 private:
  void Set(const AttributeValue& value, proto::AnyValue& out) const {
    if (const auto* text = std::get_if<std::string>(&value)) {
      out.set_string_value(Text(*text));
    } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
      out.set_int_value(*number);
    } else if (const auto* flag = std::get_if<bool>(&value)) {
      out.set_bool_value(*flag);
    } else {
      out.set_double_value(std::get<double>(value));
    }
  }

  const Masker& masker_;
};

std::size_t SizeHint(const Attributes& attributes) {
  std::size_t size = 0;
  for (const auto& [key, value] : attributes) {
    const auto* text = std::get_if<std::string>(&value);
    size += key.size() + (text != nullptr ? text->size() : 0) + kLargestField;
  }
  return size;
}

}  // namespace

SpanEncoder::SpanEncoder(const TraceResource& resource, const Masker& masker)
    : masker_(masker), resource_(ResourceAttributes(resource, masker)), version_(resource.service_version) {}

std::string SpanEncoder::Encode(std::span<const SpanRecord> spans) const {
  const Writer writer(masker_);
  proto::ExportTraceServiceRequest request;
  proto::ResourceSpans& of_process = *request.add_resource_spans();
  writer.AddAttributes(resource_, *of_process.mutable_resource());
  proto::ScopeSpans& of_scope = *of_process.add_scope_spans();
  of_scope.mutable_scope()->set_name("awf");
  of_scope.mutable_scope()->set_version(writer.Text(version_));
  for (const SpanRecord& span : spans) writer.Fill(span, *of_scope.add_spans());
  return request.SerializeAsString();
}

std::size_t EncodedSizeHint(const SpanRecord& span) {
  std::size_t size = kLargestSpanHead + span.name.size() + span.trace_state.size() + span.status_message.size();
  size += SizeHint(span.attributes);
  for (const SpanEvent& event : span.events) size += kLargestField + event.name.size() + SizeHint(event.attributes);
  for (const SpanLink& link : span.links) size += 2 * kLargestField + link.trace_state.size();
  return size;
}

}  // namespace awf::otlp
