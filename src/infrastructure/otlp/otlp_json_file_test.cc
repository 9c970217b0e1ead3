#include "infrastructure/otlp/otlp_json_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/test_folder.h"

namespace awf::otlp {
namespace {

using testing::ElementsAre;

SpanRecord Span() {
  SpanRecord span;
  span.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  span.span_id = "9f02c4d17be6a038";
  span.parent_span_id = "00f067aa0ba902b7";
  span.name = "tool.call: Bash";
  span.kind = SpanKind::kServer;
  span.start = WallClock::time_point(std::chrono::microseconds(1793700909125001));
  span.end = WallClock::time_point(std::chrono::microseconds(1793700909125999));
  span.attributes = {{"tool.name", "Bash"}, {"n", std::int64_t{7}}, {"b", true}, {"d", 0.25}};
  return span;
}

TEST(OtlpJsonFile, ATraceLineIsOneCompleteOtlpObject) {
  const TestFolder folder;
  Masker masker;
  masker.AddSecret("hunter2hunter2");
  const auto path = folder / "trace.json";
  TraceResource resource{"svc", "0.1.0", "box", 42, "team=a%20b, service.name=x,broken,k=hunter2hunter2"};
  auto trace = OtlpJsonFile::Open(path, resource, masker);
  ASSERT_TRUE(trace);
  EXPECT_TRUE((*trace)->Write(Span()));
  SpanRecord failed = Span();
  failed.parent_span_id.clear();
  failed.kind = SpanKind::kInternal;
  failed.attributes.clear();
  failed.failed = true;
  failed.status_message = "said hunter2hunter2";
  failed.events = {{"exception", failed.end, {{"exception.type", "tool_error"}}}, {"cancelled", failed.end, {}}};
  failed.trace_state = "vendor=1";
  failed.links = {{"0af7651916cd43dd8448eb211c80319c", "3333333333333333"},
                  {"0af7651916cd43dd8448eb211c80319c", "5555555555555555", "other=2"}};
  EXPECT_TRUE((*trace)->Write(failed));
  const std::string head =
      R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"svc"}},)"
      R"({"key":"service.version","value":{"stringValue":"0.1.0"}},{"key":"process.pid","value":{"intValue":"42"}},)"
      R"({"key":"host.name","value":{"stringValue":"box"}},{"key":"team","value":{"stringValue":"a b"}},)"
      R"({"key":"k","value":{"stringValue":"***"}}]},"scopeSpans":[{"scope":{"name":"awf","version":"0.1.0"},)"
      R"("spans":[{"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"9f02c4d17be6a038",)";
  EXPECT_THAT(
      FileLines(path),
      ElementsAre(
          head +
              R"("parentSpanId":"00f067aa0ba902b7","name":"tool.call: Bash","kind":2,)"
              R"("startTimeUnixNano":"1793700909125001000","endTimeUnixNano":"1793700909125999000","attributes":[)"
              R"({"key":"tool.name","value":{"stringValue":"Bash"}},{"key":"n","value":{"intValue":"7"}},)"
              R"({"key":"b","value":{"boolValue":true}},{"key":"d","value":{"doubleValue":2.5E-1}}],"status":{}}]}]}]})",
          head +
              R"("traceState":"vendor=1","name":"tool.call: Bash","kind":1,)"
              R"("startTimeUnixNano":"1793700909125001000","endTimeUnixNano":"1793700909125999000","attributes":[],)"
              R"("events":[{"timeUnixNano":"1793700909125999000","name":"exception","attributes":[)"
              R"({"key":"exception.type","value":{"stringValue":"tool_error"}}]},)"
              R"({"timeUnixNano":"1793700909125999000","name":"cancelled"}],)"
              R"("links":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"3333333333333333"},)"
              R"({"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"5555555555555555","traceState":"other=2"}],)"
              R"("status":{"message":"said ***","code":2}}]}]}]})"));
  EXPECT_EQ(FileMode(path), 0600U);
}

TEST(OtlpJsonFile, AFullDiskShows) {
  const Masker masker;
  auto trace = OtlpJsonFile::Open("/dev/full", {}, masker);
  ASSERT_TRUE(trace);
  EXPECT_FALSE((*trace)->Write({}));
}

}  // namespace
}  // namespace awf::otlp
