// The file and console sinks as they are used: modes, levels, appending.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "domain/test_folder.h"
#include "infrastructure/telemetry/console_log.h"
#include "infrastructure/telemetry/log_file.h"
#include "infrastructure/telemetry/otlp_json_file.h"

namespace awf::telemetry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TelemetryFilesTest : public testing::Test {
 protected:
  const TestFolder folder_;
  Masker masker_;
};

LogRecord Record(LogLevel level, std::string message) {
  LogRecord record;
  record.level = level;
  record.message = std::move(message);
  return record;
}

TEST_F(TelemetryFilesTest, TheLogKeepsItsLevelAndModeAndAppends) {
  const auto path = folder_ / "log.jsonl";
  for (int i = 0; i < 2; ++i) {
    auto log = LogFile::Open(path, LogLevel::kInfo, masker_);
    ASSERT_TRUE(log);
    EXPECT_TRUE((*log)->Write(Record(LogLevel::kDebug, "no")));
    EXPECT_TRUE((*log)->Write(Record(LogLevel::kInfo, "yes")));
    EXPECT_EQ((*log)->Name(), path.string());
  }
  EXPECT_THAT(FileLines(path),
              ElementsAre(R"({"level":"info","message":"yes","timestamp":"1970-01-01T00:00:00.000Z"})",
                          R"({"level":"info","message":"yes","timestamp":"1970-01-01T00:00:00.000Z"})"));
  EXPECT_EQ(FileMode(path), 0600U);
}

TEST_F(TelemetryFilesTest, ACutLineIsEndedBeforeTheNextRecord) {
  for (const char* name : {"log.jsonl", "trace.json"}) {
    const auto path = folder_ / name;
    std::ofstream(path) << "{\"whole\":1}\n{\"cut\":";
    auto log = LogFile::Open(path, LogLevel::kInfo, masker_);
    ASSERT_TRUE(log);
    EXPECT_TRUE((*log)->Write(Record(LogLevel::kInfo, "next")));
    EXPECT_THAT(FileLines(path), ElementsAre("{\"whole\":1}", "{\"cut\":", HasSubstr("\"message\":\"next\"")));
    auto trace = OtlpJsonFile::Open(path, {}, masker_);  // nothing to end
    ASSERT_TRUE(trace);
    EXPECT_EQ(FileLines(path).size(), 3U);
  }
}

TEST_F(TelemetryFilesTest, ConcurrentLogLinesStayWhole) {
  const auto path = folder_ / "log.jsonl";
  auto log = LogFile::Open(path, LogLevel::kInfo, masker_);
  ASSERT_TRUE(log);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) (*log)->Write(Record(LogLevel::kInfo, std::string(3000, 'x')));
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto lines = FileLines(path);
  EXPECT_EQ(lines.size(), 400U);
  for (const std::string& line : lines) {
    json::error_code error;
    json::parse(line, error);
    EXPECT_FALSE(error);
  }
}

TEST_F(TelemetryFilesTest, AFullDiskShows) {
  auto log = LogFile::Open("/dev/full", LogLevel::kInfo, masker_);
  ASSERT_TRUE(log);
  EXPECT_FALSE((*log)->Write(Record(LogLevel::kInfo, "x")));
  auto trace = OtlpJsonFile::Open("/dev/full", {}, masker_);
  ASSERT_TRUE(trace);
  EXPECT_FALSE((*trace)->Write({}));
}

TEST_F(TelemetryFilesTest, AFolderThatIsMissingIsAnError) {
  auto log = LogFile::Open(folder_ / "no" / "log.jsonl", LogLevel::kInfo, masker_);
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, "SYSTEM.IO.WRITE_FAILED");
  EXPECT_EQ(log.error().message,
            "cannot write " + (folder_ / "no" / "log.jsonl").string() + ": No such file or directory");
}

TEST_F(TelemetryFilesTest, TheConsoleTellsTextOrJson) {
  std::vector<std::string> printed;
  const auto print = [&](std::string_view line) { printed.emplace_back(line); };
  ConsoleLog text({LogLevel::kWarn, false, true}, masker_, print);
  text.Write(Record(LogLevel::kInfo, "not this"));
  text.Write(Record(LogLevel::kError, "tool call"));
  text.Write(Record(LogLevel::kWarn, "this"));
  EXPECT_THAT(printed, ElementsAre(HasSubstr(" WARN this\n")));
  printed.clear();
  text.Write(Record(LogLevel::kWarn, "sandbox degraded"));
  text.Write(Record(LogLevel::kWarn, "sandbox degraded"));
  EXPECT_THAT(printed, ElementsAre(HasSubstr(" WARN sandbox degraded\n")));
  printed.clear();
  ConsoleLog alone({LogLevel::kWarn, false, false}, masker_, print);
  alone.Write(Record(LogLevel::kError, "tool call"));
  EXPECT_THAT(printed, ElementsAre(HasSubstr(" ERROR tool call\n")));
  printed.clear();
  ConsoleLog lines({LogLevel::kInfo, true, true}, masker_, print);
  lines.Write(Record(LogLevel::kInfo, "tool call"));
  EXPECT_THAT(printed, ElementsAre("{\"level\":\"info\",\"message\":\"tool call\",\"timestamp\":"
                                   "\"1970-01-01T00:00:00.000Z\"}\n"));
}

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

TEST_F(TelemetryFilesTest, ATraceLineIsOneCompleteOtlpObject) {
  masker_.AddSecret("hunter2hunter2");
  const auto path = folder_ / "trace.json";
  TraceResource resource{"svc", "0.1.0", "box", 42, "team=a%20b, service.name=x,broken,k=hunter2hunter2"};
  auto trace = OtlpJsonFile::Open(path, resource, masker_);
  ASSERT_TRUE(trace);
  EXPECT_TRUE((*trace)->Write(Span()));
  SpanRecord failed = Span();
  failed.parent_span_id.clear();
  failed.kind = SpanKind::kInternal;
  failed.attributes.clear();
  failed.failed = true;
  failed.status_message = "said hunter2hunter2";
  failed.events = {{"exception", failed.end, {{"exception.type", "tool_error"}}}, {"cancelled", failed.end, {}}};
  failed.links = {{"0af7651916cd43dd8448eb211c80319c", "3333333333333333"}};
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
          head + R"("name":"tool.call: Bash","kind":1,)"
                 R"("startTimeUnixNano":"1793700909125001000","endTimeUnixNano":"1793700909125999000","attributes":[],)"
                 R"("events":[{"timeUnixNano":"1793700909125999000","name":"exception","attributes":[)"
                 R"({"key":"exception.type","value":{"stringValue":"tool_error"}}]},)"
                 R"({"timeUnixNano":"1793700909125999000","name":"cancelled"}],)"
                 R"("links":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"3333333333333333"}],)"
                 R"("status":{"message":"said ***","code":2}}]}]}]})"));
  EXPECT_EQ(FileMode(path), 0600U);
}

}  // namespace
}  // namespace awf::telemetry
