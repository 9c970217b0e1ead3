#include "infrastructure/telemetry/log_line.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "infrastructure/telemetry/record_cut.h"

namespace awf::telemetry {
namespace {

LogRecord ToolCall() {
  LogRecord record;
  record.message = "tool call";
  record.fields = {{"tool", "Grep"}, {"source", "builtin"}, {"duration_ms", 7}, {"call", "9f02c4d17be6a038"}};
  record.run = "20261103-101500-5be01c77";
  record.step = "review";
  record.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  record.span_id = "9f02c4d17be6a038";
  record.time = WallClock::time_point(std::chrono::milliseconds(1793700909125));
  record.whole_seconds = true;
  return record;
}

TEST(LogLine, IsTheExampleOfTheSpecification) {
  EXPECT_EQ(RenderLogJson(ToolCall(), Masker()),
            R"({"level":"info","message":"tool call","tool":"Grep","source":"builtin","duration_ms":7,)"
            R"("call":"9f02c4d17be6a038","run":"20261103-101500-5be01c77","step":"review",)"
            R"("trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":"9f02c4d17be6a038",)"
            R"("timestamp":"2026-11-03T10:15:09Z"})");
}

TEST(LogLine, HasErrorAndAttemptInTheirPlaces) {
  LogRecord record = ToolCall();
  record.level = LogLevel::kError;
  record.error = "command exited with code 2";
  record.attempt = 2;
  record.whole_seconds = false;
  EXPECT_EQ(RenderLogJson(record, Masker()),
            R"({"level":"error","message":"tool call","tool":"Grep","source":"builtin","duration_ms":7,)"
            R"("call":"9f02c4d17be6a038","error":"command exited with code 2","run":"20261103-101500-5be01c77",)"
            R"("step":"review","attempt":2,"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736",)"
            R"("span_id":"9f02c4d17be6a038","timestamp":"2026-11-03T10:15:09.125Z"})");
}

TEST(LogLine, MasksBeforeItCutsAndRepairsUtf8) {
  Masker masker;
  masker.AddSecret("hunter2hunter2");
  LogRecord record = ToolCall();
  record.message = "say hunter2hunter2 \xFF";
  std::string text(kLongestLine - 700, 'x');
  for (int i = 0; i < 1000; ++i) text += "hunter2hunter2 ";
  record.fields = {{"text", text}, {"password", "p"}};
  record.error = "e hunter2hunter2";
  const std::string line = RenderLogJson(record, masker);
  EXPECT_LE(line.size() + 1, kLongestLine);
  EXPECT_GT(line.size(), kLongestLine - 600);
  EXPECT_EQ(line.find("hunter2"), std::string::npos);
  EXPECT_TRUE(line.starts_with("{\"level\":\"info\",\"message\":\"say *** \xEF\xBF\xBD\",\"text\":\"xxx"));
  EXPECT_NE(line.find(R"(","password":"***","cut":true,"error":"e ***","run":"20261103)"), std::string::npos);
}

TEST(LogLine, IsShortTextForPeople) {
  ::setenv("TZ", "UTC0", 1);
  ::tzset();
  LogRecord record = ToolCall();
  record.level = LogLevel::kError;
  record.error = "no rule\x1b[2J\nto make";
  EXPECT_EQ(RenderLogText(record, Masker()),
            R"(10:15:09 ERROR tool call tool=Grep source=builtin duration_ms=7 call=9f02c4d17be6a038 )"
            R"(error="no rule\u001b[2J\nto make" step=review)");
  record.fields = {{"files", json::array{"a b"}},
                   {"empty", ""},
                   {"c1",
                    "x\xC2\x9B"
                    "2Jy"}};
  record.error.clear();
  record.step.clear();
  record.attempt = 3;
  EXPECT_EQ(RenderLogText(record, Masker()), R"(10:15:09 ERROR tool call files=["a b"] empty="" c1=xy attempt=3)");
}

TEST(LogLine, TheCoexistenceWarningIsTheKnownOne) {
  LogRecord record;
  record.level = LogLevel::kWarn;
  record.message = "mcp proxy coexistence";
  record.fields = {{"provider", "codex"},
                   {"version", "0.172.0"},
                   {"verified", "0.171.0"},
                   {"isolation", "flags"},
                   {"reason", "not proven for 0.172.0"}};
  EXPECT_EQ(RenderLogText(record, Masker()),
            "WARN: mcp_proxy on provider=codex runs in coexistence mode.\n"
            "      Isolation is not proven for 0.172.0; run awf doctor --probe codex.\n"
            "      Use 'claude' or 'openai-compatible' for guaranteed MCP-only isolation.\n"
            "      found 0.172.0, verified 0.171.0, level flags");
  record.fields["version"] = "";
  record.fields["isolation"] = "coexisting";
  EXPECT_EQ(RenderLogText(record, Masker()),
            "WARN: mcp_proxy on provider=codex runs in coexistence mode.\n"
            "      Isolation is not proven for the version in use; run awf doctor --probe codex.\n"
            "      Use 'claude' or 'openai-compatible' for guaranteed MCP-only isolation.\n"
            "      found no version, verified 0.171.0, level coexisting");
}

TEST(LogLine, TheCoexistenceWarningNamesNativeTools) {
  LogRecord record;
  record.message = "mcp proxy coexistence";
  record.fields = {{"provider", "claude"}, {"version", "3.0.0"}, {"verified", "2.1.332"}, {"isolation", "coexisting"}};
  const auto second_line = [&](std::string_view reason) {
    record.fields["reason"] = reason;
    const std::string text = RenderLogText(record, Masker());
    const std::size_t begin = text.find('\n') + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  EXPECT_EQ(second_line("native tools: Bash, Edit"), "      Native tools cannot be disabled: Bash, Edit.");
  EXPECT_EQ(second_line("native tool used: Bash"), "      Native tools cannot be disabled: Bash was used.");
}

}  // namespace
}  // namespace awf::telemetry
