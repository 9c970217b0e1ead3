#include "infrastructure/plugins/plugin_log.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace awf::plugins {
namespace {

TEST(ParsePluginLog, JsonOfHclog) {
  const PluginLogLine line = ParsePluginLog(
      R"({"@level":"warn","@message":"slow disk","@module":"demo","@timestamp":"2026-01-02T15:04:05.000Z","ms":12})");
  EXPECT_EQ(line.level, LogLevel::kWarn);
  EXPECT_EQ(line.message, "slow disk");
  EXPECT_EQ(json::serialize(line.fields), R"({"module":"demo","ms":12})");
}

TEST(ParsePluginLog, OtherJsonIsText) {
  for (const std::string text : {R"({"level":"warn","msg":"x"})", R"({"@level":"loud","@message":"x"})",
                                 R"({"@level":3})", R"({"@level":"warn")", "[1]"}) {
    EXPECT_EQ(ParsePluginLog(text), (PluginLogLine{LogLevel::kInfo, text, {}})) << text;
  }
}

TEST(ParsePluginLog, TextOfHclog) {
  const PluginLogLine line = ParsePluginLog(
      "2026-01-02T15:04:05.123+0100 [DEBUG] demo: opened: file: path=/a/b note=\"two \\\"words\\\"\" n=3\r");
  EXPECT_EQ(line.level, LogLevel::kDebug);
  EXPECT_EQ(line.message, "demo: opened: file");
  EXPECT_EQ(json::serialize(line.fields), R"({"path":"/a/b","note":"two \"words\"","n":"3"})");
}

TEST(ParsePluginLog, TextOfHclogWithoutPairs) {
  EXPECT_EQ(ParsePluginLog("2026-01-02T15:04:05.000Z [INFO]  ready: 5 operations"),
            (PluginLogLine{LogLevel::kInfo, "ready: 5 operations", {}}));
  EXPECT_EQ(ParsePluginLog("[ERROR] gone"), (PluginLogLine{LogLevel::kError, "gone", {}}));
  EXPECT_EQ(ParsePluginLog("[TRACE] x: a=\"b"), (PluginLogLine{LogLevel::kDebug, "x: a=\"b", {}}));
}

TEST(ParsePluginLog, AnythingElseIsAMessage) {
  for (const std::string text : {"hello", "", "see [WARN] in the middle", "[loud] x", "2026 01 [INFO] x", "[INFO"}) {
    EXPECT_EQ(ParsePluginLog(text), (PluginLogLine{LogLevel::kInfo, text, {}})) << text;
  }
  EXPECT_EQ(ParsePluginLog("panic: boom").level, LogLevel::kError);
  EXPECT_EQ(ParsePluginLog("fatal error: all goroutines are asleep").level, LogLevel::kError);
}

class PluginLogTest : public ::testing::Test {
 protected:
  std::vector<std::tuple<LogLevel, std::string, std::string>> lines_;
  PluginLog log_{"demo", [this](LogLevel level, std::string_view message, const json::object& fields) {
                   lines_.emplace_back(level, std::string(message), json::serialize(fields));
                 }};
};

TEST_F(PluginLogTest, LinesOfEachMouthAreJoined) {
  log_.Take(PluginLog::kRawErrors, "one\ntw");
  log_.Take(PluginLog::kStreamedOutput, "prin");
  log_.Take(PluginLog::kRawErrors, "o\n\n  \n[WARN] th");
  log_.Take(PluginLog::kStreamedOutput, "ted\n");
  EXPECT_EQ(lines_, (decltype(lines_){{LogLevel::kInfo, "one", R"({"plugin":"demo"})"},
                                      {LogLevel::kInfo, "two", R"({"plugin":"demo"})"},
                                      {LogLevel::kInfo, "printed", R"({"plugin":"demo"})"}}));
  lines_.clear();
  log_.Finish();
  log_.Finish();
  EXPECT_EQ(lines_, (decltype(lines_){{LogLevel::kWarn, "th", R"({"plugin":"demo"})"}}));
}

