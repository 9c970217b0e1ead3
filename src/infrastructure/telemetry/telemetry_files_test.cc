// The file and console sinks as they are used: modes, levels, appending.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "domain/test_folder.h"
#include "infrastructure/telemetry/console_log.h"
#include "infrastructure/telemetry/log_file.h"

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

}  // namespace
}  // namespace awf::telemetry
