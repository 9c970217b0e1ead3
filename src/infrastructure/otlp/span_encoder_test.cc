#include "infrastructure/otlp/span_encoder.h"

#include <gtest/gtest.h>

#include "otlp_trace.pb.h"

namespace awf::otlp {
namespace {

SpanRecord Span() {
  SpanRecord span;
  span.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  span.span_id = "9f02c4d17be6a038";
  span.parent_span_id = "00f067aa0ba902b7";
  span.trace_state = "vendor=1";
  span.name = "tool.call: Bash";
  span.kind = SpanKind::kServer;
  span.start = WallClock::time_point(std::chrono::microseconds(1793700909125001));
  span.end = WallClock::time_point(std::chrono::microseconds(1793700909125999));
  span.attributes = {{"tool.name", "Bash"}, {"n", std::int64_t{-7}}, {"b", true}, {"d", 0.25}};
  return span;
}

proto::ExportTraceServiceRequest Decoded(const std::string& bytes) {
  proto::ExportTraceServiceRequest request;
  EXPECT_TRUE(request.ParseFromString(bytes));  // which checks UTF-8
  return request;
}

TEST(SpanEncoder, ASpanIsWhatOtlpCallsOne) {
  const Masker masker;
  const SpanEncoder encoder({"svc", "0.1.0", "box", 42, "team=a%20b"}, masker);
  const auto request = Decoded(encoder.Encode(std::vector{Span(), Span()}));
  ASSERT_EQ(request.resource_spans_size(), 1);
  const auto& resource = request.resource_spans(0).resource();
  ASSERT_EQ(resource.attributes_size(), 5);
  EXPECT_EQ(resource.attributes(0).key(), "service.name");
  EXPECT_EQ(resource.attributes(0).value().string_value(), "svc");
  EXPECT_EQ(resource.attributes(2).value().int_value(), 42);
  EXPECT_EQ(resource.attributes(4).value().string_value(), "a b");
  ASSERT_EQ(request.resource_spans(0).scope_spans_size(), 1);
  const auto& scope = request.resource_spans(0).scope_spans(0);
  EXPECT_EQ(scope.scope().name(), "awf");
  EXPECT_EQ(scope.scope().version(), "0.1.0");
  ASSERT_EQ(scope.spans_size(), 2);
  const auto& span = scope.spans(1);
  EXPECT_EQ(span.trace_id(), "\x4b\xf9\x2f\x35\x77\xb3\x4d\xa6\xa3\xce\x92\x9d\x0e\x0e\x47\x36");
  EXPECT_EQ(span.span_id(), "\x9f\x02\xc4\xd1\x7b\xe6\xa0\x38");
  EXPECT_EQ(span.parent_span_id(), std::string("\x00\xf0\x67\xaa\x0b\xa9\x02\xb7", 8));
  EXPECT_EQ(span.trace_state(), "vendor=1");
  EXPECT_EQ(span.flags(), 1U);
  EXPECT_EQ(span.name(), "tool.call: Bash");
  EXPECT_EQ(span.kind(), 2);
  EXPECT_EQ(span.start_time_unix_nano(), 1793700909125001000U);
  EXPECT_EQ(span.end_time_unix_nano(), 1793700909125999000U);
  EXPECT_FALSE(span.has_status());
  ASSERT_EQ(span.attributes_size(), 4);
  EXPECT_EQ(span.attributes(0).key(), "tool.name");
  EXPECT_EQ(span.attributes(0).value().string_value(), "Bash");
  EXPECT_EQ(span.attributes(1).value().int_value(), -7);
  EXPECT_TRUE(span.attributes(2).value().bool_value());
  EXPECT_EQ(span.attributes(3).value().double_value(), 0.25);
}

TEST(SpanEncoder, FailuresEventsAndLinks) {
  const Masker masker;
  SpanRecord failed = Span();
  failed.parent_span_id.clear();
  failed.failed = true;
  failed.status_message = "no luck";
  failed.events = {{"exception", failed.end, {{"exception.type", "tool_error"}}}};
  failed.links = {{"0af7651916cd43dd8448eb211c80319c", "3333333333333333", "a=b"}};
  const auto request = Decoded(SpanEncoder({}, masker).Encode(std::vector{failed}));
  const auto& span = request.resource_spans(0).scope_spans(0).spans(0);
  EXPECT_EQ(span.parent_span_id(), "");
  EXPECT_EQ(span.status().code(), 2);
  EXPECT_EQ(span.status().message(), "no luck");
  ASSERT_EQ(span.events_size(), 1);
  EXPECT_EQ(span.events(0).name(), "exception");
  EXPECT_EQ(span.events(0).time_unix_nano(), 1793700909125999000U);
  EXPECT_EQ(span.events(0).attributes(0).value().string_value(), "tool_error");
  ASSERT_EQ(span.links_size(), 1);
  EXPECT_EQ(span.links(0).trace_id().size(), 16U);
  EXPECT_EQ(span.links(0).span_id(), "\x33\x33\x33\x33\x33\x33\x33\x33");
  EXPECT_EQ(span.links(0).trace_state(), "a=b");
}

TEST(SpanEncoder, SecretsAndBadBytesGoNowhere) {
  Masker masker;
  const std::string secret = "hunter2hunter2";
  masker.AddSecret(secret);
  SpanRecord span = Span();
  const std::string dirty = "\xff " + secret;
  span.name = span.status_message = dirty;
  span.failed = true;
  span.attributes = {{dirty, dirty}};
  span.events = {{dirty, span.end, {{dirty, dirty}}}};
  const std::string bytes = SpanEncoder({dirty, dirty, dirty, 1, "k=" + dirty}, masker).Encode(std::vector{span});
  EXPECT_EQ(bytes.find(secret), std::string::npos);
  EXPECT_EQ(bytes.find('\xff'), std::string::npos);
  EXPECT_EQ(Decoded(bytes).resource_spans(0).scope_spans(0).spans(0).name(), "\xEF\xBF\xBD ***");
}

TEST(SpanEncoder, TheHintIsNotLessThanTheSize) {
  const Masker masker;
  const SpanEncoder encoder({}, masker);
  SpanRecord span = Span();
  const std::string long_text(5000, 'x');
  span.failed = true;
  span.name = span.status_message = span.trace_state = long_text;
  for (int i = 0; i < 20; ++i) {
    span.attributes.emplace_back(long_text, long_text);
    span.events.push_back({long_text, span.end, {{long_text, std::int64_t{-1}}}});
    span.links.push_back({span.trace_id, span.span_id, long_text});
  }
  const std::size_t rest = encoder.Encode({}).size();
  for (const SpanRecord& each : {Span(), span})
    EXPECT_GE(EncodedSizeHint(each) + rest, encoder.Encode(std::vector{each}).size());
}

}  // namespace
}  // namespace awf::otlp