TEST_F(PluginLogTest, FieldsComeBehindThePluginsName) {
  log_.Take(PluginLog::kRawErrors, "{\"@level\":\"error\",\"@message\":\"x\",\"a\":1,\"plugin\":\"other\"}\n");
  EXPECT_EQ(lines_, (decltype(lines_){{LogLevel::kError, "x", R"({"plugin":"demo","a":1})"}}));
}

TEST_F(PluginLogTest, LongLinesBecomeSeveral) {
  log_.Take(PluginLog::kRawOutput,
            std::string(kLongestPluginLine, 'a') + "\n" + std::string(2 * kLongestPluginLine + 1, 'b') + "\nc\n");
  ASSERT_EQ(lines_.size(), 5U);
  EXPECT_EQ(std::get<1>(lines_[0]), std::string(kLongestPluginLine, 'a'));
  EXPECT_EQ(std::get<1>(lines_[2]), std::string(kLongestPluginLine, 'b'));
  EXPECT_EQ(std::get<1>(lines_[3]), "b");
  EXPECT_EQ(std::get<1>(lines_[4]), "c");
}

TEST_F(PluginLogTest, TailsKeepTheLastFourKiB) {
  log_.Take(PluginLog::kRawErrors, "early ");
  log_.Take(PluginLog::kStreamedErrors, "late");
  log_.Take(PluginLog::kRawOutput, "out");
  EXPECT_EQ(log_.ErrorTail(), "early late");
  EXPECT_EQ(log_.OutputTail(), "out");
  for (int i = 0; i < 10'000; ++i) log_.Take(PluginLog::kRawErrors, "0123456789");
  log_.Take(PluginLog::kRawErrors, "end");
  const std::string tail = log_.ErrorTail();
  EXPECT_EQ(tail.size(), kPluginTail);
  EXPECT_TRUE(tail.ends_with("56789end"));
  log_.Take(PluginLog::kRawErrors, "x");
  for (int i = 0; i < 3000; ++i) log_.Take(PluginLog::kRawErrors, "é");
  EXPECT_EQ(log_.ErrorTail().size(), kPluginTail);  // no half of a character at its start
  EXPECT_TRUE(log_.ErrorTail().starts_with("é"));
  log_.Take(PluginLog::kRawErrors, "x");
  EXPECT_EQ(log_.ErrorTail().size(), kPluginTail - 1);
  EXPECT_TRUE(log_.ErrorTail().starts_with("é"));
}

TEST_F(PluginLogTest, TheTailOfErrorsLeavesQuietLogLinesOut) {
  log_.Take(PluginLog::kRawErrors,
            "{\"@level\":\"debug\",\"@message\":\"x\"}\n2026-01-02T15:04:05.000Z [WARN]  slow\n");
  log_.Take(PluginLog::kStreamedErrors, "2026-01-02T15:04:05.000Z [IN");
  log_.Take(PluginLog::kRawErrors, "panic: boom\n\ngoroutine 1 [running]:\n");
  log_.Take(PluginLog::kStreamedErrors, "FO]  busy\n");
  log_.Take(PluginLog::kRawErrors, "[TRACE] last");
  EXPECT_EQ(log_.ErrorTail(), "2026-01-02T15:04:05.000Z [WARN]  slow\npanic: boom\n\ngoroutine 1 [running]:\n");
  log_.Finish();
  EXPECT_EQ(log_.ErrorTail(), "2026-01-02T15:04:05.000Z [WARN]  slow\npanic: boom\n\ngoroutine 1 [running]:\n");
  EXPECT_EQ(lines_.size(), 6U);  // the log has them all
  for (int i = 0; i < 1000; ++i) log_.Take(PluginLog::kRawErrors, "[INFO]  what it does all day\n");
  EXPECT_TRUE(log_.ErrorTail().ends_with("goroutine 1 [running]:\n"));
}

TEST(PluginLog, WithoutLoggerKeepsTails) {
  PluginLog log("demo", {});
  log.Take(PluginLog::kRawErrors, "a\nb\xff");
  EXPECT_EQ(log.ErrorTail(), "a\nb\uFFFD");
}

}  // namespace
}  // namespace awf::plugins
